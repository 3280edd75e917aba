"""How often each option was chosen, beside how often it was right: a preference for a letter shows here."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphniah_inspect.report.measure import Show, both, condition, ids_filter
from graphniah_inspect.report.plot_style import legend_below, new_figure, wrap
from graphniah_inspect.report.section import Family, Number, Section

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_NOTHING = "none read"


@dataclass(frozen=True)
class _Strip:
    label: str
    names: Sequence[str]
    chosen: Sequence[int]
    right: Sequence[int]
    color: str
    anchors: Sequence[str]


def sections(family: Family) -> list[Section]:
    """A section a figure, if anything was multiple choice."""
    return [section for piece in family.pieces(6) for section in _section(piece)]


def _section(family: Family) -> list[Section]:
    asked = family.frame[family.frame["reachability_task"] == "multiple-choice"]
    if asked.empty:
        return []
    slug = family.name("options")
    numbers: list[Number] = []
    strips = []
    for run, label, style in zip(family.runs, family.labels, family.looks, strict=True):
        part = asked[(asked["run"] == run.id) & asked["score"].notna()]
        if part.empty:
            continue
        offered = int(part["options"].fillna(4).max())
        names = [chr(ord("A") + number) for number in range(offered)]
        chosen, right, anchors = [], [], []
        for name in names:
            anchors.append(f"{slug}-{len(numbers)}")
            chosen.append(int((part["answer"] == name).sum()))
            right.append(int((part["target"] == name).sum()))
            where = both(condition("metadata.reachability_task", "multiple-choice"), condition("answer", name))
            at = f"option {name}, right {right[-1]} times"
            show = Show(run.log, where) if chosen[-1] else None
            numbers.append(Number(run.id, label, at, "times chosen", chosen[-1], len(part), unit="", show=show))
        anchors.append(f"{slug}-{len(numbers)}")
        none = part[~part["answer"].isin(names)]  # rule answer-block takes any text for an answer
        chosen.append(len(none))
        show = Show(run.log, ids_filter(none["id"])) if len(none) else None
        numbers.append(Number(run.id, label, "no option read", "responses", len(none), len(part), unit="", show=show))
        shown = [f"{name}\n(None)" if name == "E" and family.task == "none_option" else name for name in names]
        strips.append(_Strip(label, [*shown, _NOTHING], chosen, [*right, 0], style["color"], anchors))
    if not strips:
        return []
    return [
        Section(
            slug,
            "Which options were chosen" + (f" ({family.piece})" if family.piece else ""),
            "Multiple choice: how often a run chose each option (bars) and how often that option was the right one "
            "(black lines). Bars that tower over their lines are a preference for a letter. An option E (None) is "
            "never right.",
            numbers,
            lambda: _draw(strips),
        )
    ]


def _draw(strips: Sequence[_Strip]) -> "Figure":
    figure, axes = new_figure(sum(1 + 0.14 * wrap(s.label).count("\n") for s in strips) + 0.5, len(strips), 1)
    top = max(max([*strip.chosen, *strip.right]) for strip in strips)
    handles: dict[str, object] = {}
    for one, strip in zip(axes, strips, strict=True):
        places = range(len(strip.names))
        bars = one.bar(places, strip.chosen, width=0.6, color=strip.color, alpha=0.75)
        for bar, anchor in zip(bars, strip.anchors, strict=True):
            bar.set_url(f"#{anchor}")
        lines = one.hlines(
            strip.right[:-1], [p - 0.38 for p in places][:-1], [p + 0.38 for p in places][:-1], "black", linewidth=1.4
        )
        one.set_xticks(list(places), strip.names)
        one.set_ylim(0, top * 1.08 + 0.5)
        one.set_title(wrap(strip.label), loc="left", fontsize=7.5, pad=3)
        one.locator_params(axis="y", nbins=3, integer=True)
        one.yaxis.grid(True)
        handles = {"times chosen": bars[0], "times it was the right one": lines}
    figure.supylabel("responses", fontsize=8)
    legend_below(figure, list(handles.values()), list(handles))
    return figure
