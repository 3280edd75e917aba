"""Finds many titles in a long text, as whole words, whatever their case and punctuation.

A search for every title would read the text hundreds of times. Here the text is brought to the form of
`title_key` in a few vectorised passes, and the sixteen bytes at every word's beginning are looked up in a table
of how titles begin; the few places that remain are compared in full.
"""

import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from graphniah_inspect.citations.paper import title_key

_WORDS = bytes(
    ord(chr(code).lower()) if code > 127 or unicodedata.category(chr(code))[0] in "LNMS" else ord(" ")
    for code in range(128)
) + bytes(range(128, 256))
_WINDOW = 8
_BITS = 20
_MIX = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)


class TitleFinder:
    """Looks for some titles in texts.

    Args:
        titles: What to look for; titles without a word are passed over.
    """

    def __init__(self, titles: Iterable[str]) -> None:
        self._titles = {f" {key} ".encode(): title for title in titles if (key := title_key(title))}
        self._short = [needle for needle in self._titles if len(needle) < _WINDOW]
        self._middling = _Table([needle for needle in self._titles if _WINDOW <= len(needle) < 2 * _WINDOW], 1)
        self._long = _Table([needle for needle in self._titles if len(needle) >= 2 * _WINDOW], 2)

    def find(self, text: str) -> Iterator[tuple[str, str]]:
        """Every title that occurs, once, with the words around its first place."""
        words = normalise(text)
        if not self._titles or len(words) < 3:
            return
        padded = np.frombuffer(words + b" " * 2 * _WINDOW, dtype=np.uint8)
        starts = np.flatnonzero(padded[: len(words) - 1] == ord(" "))
        windows: NDArray[np.uint64] = np.ndarray(
            shape=(len(words) + _WINDOW,), dtype="<u8", buffer=padded, strides=(1,)
        )
        first, second = windows[starts], windows[starts + _WINDOW]
        found: dict[bytes, int] = {needle: at for needle in self._short if (at := words.find(needle)) >= 0}
        for table, hashes in ((self._middling, _mix(first)), (self._long, _mix(first, second))):
            for place in starts[table.occupied[hashes]].tolist() if table.needles else []:
                for needle in table.needles.get(words[place : place + _WINDOW], ()):
                    if needle not in found and words.startswith(needle, place):
                        found[needle] = place
        for needle, place in sorted(found.items(), key=lambda item: item[1]):
            around = words[max(0, place - 40) : place + len(needle) + 40].decode(errors="ignore")
            yield self._titles[needle], around.strip()


class _Table:
    """Which hashes of a word's beginning belong to a title, and the titles by their first eight bytes."""

    def __init__(self, needles: list[bytes], windows: int) -> None:
        self.needles: dict[bytes, list[bytes]] = {}
        self.occupied = np.zeros(1 << _BITS, dtype=bool)
        for needle in needles:
            self.needles.setdefault(needle[:_WINDOW], []).append(needle)
        if needles:
            begun = np.array([list(needle[: windows * _WINDOW]) for needle in needles], dtype=np.uint8)
            columns = begun.view("<u8").T
            self.occupied[_mix(*columns)] = True


def _mix(first: NDArray[np.uint64], second: NDArray[np.uint64] | None = None) -> NDArray[np.uint64]:
    mixed = first * _MIX[0]
    if second is not None:
        mixed = (mixed ^ (mixed >> np.uint64(29))) + second * _MIX[1]
    return np.asarray(mixed >> np.uint64(64 - _BITS))


def normalise(text: str) -> bytes:
    """A text as words parted by single spaces, one before and one after, in UTF-8; ASCII in lower case.

    As `title_key`, but that runs of foreign letters are folded run by run, which differs only for accents that
    are set on the letter before the one before them.
    """
    encoded = f" {text} ".encode("utf-8", "replace")
    if not text.isascii():
        encoded = _fold_foreign(encoded)
    data = np.frombuffer(encoded.translate(_WORDS), dtype=np.uint8)
    space = data == ord(" ")
    keep = np.ones(len(data), dtype=bool)
    np.logical_not(space[1:] & space[:-1], out=keep[1:])
    return data[keep].tobytes()


def _fold_foreign(encoded: bytes) -> bytes:
    """Folds every run of characters outside ASCII, each with the character before it, which it may accent."""
    foreign = np.frombuffer(encoded, dtype=np.uint8) > 127
    edges = np.flatnonzero(foreign[1:] != foreign[:-1]) + 1
    pieces: list[bytes] = []
    done = 0
    for begin, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        pieces += [encoded[done : begin - 1], _fold(encoded[begin - 1 : end])]
        done = end
    return b"".join((*pieces, encoded[done:]))


@lru_cache(maxsize=1 << 16)
def _fold(run: bytes) -> bytes:
    """`title_key` of a run of characters, but that white space and punctuation at its ends stay apart."""
    text = run.decode()
    before = "" if title_key(text[0]) else " "
    after = "" if title_key(text[-1]) else " "
    return f"{before}{title_key(text)}{after}".encode()
