"""Who is s, who is t: chosen so that looking alike says nothing about being reachable.

Two papers a few citations apart share topic, years and authors more often than two papers of different components: with
independent backbones title similarity alone tells YES from NO with an AUC of 0.62 at depth 4 on real citations, and
their blocks, with all they list, tell more. So each example first draws at which rank the right target shall stand
among all components' targets, for each likeness separately and uniformly; then groups of backbones are drawn until a
choice of s, t and the other targets gives these ranks and none stands out, and are grown until what is listed around
them does so too.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product

from graphniah_inspect.build.draws import Draws
from graphniah_inspect.build.similarity import TitleWords, cosine, family_names
from graphniah_inspect.citations.paper import Paper

Likeness = Callable[["Look", "Look"], float]


@dataclass(frozen=True)
class Look:
    """What a paper looks like without following a citation.

    Attributes:
        words: Weights of the words of its title; after growth, of all titles in its own block.
        names: Family names of its authors.
        year: Its year, if known.
    """

    words: dict[str, float]
    names: frozenset[str]
    year: int | None

    @classmethod
    def of(cls, paper: Paper, cited: Iterable[Paper], words: TitleWords) -> "Look":
        """The look of a paper with the list of what it cites, or, before growth, by its title alone."""
        titles = " ".join((paper.title, *(other.title for other in cited)))
        return cls(words.vector(titles), family_names(paper), paper.year)


def _similar(a: Look, b: Look) -> float:
    return cosine(a.words, b.words)


def _year_gap(a: Look, b: Look) -> float:
    """Years between two papers; -1 where one has no year, so that such papers tie."""
    return abs(a.year - b.year) if a.year and b.year else -1


def _shared_names(a: Look, b: Look) -> float:
    return len(a.names & b.names)


BEFORE_GROWTH: tuple[Likeness, ...] = (_similar, _year_gap, _shared_names)
AFTER_GROWTH: tuple[Likeness, ...] = (_similar,)


@dataclass(frozen=True)
class Cast:
    """The roles in an example, given one true path a component.

    Attributes:
        source_component: Place of s's component.
        forward: For each component, whether its target end is the last paper of its true path (else the first).
    """

    source_component: int
    forward: tuple[bool, ...]

    def path(self, true_paths: Sequence[Sequence[int]]) -> list[int]:
        """The true path of s's component, from s to the right target."""
        path = list(true_paths[self.source_component])
        return path if self.forward[self.source_component] else path[::-1]

    def target(self, true_paths: Sequence[Sequence[int]], component: int) -> int:
        """The target end of a component's true path."""
        return true_paths[component][-1 if self.forward[component] else 0]


def draw_ranks(likenesses: Sequence[Likeness], components: int, draws: Draws) -> tuple[int, ...]:
    """For each likeness, how many of the candidates shall be less like s than the right target is."""
    return tuple(draws.below(components) for _ in likenesses)


def any_cast(components: int, draws: Draws) -> Cast:
    """Roles at random, unbalanced, as the dataset card has them."""
    return Cast(draws.below(components), tuple(bool(draws.below(2)) for _ in range(components)))


def balanced_cast(ends: Sequence[Sequence[Look]], ranks: tuple[int, ...], draws: Draws) -> Cast | None:
    """Roles that give the right target the wanted ranks before growth; None where no choice does.

    Args:
        ends: The looks of both ends of each component's true path.
        ranks: What ``draw_ranks`` drew for ``BEFORE_GROWTH``.
        draws: The example's stream.
    """
    count = len(ends)
    casts = [Cast(place, forward) for place in range(count) for forward in product((False, True), repeat=count)]
    draws.shuffle(casts)
    for cast in casts:
        place = cast.source_component
        source = ends[place][not cast.forward[place]]
        targets = [pair[forward] for pair, forward in zip(ends, cast.forward, strict=True)]
        if has_ranks(source, targets, place, BEFORE_GROWTH, ranks, draws):
            return cast
    return None


def has_ranks(
    source: Look,
    targets: Sequence[Look],
    right: int,
    likenesses: Sequence[Likeness],
    ranks: tuple[int, ...],
    draws: Draws,
) -> bool:
    """Whether by each likeness no target stands out, and the right one has the wanted rank, ties broken at random."""
    for likeness, rank in zip(likenesses, ranks, strict=True):
        values = [likeness(source, target) for target in targets]
        if _stands_out(values) or _rank(values, right, draws) != rank:
            return False
    return True


def _stands_out(values: Sequence[float]) -> bool:
    """Whether the first or last lies farther from the next than the others lie apart.

    Ranks alone would leave a trace: the right target would be first as often as any other, but by more.
    """
    ordered = sorted(values)
    return ordered[-1] - ordered[-2] > ordered[-2] - ordered[0] or ordered[1] - ordered[0] > ordered[-1] - ordered[1]


def _rank(values: Sequence[float], place: int, draws: Draws) -> int:
    """How many other values stand below the one at ``place``, ties broken at random."""
    below = sum(value < values[place] for value in values)
    equal = sum(value == values[place] for value in values) - 1
    return below + draws.below(equal + 1)
