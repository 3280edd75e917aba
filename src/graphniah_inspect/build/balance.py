"""Who is s, who is t: chosen so that looking alike says nothing about being reachable.

Two papers a few citations apart share topic, years and authors more often than two papers of different components: with
independent backbones title similarity alone tells YES from NO with an AUC of 0.62 at depth 4 on real citations, and
their blocks, with all they list, tell more. So each example first draws a model: how alike s is to a *wrong* target in
a group of backbones drawn for that purpose and thrown away. Then groups are drawn until the right target is just as
alike, by title, year and authors, and grown until it is by its block, which must list as many papers, too. So right and
wrong targets look alike in distribution. The answer plays no part in this: the same is drawn for YES and for NO.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from graphniah_inspect.build.draws import Draws
from graphniah_inspect.build.similarity import TitleWords, cosine, family_names
from graphniah_inspect.citations.paper import Paper


@dataclass(frozen=True)
class Look:
    """What a paper looks like without following a citation.

    Attributes:
        words: Weights of the words of its title; after growth, of all titles in its own block.
        names: Family names of its authors.
        year: Its year, if known.
        references: How many papers its block lists.
    """

    words: dict[str, float]
    names: frozenset[str]
    year: int | None
    references: int

    @classmethod
    def of(cls, paper: Paper, cited: Sequence[Paper], words: TitleWords) -> "Look":
        """The look of a paper with the list of what it cites, or, before growth, by its title alone."""
        titles = " ".join((paper.title, *(other.title for other in cited)))
        return cls(words.vector(titles), family_names(paper), paper.year, len(cited))


@dataclass(frozen=True)
class Likeness:
    """A number that tells how alike s and t are, or what makes them so.

    Attributes:
        measure: Takes s and t.
        near: How far it may lie from the number wanted.
        nearly: The same, as a share of it.
    """

    measure: Callable[[Look, Look], float]
    near: float
    nearly: float

    def is_near(self, s: Look, t: Look, wanted: float) -> bool:
        """Whether s and t are as alike as wanted."""
        return abs(self.measure(s, t) - wanted) <= self.near + self.nearly * abs(wanted)


WORDS = Likeness(lambda s, t: cosine(s.words, t.words), near=0.02, nearly=0.3)
NAMES = Likeness(lambda s, t: len(s.names & t.names), near=0, nearly=0)
YEARS = Likeness(lambda s, t: abs(s.year - t.year) if s.year and t.year else -1, near=0, nearly=0.15)
# of an unusually old or new s every wrong target is far in years
YEAR_OF_S = Likeness(lambda s, t: s.year or 0, near=2, nearly=0)
# what lists little is little alike to anything: by words alone right targets would come to list less than wrong ones
REFERENCES = Likeness(lambda s, t: t.references, near=0, nearly=0.15)

BEFORE_GROWTH = (WORDS, NAMES, YEARS, YEAR_OF_S)
AFTER_GROWTH = (WORDS, REFERENCES)


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
        return self.own_path(true_paths[self.source_component])

    def own_path(self, true_path: Sequence[int]) -> list[int]:
        """The true path of s's component, given as it was walked, from s to the right target."""
        return list(true_path) if self.forward[self.source_component] else list(true_path[::-1])

    def target(self, true_paths: Sequence[Sequence[int]], component: int) -> int:
        """The target end of a component's true path."""
        return true_paths[component][-1 if self.forward[component] else 0]


def any_cast(components: int, draws: Draws) -> Cast:
    """Roles at random, unbalanced, as the dataset card has them."""
    return Cast(draws.below(components), tuple(bool(draws.below(2)) for _ in range(components)))


def model_cast(components: int, draws: Draws) -> tuple[Cast, int]:
    """Roles at random, and the component of the wrong target that is the model."""
    cast = any_cast(components, draws)
    return cast, (cast.source_component + 1 + draws.below(components - 1)) % components


def balanced_cast(ends: Sequence[Sequence[Look]], wanted: Sequence[float], draws: Draws) -> Cast | None:
    """Roles in which the right target is as like s as wanted, before growth; None where there are none.

    Args:
        ends: The looks of both ends of each component's true path.
        wanted: The model's values of ``BEFORE_GROWTH``.
        draws: The example's stream.
    """
    fitting = [
        (place, forward)
        for place, pair in enumerate(ends)
        for forward in (True, False)
        if as_alike(pair[not forward], pair[forward], BEFORE_GROWTH, wanted)
    ]
    if not fitting:
        return None
    place, forward = draws.choice(fitting)
    ways = list(any_cast(len(ends), draws).forward)
    ways[place] = forward
    return Cast(place, tuple(ways))


def how_alike(s: Look, t: Look, likenesses: Sequence[Likeness]) -> list[float]:
    """Two papers by each likeness."""
    return [likeness.measure(s, t) for likeness in likenesses]


def as_alike(s: Look, t: Look, likenesses: Sequence[Likeness], wanted: Sequence[float]) -> bool:
    """Whether two papers are as alike as wanted, by each likeness."""
    return all(likeness.is_near(s, t, value) for likeness, value in zip(likenesses, wanted, strict=True))
