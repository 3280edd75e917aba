"""GraphWalks: F1 and exact matches, by problem type, length band and size of the true answer."""

from graphniah_inspect.report.against import BARS, tick
from graphniah_inspect.report.line_sections import Cell, Chart, line_sections
from graphniah_inspect.report.measure import Show, both, condition, rate
from graphniah_inspect.report.plot_lines import Dot
from graphniah_inspect.report.plot_rows import Mark, draw_marks
from graphniah_inspect.report.responses import outcomes
from graphniah_inspect.report.section import Family, Number, Section, in_order

MEASURES = {"score": "F1", "exact": "exact match"}
_AXES = {
    "band": "length of the prompt",
    "truth_size_band": "nodes in the true answer",
    "depth": "depth of the search",
}
_SIZES = ("0", "1", "2-9", "10-99", "100-999", "1000+")
_BANDS = ("0-128k", "256k", "1m")
_TEXT = (
    "F1 weighs missing against surplus nodes and gives part credit; an exact match has every node and no other. "
    f"A response that could not be read counts as 0, unless the grader says otherwise. {BARS}"
)


def sections(family: Family) -> list[Section]:
    """Overall, by what the data has, and outcomes."""
    found = []
    for piece in family.pieces(16):
        found += [_overall(piece), outcomes(piece)]
    for key, axis in _AXES.items():
        found += _by(family, key, axis)
    return found


def _overall(family: Family) -> Section:
    slug = family.name("scores")
    numbers: list[Number] = []
    marks = []
    looks = ({"color": "#0072B2", "marker": "o"}, {"color": "#D55E00", "marker": "s"})
    for (measure, name), look in zip(MEASURES.items(), looks, strict=True):
        dots: list[Dot | None] = []
        for run, label in zip(family.runs, family.labels, strict=True):
            found = rate(family.part(run), measure)
            dots.append(Dot(0, found.mean, found.low, found.high, f"{slug}-{len(numbers)}"))
            show = Show(run.log, "")
            numbers.append(Number.of(found, name, run=run.id, series=label, at="all samples", show=show))
        marks.append(Mark(name, look, dots))
    rows = [f"{number.series}, n\u00a0=\u00a0{number.n}" for number in numbers[: len(family.runs)]]
    text = f"Mean F1 and share of exact matches of every run. {_TEXT}"
    return Section(
        slug,
        "F1 and exact matches of every run",
        text,
        numbers,
        lambda: draw_marks(rows, marks, "score", [None] * len(rows)),
    )


def _by(family: Family, key: str, axis: str) -> list[Section]:
    held = family.frame[family.frame[key].notna()]
    usual = _SIZES if key == "truth_size_band" else _BANDS
    values = sorted(in_order(held[key]), key=lambda value: usual.index(value) if value in usual else len(usual))
    types = in_order(held["problem_type"])
    if not values or (len(values) < 2 and len(types) < 2):
        return []
    charts = []
    for measure, title in MEASURES.items():
        cells = []
        for run, label in zip(family.runs, family.labels, strict=True):
            for kind in types:
                part = held[(held["run"] == run.id) & (held["problem_type"] == kind)]
                name = f"{label}, {kind}" if len(types) > 1 else label
                for number, value in enumerate(values):
                    chosen = part[part[key] == value]
                    if chosen.empty:
                        continue
                    is_kind = condition("metadata.problem_type", kind) if len(types) > 1 else ""
                    where = both(is_kind, condition(f"metadata.{key}", value))
                    cells.append(Cell(run, name, float(number), str(value), chosen, where))
        ticks = [(float(number), tick(value)) for number, value in enumerate(values)]
        charts.append(Chart(axis, ticks, cells, measure, title))
    slug = f"{family.slug}-by-{key.removesuffix('_band').replace('_', '-')}"
    return line_sections(slug, f"F1 and exact matches by {axis}", _TEXT, charts, ylabel="score")
