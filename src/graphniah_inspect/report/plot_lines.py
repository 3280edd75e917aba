"""Accuracy against something: a line a run, 95 % intervals, and what guessing would give."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from graphniah_inspect.report.plot_style import GREY, legend_below, new_figure, percent_axis, wrap

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_TICKS_IN_HALF = 4


@dataclass(frozen=True)
class Dot:
    """A point: where, how high, between what, and the anchor of its number in the page."""

    x: float
    y: float
    low: float
    high: float
    anchor: str


@dataclass(frozen=True)
class Line:
    """The points of one run."""

    label: str
    style: dict[str, Any]
    dots: Sequence[Dot]


@dataclass(frozen=True)
class Panel:
    """One pair of axes.

    Attributes:
        ticks: Positions and texts of the horizontal axis.
        chance: Position -> share that guessing would give.
        spread: Width over which the runs' points at one position are spread, so that they do not hide each other.
        step: Distance between neighbouring positions, where that is not the distance between ticks.
    """

    lines: Sequence[Line]
    xlabel: str
    ticks: Sequence[tuple[float, str]]
    chance: Sequence[tuple[float, float]] = ()
    spread: float = 0.24
    step: float | None = None
    title: str = ""

    @property
    def width(self) -> float:
        """Distance between neighbouring positions."""
        between = [b - a for (a, _), (b, _) in zip(self.ticks, self.ticks[1:], strict=False)]
        return self.step or min(between, default=1.0)


def draw_lines(panels: Sequence[Panel], ylabel: str = "correct answers", note: str | None = None) -> "Figure":
    """One panel, or several in two columns, over one legend; the note tells the number of samples."""
    columns = 2 if len(panels) > 1 and max(len(panel.ticks) for panel in panels) <= _TICKS_IN_HALF else 1
    rows = -(-len(panels) // columns)
    labels = list(dict.fromkeys(line.label for panel in panels for line in panel.lines))
    below = 0.17 * sum(wrap(label).count("\n") + 1 for label in labels) + (0.35 if note else 0.2)
    height = (1.9 if rows == 1 else 1.45) * rows
    figure, axes = new_figure(height + below, rows, columns, sharey=True)
    handles: dict[str, Any] = {}
    for number, (one, panel) in enumerate(zip(axes, panels, strict=False)):
        _draw(one, panel, handles)
        one.set_xlabel(wrap(panel.xlabel, 60 // columns - 10))
        if number % columns == 0:
            one.set_ylabel(ylabel)
    for spare in axes[len(panels) :]:
        spare.set_visible(False)
    legend_below(figure, list(handles.values()), list(handles), note)
    return figure


def _draw(axes: "Axes", panel: Panel, handles: dict[str, Any]) -> None:
    step = panel.width
    percent_axis(axes)
    for number, line in enumerate(panel.lines):
        offset = (number - (len(panel.lines) - 1) / 2) * step * panel.spread / max(1, len(panel.lines) - 1)
        dots = [dot for dot in line.dots if dot.y == dot.y]
        x, y = [dot.x + offset for dot in dots], [dot.y for dot in dots]
        # Rounding may leave a bound of an extreme rate on its wrong side.
        error = [[max(0, dot.y - dot.low) for dot in dots], [max(0, dot.high - dot.y) for dot in dots]]
        color = line.style["color"]
        axes.errorbar(x, y, error, fmt="none", ecolor=color, elinewidth=0.8, capsize=1.5)
        (drawn,) = axes.plot(x, y, **line.style)
        # Invisible, but in an SVG each is a link to its number.
        axes.scatter(x, y, s=60, alpha=0, zorder=5, urls=[f"#{dot.anchor}" for dot in dots])
        handles.setdefault(line.label, drawn)
    if panel.chance:
        half = step * 0.42
        segments = axes.hlines(
            [share for _, share in panel.chance],
            [x - half for x, _ in panel.chance],
            [x + half for x, _ in panel.chance],
            colors=GREY,
            linestyles=(0, (2, 1.5)),
            linewidth=1,
            zorder=1,
        )
        handles.setdefault("guessing", segments)
    positions = [x for x, _ in panel.ticks]
    axes.set_xticks(positions, [text for _, text in panel.ticks])
    margin = step * (0.5 if panel.step is None else 0.1)
    axes.set_xlim(min(positions) - margin, max(positions) + margin)
    if panel.title:
        axes.set_title(panel.title)
