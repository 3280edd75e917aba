"""What a lazy model could go by instead of the graph: numbers about s and t that need no search.

For every pair of the source and a target (or option): where both stand in the prompt and how far apart, their
degrees and blocks, how alike their titles and authors are, their years, how long prompt and titles are, and
where the target stands in reference lists. All from the prompt's text.
"""

import math
import re
from bisect import bisect_right
from collections import Counter
from itertools import pairwise

import networkx as nx

from graphniah_inspect.audit.structure import place
from graphniah_inspect.citations.paper import marked_title, title_key
from graphniah_inspect.citations.parse import Block, ReadPrompt
from graphniah_inspect.citations.text import AUTHORS_LABEL, PUBLISHED_LABEL, REFERENCE_MARK

FEATURES = (
    *("position of s", "position of t", "distance s to t", "t after s by"),
    *("degree of s", "degree of t", "references of s", "references of t"),
    *("block length of s", "block length of t", "word overlap", "TF-IDF similarity", "shared author words"),
    *("year of s", "year of t", "year gap", "t younger by", "prompt length"),
    *("title length of s", "title length of t", "place of s in lists", "place of t in lists"),
    *("disorder of lists with s", "disorder of lists with t", "option position"),
)
_YEAR = re.compile(r"\((\d{4})\)")
_PUBLISHED = re.compile(rf"^{PUBLISHED_LABEL}(\d{{4}})\b", re.MULTILINE)
_AUTHORS = re.compile(rf"^{AUTHORS_LABEL}(.*)$", re.MULTILINE)


class PairFeatures:
    """Features of (s, t) in one prompt.

    Args:
        text: The user prompt.
        prompt: The same, read.
        graph: Its citation graph.
    """

    def __init__(self, text: str, prompt: ReadPrompt, graph: "nx.Graph[str]") -> None:
        self._text, self._prompt, self._graph = text, prompt, graph
        self._starts = [block.start for block in prompt.blocks]
        self._frequency = Counter(word for title in graph for word in set(title_key(title).split()))
        self._source = _Seen(self, prompt.question.source)

    def of(self, title: str, option: int = 0) -> list[float]:
        """The numbers of `FEATURES` for a target or an option's title; NaN where something is not stated."""
        s, t = self._source, _Seen(self, title)
        size = len(self._text)
        gap = t.year - s.year
        return [
            *(s.place / size, t.place / size, abs(t.place - s.place) / size, (t.place - s.place) / size),
            *(s.degree, t.degree, s.references, t.references),
            *(s.block_length, t.block_length, _overlap(s.words, t.words), self._similarity(s.words, t.words)),
            *(_overlap(s.authors, t.authors), s.year, t.year, abs(gap), gap, size),
            *(len(s.title), len(t.title), s.rank, t.rank, s.disorder, t.disorder, option),
        ]

    def _similarity(self, one: set[str], two: set[str]) -> float:
        """Cosine of TF-IDF vectors of the titles, document frequencies from the prompt's own titles."""
        weight = {word: math.log((1 + len(self._graph)) / self._frequency[word]) ** 2 for word in one | two}
        norms = math.sqrt(sum(weight[word] for word in one) * sum(weight[word] for word in two))
        return sum(weight[word] for word in one & two) / norms if norms else 0.0

    def block_at(self, place: int) -> Block:
        """The block that holds a character."""
        return self._prompt.blocks[bisect_right(self._starts, place) - 1]


class _Seen:
    """What the text shows of one paper."""

    def __init__(self, within: PairFeatures, title: str) -> None:
        text, prompt, graph = within._text, within._prompt, within._graph
        own = next((block for block in prompt.blocks if block.title == title), None)
        self.title = title
        self.words = set(title_key(title).split())
        self.place = place(prompt, title)
        self.degree = graph.degree(title)
        self.references = len(own.references) if own else 0
        self.block_length = own.end - own.start if own else 0
        listed = _listings(within, title)
        lists = [own] if own else []
        ranks = []
        for block, _ in listed:
            lists.append(block)
            last = len(block.references) - 1
            ranks.append(block.references.index(title) / last if last else 0.5)
        self.rank = sum(ranks) / len(ranks) if ranks else 0.5
        self.disorder = sum(_disorder(text[block.start : block.end]) for block in lists) / max(1, len(lists))
        self.year, names = _year_and_authors(text[own.start : own.end] if own else None, [line for _, line in listed])
        self.authors = {word for word in title_key(names).split() if len(word) > 2}


def _listings(within: PairFeatures, title: str) -> list[tuple[Block, str]]:
    """Every block that lists the paper, with the line of the reference."""
    text, mark, found = within._text, marked_title(title), []
    start, end = within._prompt.blocks[0].start, within._prompt.blocks[-1].end
    at = text.find(mark, start, end)
    while at >= 0:
        begin = text.rfind("\n", 0, at) + 1
        if text.startswith(REFERENCE_MARK, begin):
            block = within.block_at(at)
            if begin < block.end and title in block.references:
                found.append((block, text[begin : text.find("\n", at)]))
        at = text.find(mark, at + 1, end)
    return found


def _disorder(block: str) -> float:
    """Share of neighbours in a reference list that are not in alphabetical order of their lines."""
    lines = [title_key(line) for line in block.split("\n") if line.startswith(REFERENCE_MARK)]
    pairs = list(pairwise(lines))
    return sum(one > two for one, two in pairs) / len(pairs) if pairs else 0.0


def _year_and_authors(block: str | None, references: list[str]) -> tuple[float, str]:
    if block is not None:
        year, names = _PUBLISHED.search(block), _AUTHORS.search(block)
        return float(year[1]) if year else math.nan, names[1] if names else ""
    for line in references:
        before, _, _ = line.partition(" “")
        if year := _YEAR.search(line):
            return float(year[1]), before[: year.start()] if year.start() < len(before) else ""
    return math.nan, ""


def _overlap(one: set[str], two: set[str]) -> float:
    return len(one & two) / len(one | two) if one | two else 0.0
