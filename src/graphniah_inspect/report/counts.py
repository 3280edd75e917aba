"""Counting questions: the answered number beside the true one, and how the error grows with the size."""

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from graphniah_inspect.report.measure import Show, both, condition
from graphniah_inspect.report.plot_style import GREY, LABEL_CHARS, legend_below, new_figure, wrap
from graphniah_inspect.report.section import Family, Number, Section, in_order

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

_CLOSE = 0.1
_MOST_SIZES = 8
_REACH = 20
_SIZE_GROUPS = 4
_IS_COUNTING = condition("metadata.reachability_task", "counting")

Strip = tuple[str, dict[str, Any], "pd.DataFrame"]


def sections(family: Family) -> list[Section]:
    """Answered against true, and error against size, if anything was counted."""
    return [section for piece in family.pieces(6) for section in _sections(piece)]


def _sections(family: Family) -> list[Section]:
    counted = family.frame[family.frame["count_error"].notna()].copy()
    if counted.empty:
        return []
    counted["true"] = counted["target"].astype(float)
    counted["answered"] = counted["true"] + counted["count_error"]
    counted["relative"] = counted["count_error"].abs() / counted["true"].clip(lower=1)
    strips = [
        (label, {**style, "run": run}, counted[counted["run"] == run.id])
        for run, label, style in zip(family.runs, family.labels, family.looks, strict=True)
        if (counted["run"] == run.id).any()
    ]
    return [_answered(family, strips), _by_size(family, strips)]


def _answered(family: Family, strips: Sequence[Strip]) -> Section:
    slug = family.name("counts")
    numbers: list[Number] = []
    for label, style, part in strips:
        run = style["run"]
        asked = family.part(run)
        asked = asked[(asked["reachability_task"] == "counting") & asked["score"].notna()]
        at = f"{len(part)} of {len(asked)} counts read"
        show = Show(run.log, _IS_COUNTING)
        size = part["count_error"].abs()
        for measure, value, unit in (
            ("median absolute error", float(size.median()), "papers"),
            ("mean absolute error", float(size.mean()), "papers"),
            ("median error (answered less true)", float(part["count_error"].median()), "papers"),
            ("within 10 % of the truth", float((part["relative"] <= _CLOSE).mean()), "share"),
        ):
            numbers.append(Number(run.id, label, at, measure, value, len(part), unit=unit, show=show))
    return Section(
        slug,
        "Counts answered against true counts",
        "A point a readable answer; on the diagonal it is exactly right, below it too low. Within the dotted lines it "
        "is less than 10 % off. Scales are logarithmic; answers too far off for them stand on the edge. Answers that "
        "were not read have no point; their number is in the table.",
        numbers,
        lambda: _draw_counts(strips, slug),
    )


def _by_size(family: Family, strips: Sequence[Strip]) -> Section:
    slug = family.name("count-error")
    numbers: list[Number] = []
    drawn: list[tuple[str, dict[str, Any], list[tuple[float, float, float, float, str]]]] = []
    by_nodes = all(part["component_node_count"].notna().all() for _, _, part in strips)
    for label, style, part in strips:
        run = style["run"]
        points = []
        for x, at, chosen, where in _size_groups(part, by_nodes):
            low, middle, high = (float(q) for q in np.percentile(chosen["relative"], [25, 50, 75]))
            points.append((x, middle, low, high, f"{slug}-{len(numbers)}"))
            numbers.append(
                Number(
                    run.id,
                    label,
                    at,
                    "median absolute error, share of the true count (interval: middle half of the answers)",
                    middle,
                    len(chosen),
                    low,
                    high,
                    show=Show(run.log, both(_IS_COUNTING, where)),
                )
            )
        drawn.append((label, style, points))
    size = "papers in the source's component" if by_nodes else "true count"
    return Section(
        slug,
        f"Error of counts by {size}",
        "How far off the readable counts were, in percent of the true count: the median, and bars from the best "
        "quarter of answers to the worst quarter. Lower is better.",
        numbers,
        lambda: _draw_error(drawn, size),
    )


