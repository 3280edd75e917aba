"""The one exception for what a user can mend: a wrong option, a damaged file, missing data."""

from collections.abc import Mapping, Sequence
from typing import Any


class UserError(ValueError):
    """Says what was found, what was expected, and the cure; shown without a traceback."""


def refuse_unknown(unknown: Mapping[str, Any], known: Sequence[str]) -> None:
    """Refuse task parameters that do not exist; Inspect alone would warn, and run with the defaults.

    Raises:
        UserError: With the names that do exist.
    """
    if unknown:
        raise UserError(f"-T {', '.join(sorted(unknown))}: there is no such parameter. Known: {', '.join(known)}.")
