"""Accuracy against what an experiment varies: value, context length, reasoning effort, prompt tokens, position."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphniah_inspect.report.frame import EFFORTS, Run
from graphniah_inspect.report.labels import label_runs
from graphniah_inspect.report.line_sections import Cell, Chart, line_sections
from graphniah_inspect.report.measure import both, condition
from graphniah_inspect.report.sample_rows import POSITIONS
from graphniah_inspect.report.section import Family, Section, in_order

if TYPE_CHECKING:
    import pandas as pd

AXES = {
    "question-format": "question format",
    "question-depth": "papers on the path from source to target",
    "node-count": "papers in the source's component",
    "distractor-type": "distracting text",
}
PLACES = {
    "source_position": "source paper",
    "target_position": "target paper",
    "path_start": "first paper of the path",
    "path_end": "last paper of the path",
}
BARS = "Bars are 95 % intervals: where two overlap widely, the difference may well be chance."
LENGTH = {"context_length", "slots_below", "subset"}
"""Conditions that go with a context length: the paper takes fewer examples of the longer ones."""

_BINS = 5
_LEAST_IN_BIN = 10
_SAME_LENGTH = 1.02


def sections(family: Family) -> list[Section]:
    """Accuracy by what the experiment varies, as far as it varies anything."""
    return [
        *_by_value(family),
        *_across(family, "context_length"),
        *_across(family, "reasoning_effort"),
        *_by_value(family, "reachability_task"),
    ]


def more_sections(family: Family) -> list[Section]:
    """What an experiment does not vary on purpose: the prompt's length, and where things stand in it."""
    return [*_by_tokens(family), *_by_position(family)]


def _by_value(family: Family, key: str = "value") -> list[Section]:
    """By the varied value, or by question format where an experiment mixes formats but varies something else."""
    values = in_order(family.frame[key])
    if len(values) < 2 or (key == "reachability_task" and family.experiment == "question-format"):
        return []
    cells = [
        Cell(run, label, number, str(value), part[part[key] == value], condition(f"metadata.{key}", value))
        for run, label, part in _parts(family)
        for number, value in enumerate(values)
        if (part[key] == value).any()
    ]
    ticks = [(float(number), tick(value)) for number, value in enumerate(values)]
    axis = AXES.get("question-format" if key == "reachability_task" else family.experiment, "value")
    text = (
        f"Share of correct answers by {axis}, a line a run. {BARS} The dashed steps show what guessing would give: "
        "half of yes-no, a quarter of multiple-choice (a fifth with a None option), next to nothing of counting "
        "questions, in the mixture that is asked at each value."
    )
    slug = f"{family.slug}-by-{'format' if key == 'reachability_task' else key}"
    return line_sections(slug, f"Accuracy by {axis}", text, [Chart(axis, ticks, cells)])


def _across(family: Family, varied: str) -> list[Section]:
    """Runs that differ in one setting only become the points of one line; nothing is averaged."""
    hidden = LENGTH if varied == "context_length" else {varied}
    held = [run.context_length if varied == "context_length" else run.effort for run in family.runs]
    labels = _joined(family, hidden, held)
    values = [value for value in dict.fromkeys(held) if value is not None]
    if len(values) < 2:
        return []
    if varied == "context_length":
        values.sort()
        title, axis = "Accuracy by context length", "context length in tokens"
        texts = [tokens(int(value)) for value in values]
    else:
        values.sort(key=lambda value: EFFORTS.index(str(value)) if str(value) in EFFORTS else len(EFFORTS))
        title, axis = "Accuracy by reasoning effort", "reasoning effort"
        texts = [str(value) for value in values]
    cells = [
        Cell(run, label, float(values.index(value)), texts[values.index(value)], family.part(run), "")
        for run, label, value in zip(family.runs, labels, held, strict=True)
        if value is not None
    ]
    text = f"Share of correct answers by {axis}. A line joins runs that differ in nothing else. {BARS}"
    ticks = [(float(number), name) for number, name in enumerate(texts)]
    slug = f"{family.slug}-by-{varied.replace('_', '-')}"
    return line_sections(slug, title, text, [Chart(axis, ticks, cells)])


