"""How alike two papers look by their words.

Title similarity is the cosine of TF-IDF vectors over the words of ``title_key``, with document
frequencies from an evenly spaced sample of the snapshot's recent papers: cheap, and near what a lazy model could use.
"""

import json
import math
from collections import Counter
from pathlib import Path

import numpy as np

from graphniah_inspect.citations.paper import Paper, title_key
from graphniah_inspect.snapshots.snapshot import Snapshot

SAMPLED_TITLES = 20_000


class TitleWords:
    """Inverse document frequencies of title words.

    Args:
        titles: Number of titles counted.
        frequencies: In how many of them each word occurs; a word never seen counts as seen once.
    """

    def __init__(self, titles: int, frequencies: dict[str, int]) -> None:
        self._titles = titles
        self._frequencies = frequencies

    @classmethod
    def count(cls, snapshot: Snapshot) -> "TitleWords":
        """Count the words of at most ``SAMPLED_TITLES`` recent titles, evenly spaced."""
        recent = np.flatnonzero(snapshot.recent)
        step = max(1, len(recent) // SAMPLED_TITLES)
        chosen = recent[::step][:SAMPLED_TITLES].tolist()
        frequencies: Counter[str] = Counter()
        for paper in chosen:
            frequencies.update(set(title_key(snapshot.title(paper)).split()))
        return cls(len(chosen), dict(frequencies))

    def save(self, path: Path) -> None:
        """Write the counts as JSON."""
        path.write_text(json.dumps([self._titles, self._frequencies], ensure_ascii=False), encoding="utf-8")

    @classmethod
    def load(cls, path: Path) -> "TitleWords":
        """Read what ``save`` wrote."""
        return cls(*json.loads(path.read_text(encoding="utf-8")))

    def vector(self, title: str) -> dict[str, float]:
        """The title's words with weights of unit length."""
        weights = {
            word: times * math.log((1 + self._titles) / self._frequencies.get(word, 1))
            for word, times in Counter(title_key(title).split()).items()
        }
        norm = math.sqrt(math.fsum(weight * weight for weight in weights.values())) or 1.0
        return {word: weights[word] / norm for word in sorted(weights)}


def cosine(a: dict[str, float], b: dict[str, float]) -> float:
    """Similarity of two vectors, rounded so that equal sets of words tie on every machine."""
    return round(math.fsum(weight * b[word] for word, weight in a.items() if word in b), 9)


def family_names(paper: Paper) -> frozenset[str]:
    """The last words of the names of a paper's authors."""
    return frozenset(words[-1] for author in paper.authors if (words := title_key(author).split()))
