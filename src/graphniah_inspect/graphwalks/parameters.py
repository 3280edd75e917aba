"""Task parameters as they come from `-T`, already read as YAML: checked, or refused with the cure.

YAML reads `no` as False, `a,b` as a list and `1_000` as 1000; True counts as 1 in Python. None of that may
pass for something that nobody meant.
"""

import re
from collections.abc import Iterable

from graphniah_inspect.errors import UserError

_TOKENS = re.compile(r"([0-9]+(?:\.[0-9]+)?)([kKmM]?)")
_DEPTH = re.compile(r"[0-9]{1,6}")
_FACTORS = {"": 1, "k": 1_000, "m": 1_000_000}


def one_of(name: str, value: object, known: Iterable[str]) -> str:
    """A text value out of a closed list.

    Raises:
        UserError: Any other value, with the list.
    """
    known = list(known)
    if isinstance(value, str) and value in known:
        return value
    raise UserError(f"{name}={value!r} is unknown. Known: {', '.join(known)}.")


def token_limit(name: str, value: object) -> int | None:
    """A number of tokens such as 8000, `8k`, `0.5m`; None for no limit. `k` is 1,000 and `m` a million.

    Raises:
        UserError: Anything else.
    """
    if value is None:
        return None
    found = _TOKENS.fullmatch(value) if isinstance(value, str) else None
    if found:
        tokens = float(found[1]) * _FACTORS[found[2].lower()]
        if tokens.is_integer():
            return int(tokens)
    elif isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    raise UserError(f"{name}={value!r} is no number of tokens. Expected a whole number such as 8000, 128k or 1m.")


def token_limits(minimum: object, maximum: object) -> tuple[int | None, int | None]:
    """Both limits, which are inclusive.

    Raises:
        UserError: One is no number of tokens, or they exclude everything.
    """
    low, high = token_limit("min_tokens", minimum), token_limit("max_tokens", maximum)
    if low is not None and high is not None and low > high:
        raise UserError(f"min_tokens={low} is above max_tokens={high}: no prompt can have both.")
    return low, high


def depths(value: object) -> frozenset[int] | None:
    """One depth or several (`-T depth=2,3`); None for all.

    Raises:
        UserError: Anything but whole numbers from 1.
    """
    if value is None:
        return None
    values = value if isinstance(value, list | tuple) else [value]
    numbers: list[int] = []
    for one in values:
        # YAML makes a number of `2`, but leaves the parts of `2,3` as text.
        number = int(one) if isinstance(one, str) and _DEPTH.fullmatch(one) else one
        if isinstance(number, int) and not isinstance(number, bool) and number >= 1:
            numbers.append(number)
    if numbers and len(numbers) == len(values):
        return frozenset(numbers)
    raise UserError(f"depth={value!r} is no depth. Expected a whole number from 1, or several (depth=2,3).")
