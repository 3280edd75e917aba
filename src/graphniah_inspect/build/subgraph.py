"""The citation graph of one example: its components, who is s, and where its true path runs."""

from dataclasses import dataclass

from graphniah_inspect.build.backbone import backbone_length, draw_group, true_path
from graphniah_inspect.build.balance import Cast, any_cast, balanced_cast, draw_ranks
from graphniah_inspect.build.draws import Draws
from graphniah_inspect.build.graph import CitationGraph, Taken
from graphniah_inspect.build.growth import Component, grow
from graphniah_inspect.build.plan import Variables
from graphniah_inspect.build.settings import Settings
from graphniah_inspect.build.similarity import TitleWords
from graphniah_inspect.errors import UserError

_MAX_GROUPS = 5_000


@dataclass(frozen=True)
class Subgraph:
    """What is hidden in the context, as papers of the snapshot.

    Attributes:
        components: Trees without a common paper.
        cast: Which component is s's, and which end of each true path is a target.
        seed: The paper near which all backbones start.
        groups: How many groups of backbones were drawn until one fitted.
    """

    components: tuple[Component, ...]
    cast: Cast
    seed: int
    groups: int

    @property
    def path(self) -> list[int]:
        """From s to the right target."""
        return self.cast.path([true_path(list(c.backbone)) for c in self.components])

    @property
    def targets(self) -> list[int]:
        """The target end of every component's true path."""
        paths = [true_path(list(c.backbone)) for c in self.components]
        return [self.cast.target(paths, place) for place in range(len(paths))]


def draw_subgraph(
    graph: CitationGraph,
    words: TitleWords,
    settings: Settings,
    variables: Variables,
    taken: Taken,
    draws: Draws,
) -> Subgraph:
    """Draw backbones until the roles balance and all of them grow to size.

    Components are drawn alike and grown in random order, so that none is marked by being s's.

    Raises:
        UserError: No group fits; the message says which setting to change.
    """
    length = backbone_length(variables.question_depth)
    ranks = draw_ranks(settings.components, draws)
    for number in range(1, _MAX_GROUPS + 1):
        seed, group = draw_group(graph, settings.components, length, settings.seed_hops, taken, draws)
        paths = [true_path(backbone) for backbone in group]
        cast: Cast | None
        if settings.balance:
            cast = balanced_cast(paths, ranks, graph.paper, words, draws)
        else:
            cast = any_cast(settings.components, draws)
        components = cast and _grow_all(graph, group, cast, settings, variables, taken, draws)
        if cast and components:
            return Subgraph(components, cast, seed, number)
        for backbone in group:
            taken.give_back(backbone)
    raise UserError(
        f"{graph.snapshot.path}: {_MAX_GROUPS} groups of backbones of {length} papers, and none that balances and "
        f"grows to {variables.component_node_count} papers. Use smaller sizes, a larger snapshot, "
        "--growth-dates any, or --no-balance."
    )


def _grow_all(
    graph: CitationGraph,
    group: list[list[int]],
    cast: Cast,
    settings: Settings,
    variables: Variables,
    taken: Taken,
    draws: Draws,
) -> tuple[Component, ...] | None:
    low, high = settings.sizes(variables.question_depth)
    sizes = [
        variables.component_node_count
        if settings.equal_sizes or place == cast.source_component
        else low + draws.below(high - low + 1)
        for place in range(len(group))
    ]
    grown: dict[int, Component] = {}
    for place in draws.sample(range(len(group)), len(group)):
        component = grow(
            graph,
            group[place],
            sizes[place],
            settings.alpha,
            taken,
            draws,
            any_date=settings.any_date_growth,
        )
        if component is None:
            for other in grown.values():
                taken.give_back(other.papers[len(other.backbone) :])
            return None
        grown[place] = component
    return tuple(grown[place] for place in range(len(group)))
