"""Who is s, who is t: chosen so that looking alike says nothing about being reachable.

Two papers a few citations apart share topic, years and authors more often than two papers of different components: with
independent backbones title similarity alone tells YES from NO with an AUC of 0.62 at depth 4 on real citations. So each
example first draws at which rank the right target shall stand among all components' targets, for each kind of
likeness separately and uniformly; then groups of backbones are drawn until a choice of s, t and the other targets gives
these ranks. Which component is s's is drawn among those that fit, before sizes are handed out at random.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product

from graphniah_inspect.build.draws import Draws
from graphniah_inspect.build.similarity import TitleWords, cosine, shared_authors, year_gap
from graphniah_inspect.citations.paper import Paper

MEASURES = ("title similarity", "year gap", "shared authors")


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


def draw_ranks(components: int, draws: Draws) -> tuple[int, ...]:
    """For each measure, how many of the candidates shall be less like s than the right target is."""
    return tuple(draws.below(components) for _ in MEASURES)


def any_cast(components: int, draws: Draws) -> Cast:
    """Roles at random, unbalanced, as the dataset card has them."""
    return Cast(draws.below(components), tuple(bool(draws.below(2)) for _ in range(components)))


def balanced_cast(
    true_paths: Sequence[Sequence[int]],
    ranks: tuple[int, ...],
    paper: Callable[[int], Paper],
    words: TitleWords,
    draws: Draws,
) -> Cast | None:
    """Roles that give the right target the wanted ranks; None where no choice does.

    Args:
        true_paths: One a component, end to end.
        ranks: What ``draw_ranks`` drew. Ties with other candidates are broken at random.
        paper: Looks a paper up.
        words: Weights of title words.
        draws: The example's stream.
    """
    count = len(true_paths)
    ends = [paper(path[place]) for path in true_paths for place in (0, -1)]
    vectors = [words.vector(end.title) for end in ends]
    casts = [Cast(place, forward) for place in range(count) for forward in product((False, True), repeat=count)]
    draws.shuffle(casts)
    for cast in casts:
        own = 2 * cast.source_component
        source = own + (not cast.forward[cast.source_component])
        targets = [2 * place + cast.forward[place] for place in range(count)]
        measured: tuple[list[float], ...] = (
            [cosine(vectors[source], vectors[target]) for target in targets],
            [year_gap(ends[source], ends[target]) for target in targets],
            [shared_authors(ends[source], ends[target]) for target in targets],
        )
        if all(
            _rank(values, cast.source_component, draws) == rank for values, rank in zip(measured, ranks, strict=True)
        ):
            return cast
    return None


def _rank(values: Sequence[float], place: int, draws: Draws) -> int:
    """How many other values stand below the one at ``place``, ties broken at random."""
    below = sum(value < values[place] for value in values)
    equal = sum(value == values[place] for value in values) - 1
    return below + draws.below(equal + 1)
