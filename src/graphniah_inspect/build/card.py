"""The dataset card of a build: what is in it, how it was made, on what terms; ready for the hub."""

from typing import Any

from graphniah_inspect.build.distractors import LICENSES
from graphniah_inspect.build.plan import Plan, length_name
from graphniah_inspect.build.settings import Settings

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))

_HEADER = """---
pretty_name: GraphNIAH, built afresh
language:
- en
license: other
task_categories:
- question-answering
tags:
- long-context
- graph-reasoning
size_categories:
- {size}
configs:
- config_name: default
  data_files:
  - split: test
    path: examples.jsonl
---
"""

_TEXT = """# GraphNIAH, built afresh

{rows:,} examples in the layout of the GraphNIAH benchmark (arXiv 2610.41704), written by graphniah-inspect
(`{version}`), not by the benchmark's authors. Citation subgraphs, written as text, are hidden among distracting text;
the question is which papers are reachable from a source paper.

    inspect eval graphniah_inspect/graphniah -T dataset=FOLDER -T experiment=question-format

## Lists

| list | context | varied | entries |
|---|---|---|---:|
{lists}

{entries:,} entries are {rows:,} examples, because one example can stand in several lists, at other slots.
Slots are in turn over the varied values, so the first N of every value are the slots below N times their number.

## Examples

| format | label | examples |
|---|---|---:|
{labels}

None variants (multiple choice with an option E, which is never right): {none_rows:,}. By distractor type:
{distractors}.

## How it was made

Citation data: release {release}, papers from {cutoff} on, snapshot `{snapshot}`. Settings (all of them are in
`manifest.json`):

| setting | value |
|---|---|
{settings}

`output/experiments.v1/pool.jsonl` has, for each example, its rendered needles, the papers of its components, the
written citations and the sources of the distracting text, but not the prompt again. The lists lie beside it.

## Terms of the text inside

This card gives the usual terms of each type; check them for the sources you used.

{licenses}
"""


def dataset_card(plan: Plan, settings: Settings, manifest: dict[str, Any]) -> str:
    """The card, as Markdown with its YAML header."""
    counts = manifest["counts"]
    size = next((name for limit, name in _SIZES if counts["rows"] < limit), "n>1M")
    labels = [
        f"| {kind} | {label} | {number:,} |"
        for kind, by_label in counts["labels"].items()
        for label, number in by_label.items()
    ]
    lists = [
        f"| `{x.name}` | {length_name(x.context_length)} | {', '.join(map(str, dict.fromkeys(x.values))) or '-'} "
        f"| {len(x.qids):,} |"
        for x in plan.lists
    ]
    kinds = ["disjoint-tree", *settings.text_types]
    return _HEADER.format(size=size) + _TEXT.format(
        rows=counts["rows"],
        entries=counts["list_entries"],
        none_rows=counts["none_rows"],
        version=manifest["generator_version"],
        lists="\n".join(lists),
        labels="\n".join(labels),
        distractors=", ".join(f"{kind} {number:,}" for kind, number in counts["distractor_types"].items()),
        release=manifest["release"] or "not named",
        cutoff=manifest["cutoff"],
        snapshot=manifest["snapshot"][:16],
        settings="\n".join(f"| `{name}` | {_value(value)} |" for name, value in settings.record().items()),
        licenses="\n".join(f"- {LICENSES[kind]}" for kind in kinds),
    )


def _value(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
