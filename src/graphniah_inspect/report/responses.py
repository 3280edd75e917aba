"""What came back, a row a run: accuracy, yes and no apart, and what became of every response."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from graphniah_inspect.report.against import BARS
from graphniah_inspect.report.measure import Show, both, chance_of, condition, ids_filter, rate
from graphniah_inspect.report.plot_lines import Dot
from graphniah_inspect.report.plot_rows import Mark, Stack, draw_marks, draw_stacks
from graphniah_inspect.report.sample_rows import OUTCOMES
from graphniah_inspect.report.section import Family, Number, Section

if TYPE_CHECKING:
    import pandas as pd

_COLORS = {
    "right": ("#009E73", ""),
    "wrong": ("#D55E00", ""),
    "invalid_response_format": ("#E69F00", "////"),
    "no_response": ("#F0E442", "...."),
    "truncated": ("#56B4E9", "\\\\\\\\"),
    "context_overflow": ("#0072B2", ""),
    "refusal": ("#CC79A7", "xxxx"),
    "error": ("#000000", ""),
    "not_scored": ("#999999", ""),
}


def sections(family: Family) -> list[Section]:
    """Accuracy, yes and no, and outcomes."""
    found = []
    for piece in family.pieces(16):
        found += [_overall(piece), *_yes_no(piece), outcomes(piece)]
    return found


def _overall(family: Family) -> Section:
    numbers: list[Number] = []
    dots: list[Dot | None] = []
    slug = family.name("accuracy")
    for run, label in zip(family.runs, family.labels, strict=True):
        found = rate(family.part(run))
        dots.append(Dot(0, found.mean, found.low, found.high, f"{slug}-{len(numbers)}"))
        numbers.append(Number.of(found, run=run.id, series=label, at="all samples", show=Show(run.log, "")))
    rows = [f"{number.series}, n\u00a0=\u00a0{number.n}" for number in numbers]
    chance = [chance_of(family.part(run)) for run in family.runs]
    style = {"color": "#0072B2", "marker": "o"}
    return Section(
        slug,
        "Accuracy of every run",
        "Share of correct answers over all samples of a run. A response that could not be read, was cut off or was "
        f"refused counts as wrong; a sample that ended in an error is left out. {BARS}",
        numbers,
        lambda: draw_marks(rows, [Mark("accuracy", style, dots)], "correct answers", chance),
    )


def _yes_no(family: Family) -> list[Section]:
    asked = family.frame[family.frame["reachability_task"] == "yes-no"]
    if asked.empty:
        return []
    slug = family.name("yes-no")
    numbers: list[Number] = []
    marks = []
    is_yes_no = condition("metadata.reachability_task", "yes-no")
    runs = [(r, label) for r, label in zip(family.runs, family.labels, strict=True) if (asked["run"] == r.id).any()]
    for truth, style in (("YES", {"color": "#0072B2", "marker": "o"}), ("NO", {"color": "#D55E00", "marker": "s"})):
        dots: list[Dot | None] = []
        for run, label in runs:
            part = asked[(asked["run"] == run.id) & (asked["target"].str.upper() == truth)]
            found = rate(part)
            dots.append(Dot(0, found.mean, found.low, found.high, f"{slug}-{len(numbers)}"))
            show = Show(run.log, both(is_yes_no, condition("target", truth)))
            at = f"true answer {truth}"
            numbers.append(Number.of(found, run=run.id, series=label, at=at, show=show))
        marks.append(Mark(f"true answer {truth}", style, dots))
    rows = [
        f"{label}, n\u00a0=\u00a0{yes.n}\u00a0+\u00a0{no.n}"
        for (_, label), yes, no in zip(runs, numbers[: len(runs)], numbers[len(runs) :], strict=True)
    ]
    for run, label in runs:
        own = asked[(asked["run"] == run.id) & asked["answer"].notna()]
        show = Show(run.log, both(is_yes_no, condition("answer", "YES")))
        share = float((own["answer"] == "YES").mean()) if len(own) else float("nan")
        measure = "share of read answers that say YES"
        numbers.append(Number(run.id, label, "yes-no questions", measure, share, len(own), show=show))
    return [
        Section(
            slug,
            "Yes and no apart",
            "Accuracy where the target is reachable (true answer YES) and where it is not (NO). A model that always "
            f"says the same is right on one side and wrong on the other; only both together mean anything. {BARS}",
            numbers,
            lambda: draw_marks(rows, marks, "correct answers", [0.5] * len(runs)),
        )
    ]


def outcomes(family: Family) -> Section:
    """What became of the responses; exact matches are right, of GraphWalks."""
    words = OUTCOMES | (
        {"right": "every node right", "wrong": "nodes missing or wrong"} if family.benchmark == "graphwalks" else {}
    )
    slug = family.name("outcomes")
    found = [name for name in OUTCOMES if (family.frame["outcome"] == name).any()]
    numbers: list[Number] = []
    anchors: dict[str, list[str]] = {name: [] for name in found}
    shares: dict[str, list[float]] = {name: [] for name in found}
    for run, label in zip(family.runs, family.labels, strict=True):
        part = family.part(run)
        for name in found:
            chosen = part[part["outcome"] == name]
            share = len(chosen) / len(part) if len(part) else 0.0
            shares[name].append(share)
            anchors[name].append(f"{slug}-{len(numbers)}")
            show = Show(run.log, _filter(run.score, name, chosen)) if len(chosen) else None
            at = f"{len(chosen)} of {len(part)} responses"
            numbers.append(Number(run.id, label, at, words[name], share, len(part), show=show))
    stacks = [Stack(words[name], *_COLORS[name], shares[name], anchors[name]) for name in found]
    rows = [
        f"{label}, n\u00a0=\u00a0{len(family.part(run))}" for run, label in zip(family.runs, family.labels, strict=True)
    ]
    return Section(
        slug,
        "What became of every response",
        "All responses of a run, epochs included, by what became of them. Only the first part is correct. Errors "
        "are no answers of the model: they are shown here and left out of accuracy, unlike everything between.",
        numbers,
        lambda: draw_stacks(rows, stacks, "responses"),
    )


def _filter(score: str, outcome: str, chosen: "pd.DataFrame") -> str:
    if outcome == "error":
        return "has_error"
    if outcome == "right":
        return condition(score, "C") if score.startswith("reachability") else condition(f"{score}.exact", 1)
    return ids_filter(chosen["id"])


def unread(outcomes: "Sequence[str] | pd.Series[str]") -> int:
    """How many responses were scored without an answer having been read."""
    return sum(outcome not in ("right", "wrong", "error", "not_scored") for outcome in outcomes)
