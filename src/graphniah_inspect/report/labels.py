"""What a run is called: the model, and whatever sets it apart from the other runs beside it."""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graphniah_inspect.report.frame import Run

_NAMES = {
    "task version": "version",
    "context_length": "length",
    "reasoning_effort": "effort",
    "reasoning_tokens": "reasoning tokens",
}
PACE = frozenset(
    [
        "max_retries",
        "timeout",
        "attempt_timeout",
        "stream_idle_timeout",
        "max_connections",
        "adaptive_connections",
        "batch",
        "cache_prompt",
    ]
)
"""Settings that change how fast, how often and at what price a model is asked, but not what it is asked."""


def label_runs(runs: Sequence["Run"], ignoring: Collection[str] = ()) -> list[str]:
    """A name for every run, unique unless `ignoring` makes runs alike.

    Args:
        runs: The runs that stand beside each other.
        ignoring: Conditions and settings that must not be told, because a figure shows them otherwise. Runs that
            differ in nothing else get the same name.
    """
    apart = [apart_from(run, runs, ignoring) for run in runs]
    labels = [f"{run.model} ({', '.join(told)})" if told else run.model for run, told in zip(runs, apart, strict=True)]
    if ignoring:
        return labels
    return [
        label if labels.count(label) == 1 else f"{label} [{Path(run.log).name}]"
        for run, label in zip(runs, labels, strict=True)
    ]


def apart_from(run: "Run", runs: Sequence["Run"], ignoring: Collection[str] = ()) -> list[str]:
    """What tells a run from the others: conditions in which any of them differ, settings in which its model's do."""
    same_model = [other for other in runs if other.model == run.model]
    told = []
    for held, others in (("conditions", runs), ("settings", same_model)):
        names = sorted({name for other in others for name in getattr(other, held)} - PACE)
        for name in names:
            values = {getattr(other, held).get(name) for other in others}
            if len(values) > 1 and name not in ignoring:
                told.append(words(name, getattr(run, held).get(name)))
    return told


def words(name: str, value: str | None) -> str:
    """A condition or setting in words, e.g. `length 200k` or `without context`."""
    if name == "task":
        return f"task {(value or '?').rpartition('/')[2]}"
    if value is None or value == "null":
        return f"{_NAMES.get(name, name)} not set"
    if name == "slots_below":
        return f"first {value} slots"
    if name == "context":
        return {"full": "with context", "none": "without context"}.get(value, value)
    if name == "data":
        hashes = value.removeprefix("hash ").split() if value.startswith("hash ") else []
        return f"data {' '.join(one[:12] for one in hashes) or value}"
    if name == "context_length" and value.endswith("000"):
        value = f"{value[:-3]}k"
    return f"{_NAMES.get(name, name)} {value}"
