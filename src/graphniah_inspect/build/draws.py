"""Random draws that give the same values on every machine and with every NumPy release.

NumPy promises stable streams for its bit generators and for ``SeedSequence`` only, not for what ``Generator`` makes of
them; so everything here is made of raw 64-bit words of PCG64.
"""

from collections.abc import MutableSequence, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Item = TypeVar("Item")
_BATCH = 2048


class Draws:
    """A stream of draws from one seed.

    Args:
        entropy: Integers of any size; equal ones give equal streams.
    """

    def __init__(self, *entropy: int) -> None:
        self._bits = np.random.PCG64(np.random.SeedSequence(list(entropy)))
        self._words: list[int] = []

    def below(self, n: int) -> int:
        """An integer from 0 to ``n - 1``, uniform (off by less than ``n / 2**64``)."""
        if not self._words:
            self._words = self._bits.random_raw(_BATCH).tolist()
        return (self._words.pop() * n) >> 64

    def uniform(self) -> float:
        """A number in [0, 1)."""
        return self.below(1 << 53) / (1 << 53)

    def choice(self, items: Sequence[Item]) -> Item:
        """One of the items."""
        return items[self.below(len(items))]

    def shuffle(self, items: MutableSequence[Item]) -> None:
        """Put the items in random order, in place."""
        for last in range(len(items) - 1, 0, -1):
            other = self.below(last + 1)
            items[last], items[other] = items[other], items[last]

    def sample(self, items: Sequence[Item], count: int) -> list[Item]:
        """Distinct places of a short sequence, in random order."""
        order = list(items)
        self.shuffle(order)
        return order[:count]

    def permutation(self, n: int) -> NDArray[np.int64]:
        """The integers 0 to ``n - 1`` in random order, ``int64[n]``."""
        return np.argsort(self._bits.random_raw(n), kind="stable")
