"""Prices of models, from the file that `inspect eval --model-cost-config` reads.

YAML or JSON, a model a key, dollars for a million tokens; the first four are Inspect's and all needed there:

    openai/gpt-5.4:
      input: 2.5
      output: 15
      input_cache_write: 2.5
      input_cache_read: 0.25
      # From here on read by `graphniah plan` alone; Inspect passes over it.
      long_prompt:             # a dearer tier: the whole request is paid by it
        above: 200000          # when its prompt has more tokens than this
        input: 5
        output: 22.5
        input_cache_write: 5
        input_cache_read: 0.5
      batch: 0.5               # the share of all these prices that a batch pays

Prices change: copy them from the provider's page, and check them there.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from graphniah_inspect.errors import UserError

NAMES = ("input", "output", "input_cache_write", "input_cache_read")


@dataclass(frozen=True)
class Tier:
    """Dollars for a million tokens."""

    input: float
    output: float
    input_cache_write: float
    input_cache_read: float


@dataclass(frozen=True)
class Prices:
    """What a model costs.

    Attributes:
        usual: The prices of a request.
        long_above: Prompt tokens above which `long` is paid; None where there is one tier only.
        long: The prices of a request with such a prompt.
        batch: The share of any price that a batch pays; None where the file has none.
    """

    usual: Tier
    long_above: int | None
    long: Tier | None
    batch: float | None

    def tier(self, prompt_tokens: int) -> Tier:
        """What a request with a prompt of so many tokens pays."""
        if self.long is not None and self.long_above is not None and prompt_tokens > self.long_above:
            return self.long
        return self.usual


def read_prices(path: Path) -> dict[str, Prices]:
    """The models of a price file, in its order.

    Raises:
        UserError: No such file, no mapping of models, a price that is missing, unknown or no amount of money.
    """
    try:
        held = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"--model-cost-config {path}: cannot be read ({error.strerror}).") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UserError(f"--model-cost-config {path}: neither YAML nor JSON ({error}).") from error
    if not isinstance(held, dict) or not held:
        raise UserError(f"--model-cost-config {path}: expected models with their prices, e.g. {{openai/gpt: {{...}}}}.")
    return {str(model): prices(entry, f"{path}: {model}") for model, entry in held.items()}


def prices(entry: Any, where: str) -> Prices:
    """One model's entry."""
    fields(entry, (*NAMES, "long_prompt", "batch"), where)
    long = entry.get("long_prompt")
    above = None
    if long is not None:
        fields(long, (*NAMES, "above"), f"{where}: long_prompt")
        above = long.get("above")
        if not isinstance(above, int) or isinstance(above, bool) or above < 1:
            raise UserError(f"{where}: long_prompt.above={above!r}; expected a number of tokens, e.g. 200000.")
    batch = entry.get("batch")
    if batch is not None and not 0 < amount(batch, f"{where}: batch") <= 1:
        raise UserError(f"{where}: batch={batch!r}; expected the share of the prices that a batch pays, e.g. 0.5.")
    return Prices(tier(entry, where), above, None if long is None else tier(long, f"{where}: long_prompt"), batch)


def tier(entry: Mapping[str, Any], where: str) -> Tier:
    """The four prices of a tier."""
    missing = [name for name in NAMES if name not in entry]
    if missing:
        raise UserError(f"{where}: {', '.join(missing)} missing; give dollars for a million tokens.")
    return Tier(*(amount(entry[name], f"{where}: {name}") for name in NAMES))


def fields(entry: Any, known: tuple[str, ...], where: str) -> None:
    """See to it that nothing is misspelt."""
    if not isinstance(entry, dict):
        raise UserError(f"{where}: found {entry!r}; expected the fields {', '.join(known)}.")
    unknown = [str(name) for name in entry if name not in known]
    if unknown:
        raise UserError(f"{where}: unknown {', '.join(unknown)}. Known: {', '.join(known)}.")


def amount(value: Any, where: str) -> float:
    """An amount of money: a finite number, not negative."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value < 0:
        raise UserError(f"{where}={value!r}; expected a number, 0 or more.")
    return float(value)