def _by_tokens(family: Family) -> list[Section]:
    import pandas as pd

    known = pd.to_numeric(family.frame["prompt_tokens"]).dropna()
    if known.empty or known.max() <= known.min() * _SAME_LENGTH:
        return []
    cells = []
    lengths = [run.context_length for run in family.runs]
    labels = _joined(family, LENGTH, lengths)
    most_bins = _BINS if len(set(lengths)) == 1 else 1
    for run, label in zip(family.runs, labels, strict=True):
        part = family.part(run)
        sizes = pd.to_numeric(part["prompt_tokens"])
        for low, high in _bins(sizes.dropna(), most_bins):
            chosen = part[(sizes >= low) & (sizes <= high)]
            where = both(
                condition("metadata.prompt_tokens", low, ">="), condition("metadata.prompt_tokens", high, "<=")
            )
            middle = float(chosen["prompt_tokens"].astype(float).median())
            cells.append(Cell(run, label, middle, f"{low:,.0f} to {high:,.0f}", chosen, where))
    ticks = _token_ticks(float(known.min()), float(known.max()))
    text = (
        "Share of correct answers by the length of the prompt, as counted in the data. Each run's samples are split "
        f"into groups of equal size; a point stands at its group's median. {BARS}"
    )
    title = "Accuracy by prompt tokens"
    chart = Chart("prompt tokens", ticks, cells)
    return line_sections(f"{family.slug}-by-tokens", title, text, [chart], spread=0)


def _by_position(family: Family) -> list[Section]:
    charts = []
    for name in POSITIONS:
        places = family.frame[name].astype(float)
        if places.dropna().empty:
            continue
        cells = []
        for run, label, part in _parts(family):
            own = part[name].astype(float)
            for number in range(_BINS):
                low, high = number / _BINS, (number + 1) / _BINS
                inside = (own >= low) & ((own < high) if number < _BINS - 1 else (own <= high))
                last = "<" if number < _BINS - 1 else "<="
                where = both(condition(f"metadata.{name}", low, ">="), condition(f"metadata.{name}", high, last))
                if inside.any():
                    at = f"{low * 100:.0f} to {high * 100:.0f} %"
                    cells.append(Cell(run, label, number + 0.5, at, part[inside], where))
        ticks = ((0.0, "start"), (_BINS / 2, "middle"), (float(_BINS), "end"))
        charts.append(Chart(PLACES[name], ticks, cells))
    if not charts:
        return []
    text = (
        "Share of correct answers by where in the prompt each of these stands, from its start to its end, in fifths. "
        f"{BARS}"
    )
    slug, title = f"{family.slug}-by-position", "Accuracy by position in the prompt"
    return line_sections(slug, title, text, charts, step=1, most_lines=4)


def _parts(family: Family) -> list[tuple[Run, str, "pd.DataFrame"]]:
    return [(run, label, family.part(run)) for run, label in zip(family.runs, family.labels, strict=True)]


def _joined(family: Family, hidden: set[str], held: Sequence[Any]) -> list[str]:
    """Names under which runs that differ in `hidden` alone become one line, but never two runs one point of it."""
    labels = label_runs(family.runs, ignoring=hidden)
    where = list(zip(labels, held, strict=True))
    return [
        label if where.count(place) == 1 else f"{label} [{Path(run.log).name}]"
        for run, label, place in zip(family.runs, labels, where, strict=True)
    ]


def _bins(sizes: "pd.Series[float]", most: int) -> list[tuple[float, float]]:
    """Bounds, both included, of at most so many groups of equal size; one where all sizes are much the same."""
    if sizes.empty:
        return []
    ordered = sorted(sizes.tolist())
    count = 1 if ordered[-1] <= ordered[0] * _SAME_LENGTH else max(1, min(most, len(ordered) // _LEAST_IN_BIN))
    edges = [ordered[min(len(ordered) - 1, round(number * len(ordered) / count))] for number in range(count)]
    starts = sorted(set(edges))
    return [
        (start, ordered[-1] if after is None else max(size for size in ordered if size < after))
        for start, after in zip(starts, [*starts[1:], None], strict=True)
    ]


def _token_ticks(low: float, high: float) -> list[tuple[float, str]]:
    from matplotlib.ticker import MaxNLocator

    ticks = [float(at) for at in MaxNLocator(4, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high)]
    return [(at, tokens(at)) for at in ticks]


def tokens(count: float) -> str:
    """`200k`, `7.5k`, `800`."""
    return f"{count / 1000:g}k" if count >= 1000 else f"{count:g}"


def tick(value: Any) -> str:
    """A value under an axis, broken so that neighbours do not touch."""
    import textwrap

    return "\n".join(textwrap.wrap(str(value), 12, max_lines=3, placeholder="...")) or str(value)
