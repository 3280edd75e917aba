"""From the samples behind points to sections with a figure of lines, in as many figures as the lines need."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from graphniah_inspect.report.frame import Run
from graphniah_inspect.report.measure import Show, chance_of, rate
from graphniah_inspect.report.plot_lines import Dot, Line, Panel, draw_lines
from graphniah_inspect.report.plot_style import series_styles
from graphniah_inspect.report.section import Number, Section

if TYPE_CHECKING:
    import pandas as pd

MOST_LINES = 8


@dataclass(frozen=True)
class Cell:
    """Samples of one run that make one point."""

    run: Run
    series: str
    x: float
    at: str
    part: "pd.DataFrame"
    filter: str


@dataclass(frozen=True)
class Chart:
    """One pair of axes: what runs along it, its ticks, its points, and the column that is averaged.

    Attributes:
        title: Above the axes, where a figure has charts of several measures.
    """

    xlabel: str
    ticks: Sequence[tuple[float, str]]
    cells: Sequence[Cell]
    measure: str = "score"
    title: str = ""


def line_sections(
    slug: str,
    title: str,
    text: str,
    charts: Sequence[Chart],
    *,
    ylabel: str = "correct answers",
    spread: float = 0.24,
    step: float | None = None,
    most_lines: int = MOST_LINES,
) -> list[Section]:
    """A section a figure, each with at most `most_lines` lines.

    Args:
        slug: Name of the figure.
        title: Heading.
        text: How to read it.
        charts: Side by side in one figure.
        ylabel: What the vertical axis shows.
        spread: See `Panel`; 0 for a continuous axis, where guessing is not shown either.
        step: See `Panel`.
        most_lines: How many lines a figure can take.
    """
    models = {cell.series: cell.run.model for chart in charts for cell in chart.cells}
    names = list(models)
    styles = dict(zip(names, series_styles(list(models.values()), names), strict=True))
    chunks = [names[start : start + most_lines] for start in range(0, len(names), most_lines)]
    found = []
    for number, chunk in enumerate(chunks, 1):
        alone = len(chunks) == 1
        own_slug = slug if alone else f"{slug}-{number}"
        own_title = title if alone else f"{title} ({number} of {len(chunks)})"
        looks = {name: styles[name] for name in chunk}
        found.append(_section(own_slug, own_title, text, charts, looks, ylabel, spread, step))
    return found


def _section(
    slug: str,
    title: str,
    text: str,
    charts: Sequence[Chart],
    looks: Mapping[str, dict[str, Any]],
    ylabel: str,
    spread: float,
    step: float | None,
) -> Section:
    """The charts with the lines of `looks` only."""
    numbers: list[Number] = []
    panels: list[Panel] = []
    several = len({chart.xlabel for chart in charts}) > 1
    for chart in charts:
        dots: dict[str, list[Dot]] = {name: [] for name in looks}
        for cell in chart.cells:
            if cell.series not in looks:
                continue
            found = rate(cell.part, chart.measure)
            dots[cell.series].append(Dot(cell.x, found.mean, found.low, found.high, f"{slug}-{len(numbers)}"))
            at = f"{chart.xlabel}: {cell.at}" if several else cell.at
            show = Show(cell.run.log, cell.filter)
            measure = chart.title or "accuracy"
            numbers.append(Number.of(found, measure, run=cell.run.id, series=cell.series, at=at, show=show))
        lines = [Line(name, looks[name], dots[name]) for name in looks if dots[name]]
        chance = _chance(chart.cells) if spread else ()
        panels.append(Panel(lines, chart.xlabel, chart.ticks, chance, spread, step, chart.title))
    low, high = min(number.n for number in numbers), max(number.n for number in numbers)
    size = f"{low} samples a point" if low == high else f"{low} to {high} samples a point"
    return Section(slug, title, text, numbers, lambda: draw_lines(panels, ylabel, size))


def _chance(cells: Sequence[Cell]) -> list[tuple[float, float]]:
    """What guessing gives at every position, over the samples that any run has there."""
    import pandas as pd

    known = []
    for x in sorted({cell.x for cell in cells}):
        parts = [cell.part[["id", "chance"]] for cell in cells if cell.x == x]
        share = chance_of(pd.concat(parts))
        if share is not None:
            known.append((x, share))
    return known
