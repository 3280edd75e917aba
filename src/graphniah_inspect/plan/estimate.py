"""Figures of a run that has not been made: requests, tokens, dollars, bytes.

Token counts are those stored with the data. Sizes of logs and memory are estimates from what `bench/run.py`
measured (the constants below); the price of an unknown output is a range.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from inspect_ai import Task

from graphniah_inspect.plan.prices import Prices, Tier

LOG_SHARE = 0.37
"""Bytes of log for a byte of prompt. Source code takes 0.25 to 0.28 (`python -m bench.run`), mixed text more."""

LOG_OVERHEAD = 12_000
"""Bytes of log for a sample without its prompt: response, scores, events."""

BASE_MEMORY = 300_000_000
"""Bytes of a process that evaluates, prompts aside."""

IN_FLIGHT_SHARE = 6
"""Bytes of memory for a byte of prompt in flight, at most."""

LATE_SHARE = 3
"""Bytes of memory for a byte of prompt of a finished sample, which Inspect lets go of late."""

LATE = 300
"""Finished samples that are still in memory, at most: with fast answers; a slow model leaves fewer."""

LONG_PROMPT = 1_000_000
"""Bytes of prompt from which on fewer requests at once and a smaller log buffer are proposed."""

LABELS = {
    "values": "value",
    "formats": "format",
    "labels": "label",
    "by_type": "type",
    "by_band": "band",
    "by_depth": "depth",
}
"""Counts of a task's selection record that are shown, and what they count by."""


@dataclass(frozen=True)
class Run:
    """What a task will ask.

    Attributes:
        samples: Number of samples.
        epochs: Times that each is asked.
        selection: The task's own record of what it selected.
        tokenizer: What `tokens` are counted by.
        tokens: Prompt tokens of every sample; None where none are stored.
        values: The varied value of every sample, as text.
        prompt_bytes: Of all prompts, and of the largest; None where they are not read from a file.
    """

    samples: int
    epochs: int
    selection: dict[str, Any]
    tokenizer: str
    tokens: list[int | None]
    values: list[str]
    prompt_bytes: tuple[int, int] | None

    @property
    def counted(self) -> list[int] | None:
        """Prompt tokens of every sample, or None where one is missing."""
        known = [tokens for tokens in self.tokens if tokens is not None]
        return known if len(known) == len(self.tokens) else None


def look_at(task: Task, epochs: int) -> Run:
    """Read off a task of this package what it will ask; no prompt is read, no model made."""
    selection: dict[str, Any] = (task.metadata or {})["selection"]
    metadata = [sample.metadata or {} for sample in task.dataset]
    chars = [held["prompt_chars"] for held in metadata if "prompt_chars" in held]
    size = None
    if selection.get("context") != "none":
        if "row_bytes" in selection:
            size = (selection["row_bytes"]["sum"], selection["row_bytes"]["max"])
        elif chars:
            size = (sum(chars), max(chars))
    return Run(
        samples=len(metadata),
        epochs=epochs,
        selection=selection,
        tokenizer=str(selection.get("tokenizer")),
        tokens=[held.get("prompt_tokens", held.get("tokens")) for held in metadata],
        values=[str(held.get("value", held.get("band", "all"))) for held in metadata],
        prompt_bytes=size,
    )


def prompt_tokens(run: Run) -> dict[str, dict[str, float]]:
    """Mean, largest and sum by each tokenizer stored, and how many samples it counted."""
    stored: dict[str, dict[str, float]] | None = run.selection.get("prompt_tokens")
    if stored is not None:
        return stored
    known = [tokens for tokens in run.tokens if tokens is not None]
    if not known:
        return {}
    figures = {"mean": sum(known) / len(known), "max": max(known), "sum": sum(known), "counted": len(known)}
    return {run.tokenizer: figures}


def too_long(run: Run, tokens: Sequence[int], window: int, output: int) -> dict[str, int]:
    """How many samples do not fit a context window together with their output, by value."""
    return dict(Counter(value for value, prompt in zip(run.values, tokens, strict=True) if prompt + output > window))


def dollars(
    tokens: Sequence[int], epochs: int, prices: Prices, output: tuple[int, int]
) -> dict[str, tuple[float, float]]:
    """What the run costs, from the least output to the most, by way of paying.

    Returns:
        `usual`; `cached`, where there are several epochs: every prompt is written to the provider's cache once
        and read from it in the other epochs; `batch`, where the file has its share.
    """

    def total(cached: bool, each: int) -> float:
        cost = 0.0
        for prompt in tokens:
            tier: Tier = prices.tier(prompt)
            read = tier.input_cache_write + (epochs - 1) * tier.input_cache_read if cached else epochs * tier.input
            cost += prompt * read + epochs * each * tier.output
        return cost / 1e6

    ways = {"usual": (total(False, output[0]), total(False, output[1]))}
    if epochs > 1:
        ways["cached"] = (total(True, output[0]), total(True, output[1]))
    if prices.batch is not None:
        low, high = ways["usual"]
        ways["batch"] = (low * prices.batch, high * prices.batch)
    return ways


@dataclass(frozen=True)
class Machine:
    """What the run takes on this machine, in bytes, and the settings that this is true for."""

    max_connections: int
    log_buffer: int
    log: int
    written: int
    memory: int


def machine(run: Run, max_connections: int | None) -> Machine | None:
    """Log and memory; None where the size of the prompts is not known.

    Every flush writes the whole log anew, so the bytes written grow with the number of flushes.
    """
    if run.prompt_bytes is None:
        return None
    total, largest = run.prompt_bytes
    long = total / run.samples > LONG_PROMPT
    connections = max_connections or (4 if long else 10)
    buffer = 25 if long else 50
    asked = run.samples * run.epochs
    log = int(total * run.epochs * LOG_SHARE + asked * LOG_OVERHEAD)
    flushes = -(-asked // buffer)
    held = LATE_SHARE * min(asked, LATE) + IN_FLIGHT_SHARE * min(asked, connections)
    return Machine(
        max_connections=connections,
        log_buffer=buffer,
        log=log,
        written=log * (flushes + 1) // 2,
        memory=BASE_MEMORY + largest * held,
    )
