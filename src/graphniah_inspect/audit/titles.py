"""Finds many titles in a long text, as whole words, whatever their case and punctuation.

A search for every title would read the text hundreds of times. Here the text is brought to the form of
`title_key` in a few vectorised passes, and the bytes at every word's beginning, eight at a time, are looked up in
tables of what titles have there; the few places that remain are compared in full.
"""

import unicodedata
from collections.abc import Iterator, Mapping
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from graphniah_inspect.citations.paper import title_key

_WORDS = bytes(
    ord(chr(code).lower()) if code > 127 or unicodedata.category(chr(code))[0] in "LNMS" else ord(" ")
    for code in range(128)
) + bytes(range(128, 256))
_WINDOW = 8
_MOST_WINDOWS = 4
_BITS = 16
_MIX = np.uint64(0x9E3779B97F4A7C15)


class TitleFinder:
    """Looks for some titles in texts.

    Args:
        titles: What to look for, by `title_key`; titles without a word are passed over.
    """

    def __init__(self, titles: Mapping[str, str]) -> None:
        self._titles = {f" {key} ".encode(): title for key, title in titles.items() if key}
        self._short = [needle for needle in self._titles if len(needle) < _WINDOW]
        long = [needle for needle in self._titles if len(needle) >= _WINDOW]
        sizes = {needle: min(len(needle) // _WINDOW, _MOST_WINDOWS) for needle in long}
        self._tables = [
            _Table([needle for needle in long if sizes[needle] == windows], windows)
            for windows in sorted(set(sizes.values()))
        ]

    def find(self, text: str) -> Iterator[tuple[str, str]]:
        """Every title that occurs, once, with the words around its first place."""
        words = normalise(text)
        if not self._titles or len(words) < 3:
            return
        padded = words + bytes(_MOST_WINDOWS * _WINDOW)
        starts = np.flatnonzero(np.frombuffer(words, dtype=np.uint8)[:-1] == ord(" "))
        windows: NDArray[np.uint64] = np.ndarray(len(padded) - _WINDOW + 1, dtype="<u8", buffer=padded, strides=(1,))
        found: dict[bytes, int] = {needle: at for needle in self._short if (at := words.find(needle)) >= 0}
        for table in self._tables:
            for place in table.candidates(windows, starts):
                for needle in table.needles.get(words[place : place + table.size], ()):
                    if needle not in found and words.startswith(needle, place):
                        found[needle] = place
        for needle, place in sorted(found.items(), key=lambda item: item[1]):
            around = words[max(0, place - 40) : place + len(needle) + 40].decode(errors="ignore")
            yield self._titles[needle], around.strip()


class _Table:
    """Titles of so many windows of eight bytes at least, and which hashes their windows have, one after another."""

    def __init__(self, needles: list[bytes], windows: int) -> None:
        self.size = windows * _WINDOW
        self.needles: dict[bytes, list[bytes]] = {}
        for needle in needles:
            self.needles.setdefault(needle[: self.size], []).append(needle)
        begun = np.array([list(needle[: self.size]) for needle in needles], dtype=np.uint8)
        self._occupied = []
        for column in begun.view("<u8").T:
            occupied = np.zeros(1 << _BITS, dtype=bool)
            occupied[_hash(column)] = True
            self._occupied.append(occupied)

    def candidates(self, windows: NDArray[np.uint64], starts: NDArray[np.intp]) -> list[int]:
        """Those starts at which every window has a hash that some title has there."""
        for number, occupied in enumerate(self._occupied):
            starts = starts[occupied[_hash(windows[starts + number * _WINDOW])]]
        places: list[int] = starts.tolist()
        return places


def _hash(window: NDArray[np.uint64]) -> NDArray[np.uint64]:
    return np.asarray((window * _MIX) >> np.uint64(64 - _BITS))


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
