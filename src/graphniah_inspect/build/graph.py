"""The citation graph as one example sees it: who may be taken, who is taken, and who cites whom."""

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from graphniah_inspect.build.draws import Draws
from graphniah_inspect.citations.paper import Paper, title_key
from graphniah_inspect.snapshots.snapshot import CITED, CITES, Snapshot

_CACHED = 200_000
_QUICK_PICKS = 8


class CitationGraph:
    """Cached reads of a snapshot; one a worker.

    Args:
        snapshot: The opened snapshot.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self.paper: Callable[[int], Paper] = lru_cache(_CACHED)(snapshot.paper)
        self.key: Callable[[int], str] = lru_cache(_CACHED)(lambda i: title_key(self.paper(i).title))
        self.recent: Callable[[int], Sequence[int]] = lru_cache(_CACHED)(self._recent)
        self.any_date: Callable[[int], Sequence[int]] = lru_cache(_CACHED)(lambda i: self._near(i).tolist())
        # plain arrays over the same pages: slices of a memory map are slow to make
        self._indptr, self._indices = np.asarray(snapshot.indptr), np.asarray(snapshot.indices)
        self._direction, self._is_recent = np.asarray(snapshot.direction), np.asarray(snapshot.recent)

    def _near(self, i: int) -> NDArray[np.int32]:
        return self._indices[self._indptr[i] : self._indptr[i + 1]]

    def _recent(self, i: int) -> Sequence[int]:
        near = self._near(i)
        recent: list[int] = near[self._is_recent[near]].tolist()
        return recent

    def citation(self, a: int, b: int, draws: Draws) -> tuple[int, int]:
        """The edge between two neighbours as (citing, cited); one of the two at random where each cites the other."""
        bits = int(self._direction[self._indptr[a] + self._near(a).searchsorted(b)])
        if bits == CITES | CITED:
            return (a, b) if draws.below(2) else (b, a)
        return (a, b) if bits & CITES else (b, a)


class Taken:
    """The papers of one example, each in one component, no two with one title.

    Args:
        graph: The graph they come from.
        blocked: Whether a title (as ``title_key``) may not be used, because the distractor texts contain it.
    """

    def __init__(self, graph: CitationGraph, blocked: Callable[[str], bool]) -> None:
        self._graph = graph
        self._blocked = blocked
        self._papers: set[int] = set()
        self._titles: set[str] = set()

    def __contains__(self, paper: int) -> bool:
        return paper in self._papers

    def take(self, paper: int) -> bool:
        """Take a paper, unless it or its title is taken, or its title is empty or blocked."""
        if paper in self._papers:
            return False
        key = self._graph.key(paper)
        if not key or key in self._titles or self._blocked(key):
            return False
        self._papers.add(paper)
        self._titles.add(key)
        return True

    def give_back(self, papers: Sequence[int]) -> None:
        """Let go of papers taken before."""
        for paper in papers:
            self._papers.discard(paper)
            self._titles.discard(self._graph.key(paper))

    def take_one(self, papers: Sequence[int], draws: Draws) -> int | None:
        """Take one of the papers that can be taken, uniformly; None when there is none.

        A few blind picks first, because hubs have many neighbours and most are free.
        """
        for _ in range(_QUICK_PICKS if papers else 0):
            pick = papers[draws.below(len(papers))]
            if self.take(pick):
                return pick
        free = [paper for paper in papers if paper not in self._papers]
        while free:
            place = draws.below(len(free))
            if self.take(free[place]):
                return free[place]
            free[place] = free[-1]
            free.pop()
        return None
