"""The citation graph of one example: its components, who is s, and where its true path runs."""

from collections.abc import Iterable
from dataclasses import dataclass

from graphniah_inspect.build.backbone import backbone_length, draw_group, true_path
from graphniah_inspect.build.balance import (
    AFTER_GROWTH,
    BEFORE_GROWTH,
    Cast,
    Look,
    any_cast,
    balanced_cast,
    draw_ranks,
    has_ranks,
)
from graphniah_inspect.build.draws import Draws
from graphniah_inspect.build.graph import CitationGraph, Taken
from graphniah_inspect.build.growth import Component, grow
from graphniah_inspect.build.plan import Variables
from graphniah_inspect.build.settings import Settings
from graphniah_inspect.build.similarity import TitleWords
from graphniah_inspect.errors import UserError

_MAX_GROUPS = 5_000
_GROWTHS_A_GROUP = 4


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
    """Draw backbones until roles balance, and grow them until what is listed around s and t balances too.

    Components are drawn alike and grown in random order, so that none is marked by being s's.

    Raises:
        UserError: No group fits; the message says which setting to change.
    """
    length, count = backbone_length(variables.question_depth), settings.components
    before, after = (draw_ranks(likenesses, count, draws) for likenesses in (BEFORE_GROWTH, AFTER_GROWTH))
    for number in range(1, _MAX_GROUPS + 1):
        seed, group = draw_group(graph, count, length, settings.seed_hops, taken, draws)
        cast: Cast | None = any_cast(count, draws)
        if settings.balance:
            paths = [true_path(backbone) for backbone in group]
            looks = [[Look.of(graph.paper(path[end]), (), words) for end in (0, -1)] for path in paths]
            cast = balanced_cast(looks, before, draws)
        for _ in range(_GROWTHS_A_GROUP):
            if cast is None:
                break
            components = _grow_all(graph, group, cast, settings, variables, taken, draws)
            if components is None:
                break
            subgraph = Subgraph(components, cast, seed, number)
            if not settings.balance or _looks_balanced(graph, subgraph, words, after, draws):
                return subgraph
            _shrink(components, taken)
        for backbone in group:
            taken.give_back(backbone)
    raise UserError(
        f"{graph.snapshot.path}: {_MAX_GROUPS} groups of backbones of {length} papers, and none that balances and "
        f"grows to {variables.component_node_count} papers. Use smaller sizes, a larger snapshot, "
        "--growth-dates any, or --no-balance."
    )


def _looks_balanced(
    graph: CitationGraph, subgraph: Subgraph, words: TitleWords, ranks: tuple[int, ...], draws: Draws
) -> bool:
    """Whether the right target has the wanted ranks by what the papers' own blocks show."""
    own = subgraph.cast.source_component

    def look(paper: int, component: Component) -> Look:
        cited = [graph.paper(other) for citing, other in component.citations if citing == paper]
        return Look.of(graph.paper(paper), cited, words)

    targets = [look(*pair) for pair in zip(subgraph.targets, subgraph.components, strict=True)]
    return has_ranks(look(subgraph.path[0], subgraph.components[own]), targets, own, AFTER_GROWTH, ranks, draws)


def _shrink(components: Iterable[Component], taken: Taken) -> None:
    """Back to the backbones."""
    for component in components:
        taken.give_back(component.papers[len(component.backbone) :])


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
            _shrink(grown.values(), taken)
            return None
        grown[place] = component
    return tuple(grown[place] for place in range(len(group)))
