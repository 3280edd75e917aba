"""Titles of the invented world: frames filled with words of a paper's topic, no two alike."""

import numpy as np
from numpy.typing import NDArray

from graphniah_inspect.invented.words import ASPECTS, FIELDS, FRAMES, QUALITIES, SYLLABLES

Ints = NDArray[np.int64]

_THINGS = [things.split("|") for things, _ in FIELDS.values()]
_WAYS = [ways.split("|") for _, ways in FIELDS.values()]
_QUALITIES = QUALITIES.split("|")
_ASPECTS = ASPECTS.split("|")
_OF_TOPIC = {"thing": (16, 5), "other": (16, 5), "way": (10, 4), "second_way": (10, 4)}
_COINED = 0.08
_STRAYED = 0.1


class Titles:
    """Chooses the words of every title at once, and spells them out on demand.

    Args:
        topic: Topic of each paper; papers of one topic share most of their words.
        field: Field of each paper, an index into ``FIELDS``.
        rng: Where all choices come from.
    """

    def __init__(self, topic: Ints, field: Ints, rng: np.random.Generator) -> None:
        n = len(topic)
        self._field = field
        self._slots = {"frame": rng.integers(0, len(FRAMES), n, dtype=np.int8)}
        topics = int(topic.max(initial=0)) + 1
        shared = {words: np.argsort(rng.random((topics, words)), axis=1).astype(np.int8) for words in (16, 10)}
        for name, (words, count) in _OF_TOPIC.items():
            typical = shared[words][topic, rng.integers(0, count, n)]
            strayed = rng.random(n) < _STRAYED
            self._slots[name] = np.where(strayed, rng.integers(0, words, n, dtype=np.int8), typical)
        for first, second, words in (("thing", "other", 16), ("way", "second_way", 10)):
            same = self._slots[first] == self._slots[second]
            self._slots[second] = np.where(same, (self._slots[second] + 1) % words, self._slots[second])
        self._slots["quality"] = rng.integers(0, len(_QUALITIES), n, dtype=np.int8)
        self._slots["aspect"] = rng.integers(0, len(_ASPECTS), n, dtype=np.int8)
        self._coined = (rng.random(n) < _COINED) | self._repeated()

    def spell(self, start: int, stop: int) -> list[str]:
        """Titles of papers ``start`` to ``stop - 1``."""
        names = list(self._slots)
        columns = [self._slots[name][start:stop].tolist() for name in names]
        titles = []
        for i, (field, *values) in enumerate(zip(self._field[start:stop].tolist(), *columns, strict=True)):
            frame, thing, other, way, second_way, quality, aspect = values
            things, ways = _THINGS[field], _WAYS[field]
            words = {
                "thing": things[thing],
                "other": things[other],
                "way": ways[way],
                "second_way": ways[second_way],
                "quality": _QUALITIES[quality],
                "aspect": _ASPECTS[aspect],
                "Thing": _capital(things[thing]),
                "Way": _capital(ways[way]),
                "Quality": _capital(_QUALITIES[quality]),
            }
            title = FRAMES[frame].format_map(words)
            titles.append(f"{coined_name(start + i)}: {title}" if self._coined[start + i] else title)
        return titles

    def _repeated(self) -> NDArray[np.bool_]:
        """Papers whose title an earlier paper has already."""
        # a key spells out the frame and the words that the frame uses, and no others
        key = self._slots["frame"].astype(np.int64) * len(FIELDS) + self._field
        for name, values in self._slots.items():
            if name != "frame":
                uses = np.array([f"{{{name}}}" in frame.lower() for frame in FRAMES])
                key = key * 64 + np.where(uses[self._slots["frame"]], values, 0)
        _, first = np.unique(key, return_index=True)
        repeated = np.ones(len(key), np.bool_)
        repeated[first] = False
        return repeated


def coined_name(number: int) -> str:
    """A pronounceable name, another for every number.

    >>> coined_name(0), coined_name(1)
    ('Bababa', 'Nosaba')
    """
    base = len(SYLLABLES)
    digits = 3
    while number >= base**digits:
        digits += 1
    # an odd factor permutes the numbers of this many digits, so that neighbours look unlike
    value = number * 7_919_999 % base**digits
    return "".join(SYLLABLES[value // base**place % base] for place in range(digits)).capitalize()


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]