def _size_groups(part: "pd.DataFrame", by_nodes: bool) -> list[tuple[float, str, "pd.DataFrame", str]]:
    """(position, words, samples, filter) by component size, or by groups of true counts of equal number."""
    if by_nodes and part["component_node_count"].nunique() <= _MOST_SIZES:
        return [
            (
                float(size),
                f"component of {size:g} papers",
                part[part["component_node_count"] == size],
                condition("metadata.component_node_count", size),
            )
            for size in in_order(part["component_node_count"])
        ]
    key, name = ("component_node_count", "component of") if by_nodes else ("true", "true count")
    ordered = part.sort_values([key, "id"], kind="stable")
    count = max(1, min(_SIZE_GROUPS, len(ordered) // 10))
    groups = [ordered.iloc[chunk] for chunk in np.array_split(np.arange(len(ordered)), count)]
    return [(float(g[key].median()), f"{name} {g[key].min():g} to {g[key].max():g}", g, _ids(g)) for g in groups]


def _ids(part: "pd.DataFrame") -> str:
    from graphniah_inspect.report.measure import ids_filter

    return ids_filter(part["id"])


def _draw_counts(strips: Sequence[Strip], slug: str) -> "Figure":
    columns = 2 if len(strips) > 1 else 1
    rows = -(-len(strips) // columns)
    figure, axes = new_figure(1.75 * rows + 0.35 if columns == 2 else 2.9, rows, columns, sharex=True, sharey=True)
    values = np.concatenate([part[["true", "answered"]].to_numpy(dtype=float).ravel() for _, _, part in strips])
    true = np.concatenate([part["true"].to_numpy(dtype=float) for _, _, part in strips]).clip(min=1)
    # Wild answers must not shrink the rest to a dot, and a logarithm has no place for zero: both stand on the edge.
    low = max(float(values[values > 0].min()) / 1.3, float(true.min()) / _REACH)
    high = min(float(values.max()) * 1.3, float(true.max()) * _REACH)
    handles: dict[str, Any] = {}
    for number, (one, (label, style, part)) in enumerate(zip(axes, strips, strict=False)):
        one.set_xscale("log")
        one.set_yscale("log")
        (equal,) = one.plot([low, high], [low, high], color=GREY, linewidth=0.8)
        for factor in (1 - _CLOSE, 1 + _CLOSE):
            (close,) = one.plot([low, high], [low * factor, high * factor], color=GREY, linewidth=0.6, linestyle=":")
        one.scatter(
            part["true"],
            part["answered"].clip(low, high),
            clip_on=False,
            s=7,
            alpha=0.55,
            linewidths=0,
            color=style["color"],
            marker=style["marker"],
            urls=[f"#{slug}-{4 * number}"] * len(part),
        )
        one.set_title(wrap(label, 26 if columns == 2 else LABEL_CHARS), fontsize=7, loc="left", pad=3)
        one.set_xlim(low, high)
        one.set_ylim(low, high)
        _plain_log_ticks(one, low, high)
        handles = {"exactly right": equal, "10 % off": close}
    for spare in axes[len(strips) :]:
        spare.set_visible(False)
    for one in axes[max(0, len(strips) - columns) : len(strips)]:
        one.set_xlabel("true count")
        one.tick_params(labelbottom=True)
    for one in axes[::columns]:
        one.set_ylabel("answered count")
    legend_below(figure, list(handles.values()), list(handles))
    return figure


def _plain_log_ticks(axes: Any, low: float, high: float) -> None:
    """1, 10, 100 over wide ranges; 50, 100, 200, ... over narrow ones; never powers."""
    from matplotlib.ticker import NullFormatter

    steps = (1.0,) if high / low > 100 else (1.0, 2.0, 5.0)
    ticks = [s * 10.0**e for e in range(-1, 19) for s in steps if low <= s * 10.0**e <= high]
    ticks = ticks[:: -(-len(ticks) // 4)] if len(ticks) > 1 else [np.ceil(low), np.floor(high)]
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_ticks(ticks, [f"{tick:,.0f}" if tick < 1e6 else f"{tick:.0e}" for tick in ticks])
        axis.set_minor_formatter(NullFormatter())
        axis.set_tick_params(which="minor", length=0)


def _told_apart(places: Sequence[float]) -> list[float]:
    """Those of the sorted places whose labels have room beside one another, the first always."""
    told: list[float] = []
    for place in places:
        if not told or place - told[-1] >= 0.09 * (places[-1] - places[0]):
            told.append(place)
    return told


def _draw_error(
    drawn: Sequence[tuple[str, dict[str, Any], list[tuple[float, float, float, float, str]]]], size: str
) -> "Figure":
    labels = [label for label, _, _ in drawn]
    figure, (axes,) = new_figure(1.9 + 0.17 * sum(wrap(label).count("\n") + 1 for label in labels))
    handles = {}
    places = sorted({x for _, _, points in drawn for x, *_ in points})
    step = min((b - a for a, b in pairwise(places)), default=1.0)
    for number, (label, style, points) in enumerate(drawn):
        offset = (number - (len(drawn) - 1) / 2) * step * 0.24 / max(1, len(drawn) - 1)
        x, y = [p[0] + offset for p in points], [p[1] * 100 for p in points]
        error = [[(p[1] - p[2]) * 100 for p in points], [(p[3] - p[1]) * 100 for p in points]]
        look = {name: value for name, value in style.items() if name != "run"}
        axes.errorbar(x, y, yerr=error, fmt="none", ecolor=style["color"], elinewidth=0.8, capsize=1.5)
        (handles[label],) = axes.plot(x, y, **look)
        axes.scatter(x, y, s=60, alpha=0, zorder=5, urls=[f"#{p[4]}" for p in points])
    axes.margins(y=0.1)
    axes.set_ylim(0, max(1, axes.get_ylim()[1]))
    axes.yaxis.grid(True)
    if len(places) <= _MOST_SIZES:
        told = _told_apart(places)
        axes.set_xticks(told, [f"{x:g}" for x in told])
    axes.set_xlabel(size)
    axes.set_ylabel("error, % of true count")
    legend_below(figure, list(handles.values()), list(handles))
    return figure
