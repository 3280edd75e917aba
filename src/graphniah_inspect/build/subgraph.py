"""The citation graph of one example: its components, who is s, and where its true path runs."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

from graphniah_inspect.build.backbone import backbone_length, draw_group, true_path
from graphniah_inspect.build.balance import (
    AFTER_GROWTH,
    BEFORE_GROWTH,
    Cast,
    Look,
    any_cast,
    as_alike,
    balanced_cast,
    how_alike,
    model_cast,
)
from graphniah_inspect.build.draws import Draws
from graphniah_inspect.build.graph import CitationGraph, Taken
from graphniah_inspect.build.growth import Component, grow
from graphniah_inspect.build.plan import Variables
from graphniah_inspect.build.settings import Settings
from graphniah_inspect.build.similarity import TitleWords
from graphniah_inspect.errors import UserError

_MAX_GROUPS = 5_000
_GROUPS_A_MODEL = 1_000
"""After so many groups another model is drawn: a few are so unusual that no path has them."""
_GROWTHS_A_GROUP = 12


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
    length = backbone_length(variables.question_depth)
    model: _Model | None = None
    for number in range(_MAX_GROUPS):
        if settings.balance and number % _GROUPS_A_MODEL == 0:
            model = _Model.draw(graph, words, settings, variables, taken, draws)
        seed, group = draw_group(graph, settings.components, length, settings.seed_hops, taken, draws)
        cast = _cast(graph, group, model, words, draws)
        if cast is not None:
            components = _grow_all(
                graph,
                group,
                cast,
                settings,
                variables,
                taken,
                draws,
                partial(model.fits, graph, words, cast) if model else None,
            )
            if components is not None:
                return Subgraph(components, cast, seed, number + 1)
        for backbone in group:
            taken.give_back(backbone)
    raise _no_group(graph, variables)


def _no_group(graph: CitationGraph, variables: Variables) -> UserError:
    return UserError(
        f"{graph.snapshot.path}: {_MAX_GROUPS} groups of backbones for depth {variables.question_depth}, and none that "
        f"balances and grows to {variables.component_node_count} papers. Use smaller sizes, a larger snapshot, "
        "--growth-dates any, or --no-balance."
    )


def _cast(
    graph: CitationGraph, group: list[list[int]], model: "_Model | None", words: TitleWords, draws: Draws
) -> Cast | None:
    if model is None:
        return any_cast(len(group), draws)
    paths = [true_path(backbone) for backbone in group]
    ends = [[Look.of(graph.paper(path[end]), (), words) for end in (0, -1)] for path in paths]
    return balanced_cast(ends, model.before, draws)


@dataclass(frozen=True)
class _Model:
    """How alike s and the right target shall be: as s and a wrong target of another group are.

    Attributes:
        before: Values of ``BEFORE_GROWTH``.
        after: Values of ``AFTER_GROWTH``.
    """

    before: list[float]
    after: list[float]

    @classmethod
    def draw(
        cls,
        graph: CitationGraph,
        words: TitleWords,
        settings: Settings,
        variables: Variables,
        taken: Taken,
        draws: Draws,
    ) -> "_Model":
        """Draw a group like the example's, look at s and one wrong target, and let go of it."""
        length, count = backbone_length(variables.question_depth), settings.components
        for number in range(1, _MAX_GROUPS + 1):
            seed, group = draw_group(graph, count, length, settings.seed_hops, taken, draws)
            cast, wrong = model_cast(count, draws)
            components = _grow_all(graph, group, cast, settings, variables, taken, draws)
            for component in components or ():
                taken.give_back(component.papers)
            if components:
                subgraph = Subgraph(components, cast, seed, number)
                s, t = subgraph.path[0], subgraph.targets[wrong]
                titles = [Look.of(graph.paper(paper), (), words) for paper in (s, t)]
                s_block = _block_look(graph, words, s, components[cast.source_component])
                t_block = _block_look(graph, words, t, components[wrong])
                return cls(how_alike(titles[0], titles[1], BEFORE_GROWTH), how_alike(s_block, t_block, AFTER_GROWTH))
            for backbone in group:
                taken.give_back(backbone)
        raise _no_group(graph, variables)

    def fits(self, graph: CitationGraph, words: TitleWords, cast: Cast, own: Component) -> bool:
        """Whether the blocks of s and the right target are what is wanted."""
        path = cast.own_path(true_path(list(own.backbone)))
        s, t = (_block_look(graph, words, paper, own) for paper in (path[0], path[-1]))
        return as_alike(s, t, AFTER_GROWTH, self.after)


def _block_look(graph: CitationGraph, words: TitleWords, paper: int, component: Component) -> Look:
    cited = [graph.paper(other) for citing, other in component.citations if citing == paper]
    return Look.of(graph.paper(paper), cited, words)


def _give_back_growth(components: Iterable[Component], taken: Taken) -> None:
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
    fits: Callable[[Component], bool] | None = None,
) -> tuple[Component, ...] | None:
    """Grow the components in random order, s's at its turn again and again until it fits; None where one does not."""
    low, high = settings.sizes(variables.question_depth)
    grown: dict[int, Component] = {}
    for place in draws.sample(range(len(group)), len(group)):
        own = place == cast.source_component
        size = variables.component_node_count if settings.equal_sizes or own else low + draws.below(high - low + 1)
        for _ in range(_GROWTHS_A_GROUP if own and fits else 1):
            component = grow(graph, group[place], size, settings.alpha, taken, draws, any_date=settings.any_date_growth)
            if component is None or not own or fits is None or fits(component):
                break
            _give_back_growth([component], taken)
            component = None
        if component is None:
            _give_back_growth(grown.values(), taken)
            return None
        grown[place] = component
    return tuple(grown[place] for place in range(len(group)))
