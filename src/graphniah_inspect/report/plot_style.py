"""How figures look and how they are saved: one paper column, 8 point, colour-blind safe, the same bytes every time."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH = 3.3
"""Inches; one column of a two-column paper."""

# Okabe and Ito's palette (Color Universal Design, 2008) without its yellow, too light for lines on white.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
DASHES: tuple[Any, ...] = ("-", (0, (4, 1.5)), (0, (1, 1.2)), (0, (4, 1, 1, 1)))
GREY = "#777777"
LABEL_CHARS = 46

_RC: dict[str, Any] = {
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.labelsize": 8,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "legend.fontsize": 7.5,
    "legend.frameon": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "lines.linewidth": 1.2,
    "lines.markersize": 4.5,
    "grid.linewidth": 0.4,
    "grid.color": "#dddddd",
    "axes.axisbelow": True,
    "hatch.linewidth": 0.5,
    # Names come from logs: a dollar sign is no formula.
    "text.parse_math": False,
    "svg.fonttype": "path",
}


@contextmanager
def style(salt: str = "graphniah") -> Iterator[None]:
    """Settings under which figures are drawn and saved; `salt` makes the ids within an SVG reproducible."""
    import matplotlib as mpl

    settings: Any = {**_RC, "svg.hashsalt": salt}
    with mpl.rc_context(settings):
        yield


def new_figure(height: float, rows: int = 1, columns: int = 1, **options: Any) -> "tuple[Figure, list[Axes]]":
    """A figure of one column's width and its axes, row by row; no global state of pyplot is touched."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, height), dpi=200, layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False, **options)
    return figure, [one for row in axes for one in row]


def save(figure: "Figure", folder: Path, name: str) -> str:
    """Write `name.png` and `name.svg`; returns the SVG's text, to be put into a page."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    path = folder / f"{name}.svg"
    with style(name):
        raster: Any = FigureCanvasAgg(figure)
        raster.print_png(str(folder / f"{name}.png"), metadata={"Software": None})
        # The layout is the costly part, and is settled now.
        figure.set_layout_engine("none")
        vector: Any = FigureCanvasSVG(figure)
        vector.print_svg(str(path), metadata={"Date": None, "Creator": None})
    return path.read_text(encoding="utf-8")


def wrap(label: str, width: int = LABEL_CHARS) -> str:
    """A label in lines that fit beside or below a figure."""
    import textwrap

    return "\n".join(textwrap.wrap(label, width, break_on_hyphens=False, max_lines=3, placeholder=" ...") or [label])


def series_styles(models: Sequence[str], labels: Sequence[str]) -> list[dict[str, Any]]:
    """Colour by model, marker and dashes by variant of it: told apart in grey, and alike across figures."""
    known = list(dict.fromkeys(models))
    styles = []
    for index, model in enumerate(models):
        number = known.index(model)
        variant = list(dict.fromkeys(label for m, label in zip(models, labels, strict=True) if m == model)).index(
            labels[index]
        )
        styles.append(
            {
                "color": COLORS[number % len(COLORS)],
                "marker": MARKERS[(number + 2 * variant) % len(MARKERS)],
                "linestyle": DASHES[(variant + number // len(COLORS)) % len(DASHES)],
            }
        )
    return styles


def percent_axis(axes: "Axes", which: str = "y") -> None:
    """Shares 0..1 shown as 0 to 100 %, with a grid."""
    axis = getattr(axes, f"{which}axis")
    getattr(axes, f"set_{which}lim")(-0.03, 1.03)
    getattr(axes, f"set_{which}ticks")([0, 0.25, 0.5, 0.75, 1], ["0", "25", "50", "75", "100 %"])
    axis.grid(True)


def legend_below(figure: "Figure", handles: Sequence[Any], labels: Sequence[str], note: str | None = None) -> None:
    """Legend under the figure: two columns of short labels, or one of long ones; a note stands above."""
    if handles:
        columns = 2 if max(len(label) for label in labels) <= 22 else 1
        wrapped = [wrap(label) for label in labels]
        legend = figure.legend(
            handles, wrapped, loc="outside lower center", ncols=columns, handlelength=2.6, columnspacing=1.2, title=note
        )
        legend.get_title().set_fontsize(7)
