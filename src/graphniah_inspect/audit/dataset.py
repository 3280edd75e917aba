"""Checks that need all examples: unique ids, balance of labels, lists, None variants, duplicates."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from graphniah_inspect.audit.findings import Finding
from graphniah_inspect.errors import UserError
from graphniah_inspect.graphniah.experiments import (
    EXPERIMENTS,
    NONE_OPTION,
    NONE_OPTION_PREFIX,
    normalise_name,
    varied_value,
)
from graphniah_inspect.graphniah.index import Example
from graphniah_inspect.graphniah.selection import check_slots, experiment_lists, read_list

LABELS = {"yes-no": ("YES", "NO"), "multiple-choice": ("A", "B", "C", "D")}
IMBALANCE_LEVEL = 0.001
OWN_TO_NONE = {"none_option", "source_qid"}


@dataclass(frozen=True)
class Digest:
    """What of an example must be kept to compare it with others, its prompts left out.

    Attributes:
        example: The row without its prompts.
        prompts: Hash of system and user prompt.
        without_none: The same, the line of option E taken out; equal to `prompts` where there is none.
        graph: Hash of the question and the citation graph; None where the prompt cannot be read.
    """

    example: Example
    prompts: bytes
    without_none: bytes
    graph: bytes | None


def check_dataset(digests: Sequence[Digest]) -> tuple[set[str], list[Finding]]:
    """Checks made, and findings."""
    findings = [
        *_check_ids(digests),
        *_check_duplicates(digests),
        *_check_balance(digests),
        *_check_lists(digests),
        *_check_sources(digests),
    ]
    made = {"unique qids", "duplicates", "label balance", "lists"}
    if any(_config(digest, "none_option") for digest in digests):
        made.add("None variants")
    return made, findings


def uncompared(digests: Sequence[Digest]) -> int:
    """None variants whose prompt cannot be compared with that of their source."""
    return sum(bool(_config(digest, "none_option")) and digest.graph is None for digest in digests)


def _config(digest: Digest, key: str) -> object:
    return digest.example.config.get(key)


def _check_ids(digests: Sequence[Digest]) -> list[Finding]:
    first: dict[str, int] = {}
    return [
        Finding("unique qids", example.qid, example.line, "qid", f"the same as on line {line}", "a qid of its own")
        for example in (digest.example for digest in digests)
        if (line := first.setdefault(example.qid, example.line)) != example.line
    ]


def _check_duplicates(digests: Sequence[Digest]) -> list[Finding]:
    findings = []
    whole: dict[bytes, Example] = {}
    graphs: dict[bytes, Example] = {}
    for digest in digests:
        example = digest.example
        other = whole.setdefault(digest.prompts, example)
        if other is not example:
            expected = "a prompt of its own"
            same = f"that of line {other.line} ({other.qid[:16]})"
            findings.append(Finding("duplicates", example.qid, example.line, "user_prompt", same, expected))
            continue
        if digest.graph is None:
            continue
        other = graphs.setdefault(digest.graph, example)
        if other is not example:
            same = f"that of line {other.line} ({other.qid[:16]}) among other distractors"
            expected = "a question and a graph of its own"
            findings.append(Finding("duplicates", example.qid, example.line, "user_prompt", same, expected))
    return findings


def _check_balance(digests: Sequence[Digest]) -> list[Finding]:
    """Labels as even as chance would have them, or more so."""
    from scipy import stats

    findings = []
    for task, labels in LABELS.items():
        counts = label_counts(digests, task)
        held = [counts[label] for label in labels]
        if sum(held) and (p := float(stats.chisquare(held).pvalue)) < IMBALANCE_LEVEL:
            shown = ", ".join(f"{label} {count}" for label, count in zip(labels, held, strict=True))
            findings.append(Finding("label balance", "", 0, f"answer of {task}", shown, "even numbers", f"p = {p:.2g}"))
    return findings


def label_counts(digests: Sequence[Digest], task: str) -> Counter[str]:
    """How often every label is the answer of a format, None variants left out: they repeat their source's."""
    return Counter(
        digest.example.answer
        for digest in digests
        if digest.example.reachability_task == task and not _config(digest, "none_option")
    )


def _check_lists(digests: Sequence[Digest]) -> list[Finding]:
    """Slots from 0 without a gap, each once, values in round-robin: the rules of the tasks, for every list."""
    findings: list[Finding] = []
    examples = [digest.example for digest in digests]
    try:
        lists = experiment_lists(examples)
    except UserError as error:
        return [_list_finding("experiments", error)]
    for name, length in sorted(lists):
        experiment = NONE_OPTION if name.startswith(NONE_OPTION_PREFIX) else normalise_name(name)
        if experiment not in EXPERIMENTS:
            continue
        field = f"experiments of {name} at {length} tokens"
        try:
            entries = read_list(lists, (name,), length, experiment)
            values = {varied_value(entry.example, experiment) for entry in entries}
            check_slots(entries, entries[-1].slot + 1, len(values), field)
        except UserError as error:
            findings.append(_list_finding(field, error))
    return findings


def _list_finding(field: str, error: UserError) -> Finding:
    return Finding("lists", "", 0, field, "against the rules", "slots without gaps, values in round-robin", str(error))


def _check_sources(digests: Sequence[Digest]) -> list[Finding]:
    """Every None variant is its source and an option E, and differs in nothing else."""
    findings = []
    by_qid = {digest.example.qid: digest for digest in digests}
    for digest in digests:
        example = digest.example
        if not example.config.get("none_option"):
            continue
        source_qid = example.config.get("source_qid")
        source = by_qid.get(str(source_qid))
        if source is None:
            finding = Finding(
                "None variants", example.qid, example.line, "config.source_qid", str(source_qid), "a qid of this file"
            )
            findings.append(finding)
            continue
        findings += [
            Finding(
                "None variants",
                example.qid,
                example.line,
                field,
                "not that of its source",
                "only option E differs",
                f"the source is line {source.example.line} ({source.example.qid[:16]})",
            )
            for field in _differences(digest, source)
        ]
    return findings


def _differences(variant: Digest, source: Digest) -> list[str]:
    ours, theirs = variant.example, source.example
    same = {
        # How a prompt of unknown layout shows its options is unknown, too, so nothing can be taken out of it.
        "user_prompt": variant.graph is None or variant.without_none == source.prompts,
        "answer": ours.answer == theirs.answer,
        "options": (ours.options or ())[:-1] == (theirs.options or ()),
    }
    keys = (set(ours.config) | set(theirs.config)) - OWN_TO_NONE - {"source_position", "target_position"}
    keys -= {"path_start", "path_end"}  # places move by the length of the option's line
    same |= {f"config.{key}": ours.config.get(key) == theirs.config.get(key) for key in sorted(keys)}
    return [field for field, equal in same.items() if not equal]
