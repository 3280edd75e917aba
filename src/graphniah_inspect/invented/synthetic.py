"""An invented world of papers and citations, for tests, demonstrations and measurements of scale.

It resembles a quarter of the literature in what the builder feels: papers cluster in topics whose words their
titles share; each cites a few earlier papers, mostly of its topic, some of its field, a few of any; how
attractive a paper is follows a power law, and so do the citations it collects; one citation in a hundred goes
to a newer paper. Dates run from some months before the cutoff to more than a year after. Nothing in it is
real, and it says so: venues are "invented", DOIs use the test prefix 10.5555, corpus ids lie beyond those in
use.
"""

import datetime as dt
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from graphniah_inspect.invented.titles import Titles, coined_name
from graphniah_inspect.invented.words import FIELDS, GIVEN_NAMES, VENUES
from graphniah_inspect.snapshots.shards import Author, CitationLine, ExternalIds, Journal, PaperLine

FIRST_ID = 9_000_000_000
BLOCK = 50_000
PAPERS_A_TOPIC = 600
"""On average; topics differ in size."""
DAYS_BEFORE, DAYS_AFTER = 130, 420
ATTRACTION = 1.4
"""Exponent of the Pareto law of attractiveness; in-degrees inherit it."""
REFERENCES = 6.0
"""Mean number of citations a paper makes inside the world."""

Ints = NDArray[np.int64]


