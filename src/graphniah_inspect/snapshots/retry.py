"""When to try a request again, and how long to wait before."""

import datetime as dt
import time
from collections.abc import Callable
from email.utils import parsedate_to_datetime

import httpx

TRANSIENT = frozenset({408, 425, 429, 500, 502, 503, 504})
"""Statuses that may pass by themselves."""
ATTEMPTS = 8
"""Failures in a row, without a byte gained between them, after which a transfer gives up."""
LONGEST_WAIT = 300.0


class Patience:
    """Counts failures in a row and waits between them, longer each time, or as long as the server asks.

    Args:
        sleep: Waits for some seconds; another one for tests.
    """

    def __init__(self, sleep: Callable[[float], None] = time.sleep) -> None:
        self._sleep = sleep
        self._failures = 0

    def progress(self) -> None:
        """Something was gained: begin to count anew."""
        self._failures = 0

    def wait(self, response: httpx.Response | None = None) -> bool:
        """Count a failure and wait.

        Args:
            response: What the server answered, if it did; its ``Retry-After`` is respected.

        Returns:
            False, without waiting, when it is time to give up.
        """
        self._failures += 1
        if self._failures >= ATTEMPTS:
            return False
        asked = None if response is None else retry_after(response.headers.get("retry-after"))
        self._sleep(min(LONGEST_WAIT, 2.0 ** (self._failures - 1) if asked is None else asked))
        return True


def retry_after(header: str | None) -> float | None:
    """Seconds that a ``Retry-After`` header asks for, which is a number or a date; None when it says neither.

    >>> retry_after("7"), retry_after("soon")
    (7.0, None)
    """
    if header is None:
        return None
    if header.strip().isdecimal():
        return float(header)
    try:
        when = parsedate_to_datetime(header)
    except ValueError:
        return None
    if when.tzinfo is None:
        when = when.replace(tzinfo=dt.UTC)
    return max(0.0, (when - dt.datetime.now(dt.UTC)).total_seconds())
