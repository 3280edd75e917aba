"""Numbers as they are typed on a command line: 32000, 400k, 1m."""

import argparse
import re
from collections.abc import Iterable

_FACTORS = {"": 1, "k": 1_000, "m": 1_000_000}


def whole_number(text: str) -> int:
    """A positive whole number, also as 400k (thousands) or 1m (millions); for argparse's `type`.

    Raises:
        ArgumentTypeError: Anything else.
    """
    found = re.fullmatch(r"([0-9][0-9_,]*)([km]?)", text.strip().lower())
    number = int(re.sub("[_,]", "", found[1])) * _FACTORS[found[2]] if found else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no positive number such as 32000, 400k or 1m")
    return number


def typed(values: int | Iterable[int]) -> str:
    """What one would type for a number, or for several: the inverse of `whole_number`."""
    if not isinstance(values, int):
        return ",".join(typed(value) for value in values)
    for letter in ("m", "k"):
        if values >= 10 * _FACTORS[letter] and values % _FACTORS[letter] == 0:
            return f"{values // _FACTORS[letter]}{letter}"
    return str(values)