class World:
    """An invented world; a pure function of its size, seed and cutoff.

    Args:
        n: Number of papers.
        seed: Any non-negative integer.
        cutoff: About three quarters of the papers are published on or after this day.
    """

    def __init__(self, n: int, seed: int, cutoff: dt.date) -> None:
        self.n, self.seed, self.cutoff = n, seed, cutoff
        rng = self._rng(0)
        self.topics = max(1, n // PAPERS_A_TOPIC)
        sizes = rng.pareto(3.0, self.topics) + 1.0
        self.topic: Ints = rng.choice(self.topics, n, p=sizes / sizes.sum())
        self.field: Ints = self.topic % len(FIELDS)
        self.day: Ints = rng.integers(-DAYS_BEFORE, DAYS_AFTER, n)
        self.attraction: NDArray[np.float64] = rng.pareto(ATTRACTION, n) + 1.0
        self.references: Ints = np.minimum(rng.geometric(1 / REFERENCES, n), 60)

    def papers(self) -> Iterator[list[PaperLine]]:
        """Blocks of papers, as lines of the bulk data set ``papers``, by corpus id."""
        names = _author_names()
        titles = Titles(self.topic, self.field, self._rng(2))
        for start in range(0, self.n, BLOCK):
            stop = min(start + BLOCK, self.n)
            yield self._papers(start, stop, titles.spell(start, stop), names)

    def citations(self) -> Iterator[tuple[Ints, Ints]]:
        """Blocks of citing and cited papers, as corpus ids minus ``FIRST_ID``; some citations repeat."""
        everywhere = np.zeros(self.n, np.int64)
        kinds = [_Earlier(group, self.day, self.attraction) for group in (self.topic, self.field, everywhere)]
        for start in range(0, self.n, BLOCK):
            rng = self._rng(1, start)
            block = np.arange(start, min(start + BLOCK, self.n))
            citing = np.repeat(block, self.references[block])
            kind = rng.choice(3, len(citing), p=(0.86, 0.11, 0.03))
            cited = np.empty(len(citing), np.int64)
            for number, earlier in enumerate(kinds):
                cited[kind == number] = earlier.draw(citing[kind == number], rng)
            citing, cited = citing[cited >= 0], cited[cited >= 0]
            newer = rng.random(len(citing)) < 0.01
            yield np.where(newer, cited, citing), np.where(newer, citing, cited)

    def citation_lines(self) -> Iterator[list[CitationLine]]:
        """Blocks of citations, as lines of the bulk data set ``citations``."""
        for citing, cited in self.citations():
            yield [
                CitationLine(FIRST_ID + a, FIRST_ID + b) for a, b in zip(citing.tolist(), cited.tolist(), strict=True)
            ]

    def _rng(self, *purpose: int) -> np.random.Generator:
        return np.random.Generator(np.random.PCG64(np.random.SeedSequence([self.seed, *purpose])))

    def _papers(self, start: int, stop: int, titles: list[str], names: list[str]) -> list[PaperLine]:
        rng = self._rng(3, start)
        count = stop - start
        many = rng.random(count) < 0.002
        authors = np.where(many, rng.integers(21, 60, count), np.minimum(rng.geometric(0.28, count), 20))
        # people write within their topic, a few of them much
        rank = np.minimum(rng.pareto(1.2, int(authors.sum())) * 30, len(names) - 1).astype(np.int64)
        who = ((np.repeat(self.topic[start:stop], authors) * 7_919 + rank) % len(names)).tolist()
        ends = np.cumsum(authors).tolist()
        venue = rng.integers(0, len(VENUES) + 2, count).tolist()
        volume = rng.integers(1, 60, count).tolist()
        page = rng.integers(1, 900, count).tolist()
        length = rng.integers(4, 40, count).tolist()
        has_doi = (rng.random(count) < 0.7).tolist()
        undated = (rng.random(count) < 0.02).tolist()
        fields = list(FIELDS)
        papers = []
        for i in range(count):
            number = start + i
            published = self.cutoff + dt.timedelta(int(self.day[number]))
            journal = None
            if venue[i] < len(VENUES):
                name = VENUES[venue[i]].format(field=fields[self.field[number]])
                journal = Journal(name, f"{page[i]}-{page[i] + length[i]}", str(volume[i]))
            papers.append(
                PaperLine(
                    corpusid=FIRST_ID + number,
                    title=titles[i],
                    authors=[Author(names[j]) for j in dict.fromkeys(who[ends[i] - authors[i] : ends[i]])],
                    year=published.year,
                    publicationdate=None if undated[i] else published.isoformat(),
                    venue="",
                    journal=journal,
                    externalids=ExternalIds(
                        DOI=f"10.5555/invented.{number}" if has_doi[i] else None,
                        # no month has the number 99
                        ArXiv=f"9999.{number:05d}" if venue[i] == len(VENUES) else None,
                    ),
                )
            )
        return papers


class _Earlier:
    """Draws an earlier paper of the same group, in proportion to its attraction."""

    def __init__(self, group: Ints, day: Ints, attraction: NDArray[np.float64]) -> None:
        self._order = np.lexsort((day, group))
        self._place = np.empty_like(self._order)
        self._place[self._order] = np.arange(len(group))
        self._sums = np.concatenate([[0.0], np.cumsum(attraction[self._order])])
        sorted_group = group[self._order]
        # where the group of each place begins
        self._begin = np.searchsorted(sorted_group, sorted_group)

    def draw(self, citing: Ints, rng: np.random.Generator) -> Ints:
        """One paper for each, or -1 for the first of its group, which has none before it."""
        place = self._place[citing]
        low, high = self._sums[self._begin[place]], self._sums[place]
        found = np.searchsorted(self._sums, low + rng.random(len(citing)) * (high - low), side="right") - 1
        # rounding may reach the paper itself
        found = np.minimum(found, place - 1)
        none = place == self._begin[place]
        return np.where(none, -1, self._order[np.where(none, 0, found)])


def _author_names() -> list[str]:
    """Some tens of thousands of names, "First M. Last"."""
    rng = np.random.Generator(np.random.PCG64(20_260_401))
    surnames = [coined_name(number) for number in range(3, 1_500)]
    surnames = [name + ending for name in surnames for ending in ("", "n", "s")]
    given_names = GIVEN_NAMES.split("|")
    given = rng.integers(0, len(given_names), (len(surnames), 8))
    middle = rng.integers(0, 40, given.shape)
    names = [
        f"{given_names[first]} {chr(65 + initial) + '. ' if initial < 26 else ''}{surname}"
        for surname, row, initials in zip(surnames, given.tolist(), middle.tolist(), strict=True)
        for first, initial in zip(row, initials, strict=True)
    ]
    return [names[i] for i in rng.permutation(len(names))]
