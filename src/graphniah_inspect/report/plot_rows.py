"""A row a run: rates as points with intervals, and shares as stacked bars."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from graphniah_inspect.report.plot_lines import Dot
from graphniah_inspect.report.plot_style import GREY, legend_below, new_figure, percent_axis, wrap

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_ROW = 0.42
_CHARS = 56


@dataclass(frozen=True)
class Mark:
    """One kind of point, drawn in every row; `dots[i]` belongs to row i, None where there is none.

    Of a dot, `y` is the share and `x` is not used.
    """

    label: str
    style: dict[str, Any]
    dots: Sequence[Dot | None]


@dataclass(frozen=True)
class Stack:
    """One kind of part of every bar: its share by row, and the anchors of those numbers."""

    label: str
    color: str
    hatch: str
    shares: Sequence[float]
    anchors: Sequence[str]


def draw_marks(rows: Sequence[str], marks: Sequence[Mark], xlabel: str, chance: Sequence[float | None]) -> "Figure":
    """Points with intervals, a row a run; a dashed line in each row where guessing stands."""
    figure, (axes,) = new_figure(_height(rows, len(marks) + 1))
    places = _places(rows)
    handles: dict[str, Any] = {}
    for number, mark in enumerate(marks):
        offset = (number - (len(marks) - 1) / 2) * 0.22
        found = [(row, dot) for row, dot in enumerate(mark.dots) if dot is not None and dot.y == dot.y]
        x, y = [dot.y for _, dot in found], [places[row] + offset for row, _ in found]
        error = [[max(0, dot.y - dot.low) for _, dot in found], [max(0, dot.high - dot.y) for _, dot in found]]
        axes.errorbar(x, y, xerr=error, fmt="none", ecolor=mark.style["color"], elinewidth=0.8, capsize=1.5)
        (drawn,) = axes.plot(x, y, linestyle="", **{k: v for k, v in mark.style.items() if k != "linestyle"})
        axes.scatter(x, y, s=60, alpha=0, zorder=5, urls=[f"#{dot.anchor}" for _, dot in found])
        handles[mark.label] = drawn
    known = [(row, share) for row, share in enumerate(chance) if share is not None]
    if known:
        handles["guessing"] = axes.vlines(
            [share for _, share in known],
            [places[row] - 0.25 for row, _ in known],
            [places[row] + 0.35 for row, _ in known],
            colors=GREY,
            linestyles=(0, (2, 1.5)),
            linewidth=1,
            zorder=1,
        )
    percent_axis(axes, "x")
    _rows(axes, rows)
    axes.set_xlabel(xlabel)
    legend_below(figure, list(handles.values()), list(handles))
    return figure


def draw_stacks(rows: Sequence[str], stacks: Sequence[Stack], xlabel: str) -> "Figure":
    """Bars from 0 to 100 %, a row a run; the label of a row stands above its bar."""
    figure, (axes,) = new_figure(_height(rows, len(stacks)))
    left = [0.0] * len(rows)
    handles: dict[str, Any] = {}
    for stack in stacks:
        bars = axes.barh(
            _places(rows),
            stack.shares,
            left=left,
            height=0.5,
            color=stack.color,
            hatch=stack.hatch,
            edgecolor="white",
            linewidth=0.5,
        )
        for bar, anchor in zip(bars, stack.anchors, strict=True):
            bar.set_url(f"#{anchor}")
        left = [start + share for start, share in zip(left, stack.shares, strict=True)]
        handles[stack.label] = bars[0]
    percent_axis(axes, "x")
    axes.set_xlim(0, 1.0)
    _rows(axes, rows)
    axes.set_xlabel(xlabel)
    legend_below(figure, list(handles.values()), list(handles))
    return figure


def _height(rows: Sequence[str], entries: int) -> float:
    return _ROW * (_places(rows)[-1] + 1) + 0.17 * entries + 0.75


def _places(rows: Sequence[str]) -> list[float]:
    """Where the rows stand, with room above each for the lines of its name."""
    places: list[float] = []
    for row in rows:
        lines = wrap(row, _CHARS).count("\n")
        places.append((places[-1] + 1 if places else 0.0) + 0.33 * lines)
    return places


def _rows(axes: "Axes", rows: Sequence[str]) -> None:
    """Names above the rows, where long ones have room; first row on top."""
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    for place, row in zip(_places(rows), rows, strict=True):
        name = axes.annotate(
            wrap(row, _CHARS), (0.0, place - 0.3), xycoords=("axes fraction", "data"), va="bottom", fontsize=7.5
        )
        name.set_in_layout(False)
    axes.set_ylim(_places(rows)[-1] + 0.45, -0.4 - 0.33 * (wrap(rows[0], _CHARS).count("\n") + 1))
