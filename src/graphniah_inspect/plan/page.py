"""A plan as text for people."""

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from graphniah_inspect.plan.estimate import LABELS
from graphniah_inspect.plan.prices import Prices

WAYS = {
    "usual": "as requests",
    "cached": "with a prompt cache that holds from epoch to epoch",
    "batch": "as a batch",
}


def page(figures: Mapping[str, Any], prices: Mapping[str, Prices], command: Sequence[str]) -> str:
    """Everything that is known of a run, in the order in which one asks."""
    parts = [samples(figures), prompts(figures), money(figures, prices), takes(figures)]
    return "\n\n".join(["\n".join(lines) for lines in parts if lines] + [f"Run it with\n  {shlex.join(command)}"])


def samples(figures: Mapping[str, Any]) -> list[str]:
    """What is asked."""
    held = figures["selection"]
    data = held.get("file") or ", ".join(file["name"] for file in held.get("files", []))
    revision = held.get("revision") or held.get("resolved_revision")
    lines = [
        f"{figures['task']}: {figures['samples']:,} samples x {figures['epochs']} = {figures['requests']:,} requests",
        f"  data: {held['dataset']}" + (f" at {revision}" if revision else "") + f" ({data})",
    ]
    for key, by in LABELS.items():
        if held.get(key):
            lines.append(f"  by {by}: " + ", ".join(f"{name}: {number}" for name, number in held[key].items()))
    if left_out := held.get("left_out"):
        lines.append(f"  left out by max_prompt_tokens: {left_out['count']}")
    return lines


def prompts(figures: Mapping[str, Any]) -> list[str]:
    """How long the prompts are, and whether they fit."""
    if not figures["prompt_tokens"]:
        why = "the context is left out" if figures["selection"].get("context") == "none" else "none are stored"
        cure = "" if "none are" not in why else "; for GraphWalks, -T min_tokens=0 counts them once"
        return [f"Prompt tokens: not known ({why}{cure})"]
    lines = [f"{'Prompt tokens by':24}{'mean':>12}{'largest':>12}{'sum':>16}"]
    for name, row in figures["prompt_tokens"].items():
        lines.append(f"  {name:22}{row['mean']:12,.0f}{row['max']:12,.0f}{row['sum']:16,.0f}")
        if row["counted"] < figures["samples"]:
            lines.append(f"    counted in {row['counted']:,} of {figures['samples']:,} samples only")
    if figures["too_long"] is not None:
        over = sum(figures["too_long"].values())
        room = f" with {figures['max_output']:,} for the output" if figures["max_output"] else ""
        lines.append(
            f"{figures['samples'] - over:,} of {figures['samples']:,} fit a window of "
            f"{figures['context_window']:,}{room}, by {figures['tokenizer']} (another: -T tokenizer=...)"
        )
        if over:
            by = ", ".join(f"{value}: {number}" for value, number in figures["too_long"].items())
            lines.append(f"  {over:,} do not (by value {by}); they would be wrong as context_overflow, or errors")
    return lines


def money(figures: Mapping[str, Any], prices: Mapping[str, Prices]) -> list[str]:
    """What it costs, by model and way of paying."""
    low, high = figures["output_tokens"]
    if not figures["dollars"]:
        return (
            ["Cost: not known without the prompts' tokens"]
            if prices
            else ["Cost: give prices with --model-cost-config FILE"]
        )
    lines = [f"Cost in dollars, for {low:,} to {high:,} output tokens a response, hidden reasoning included"]
    for model, ways in figures["dollars"].items():
        for way, (least, most) in ways.items():
            lines.append(f"  {model}, {WAYS[way]}: {least:,.2f} to {most:,.2f}")
        if (above := prices[model].long_above) is not None:
            lines.append(f"    (prompts above {above:,} tokens at the dearer tier, by {figures['tokenizer']})")
    return lines


def takes(figures: Mapping[str, Any]) -> list[str]:
    """What it takes on this machine."""
    held = figures["machine"]
    if held is None:
        return []
    return [
        "On this machine, about",
        f"  log: {size(held['log'])}, and {size(held['written'])} written in all, since every flush writes it anew",
        f"  memory: up to {size(held['memory'])} at {held['max_connections']} requests at once",
    ]


def size(number: int) -> str:
    """Bytes as MB or GB, to two figures or so."""
    return f"{number / 1e9:.1f} GB" if number >= 1e9 else f"{max(1, round(number / 1e6))} MB"
