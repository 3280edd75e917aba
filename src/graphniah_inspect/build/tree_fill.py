"""The haystack of citations: further components, to the token.

They are sampled as the others are. The last one is cut back to a beginning of its construction (every prefix of which
is a tree), and a leaf or two are exchanged until the rest of the budget is as small as asked.
"""

from dataclasses import dataclass

from graphniah_inspect.build.backbone import backbone_length, seed_paper, walk_near
from graphniah_inspect.build.blocks import Block, component_blocks, count_blocks, paper_block, reference_lists
from graphniah_inspect.build.draws import Draws
from graphniah_inspect.build.graph import CitationGraph, Taken
from graphniah_inspect.build.growth import Component, grow
from graphniah_inspect.build.length import Count, MisfitError
from graphniah_inspect.build.settings import Settings

_TRIES_A_LEAF = 20
_TRIES_A_FIT = 3_000
_SEEDS = 50
_SURELY = 1.25
"""A component whose papers would take this many times the budget at the usual tokens a paper is surely the last."""


@dataclass(frozen=True)
class TreeFill:
    """Fills a context with components.

    Attributes:
        graph: Where they come from.
        settings: Sizes, alpha, dates.
        depth: That of the example.
        near: The paper near which the example's backbones start; when no path is free there, another is drawn.
        tokens_a_paper: About what a paper takes, from the example's own components.
        taken: The example's papers.
        draws: The example's stream.
        count: Token counter.
    """

    graph: CitationGraph
    settings: Settings
    depth: int
    near: int
    tokens_a_paper: float
    taken: Taken
    draws: Draws
    count: Count

    def fill(self, budget: int, tolerance: int) -> tuple[list[list[Block]], int]:
        """The blocks of each component, and how much of the ``budget`` they leave: at most ``tolerance``.

        Raises:
            MisfitError: No component is left in the graph, or no last one fits.
        """
        filled: list[list[Block]] = []
        low, high = self.settings.sizes(self.depth)
        while budget > tolerance:
            component = self._component(low + self.draws.below(high - low + 1))
            if len(component.papers) * self.tokens_a_paper < _SURELY * budget:
                blocks = component_blocks(self.graph, component.citations)
                if (total := count_blocks(blocks, self.count)) <= budget:
                    filled.append(blocks)
                    budget -= total
                    continue
            blocks, budget = self._last(component, budget, tolerance)
            filled.append(blocks)
            break
        return filled, budget

    def _component(self, size: int) -> Component:
        seed, settings = self.near, self.settings
        for _ in range(_SEEDS):
            backbone = walk_near(
                self.graph, seed, backbone_length(self.depth), settings.seed_hops, self.taken, self.draws
            )
            if backbone:
                grown = grow(
                    self.graph,
                    backbone,
                    size,
                    settings.alpha,
                    self.taken,
                    self.draws,
                    any_date=settings.any_date_growth,
                )
                if grown:
                    return grown
                self.taken.give_back(backbone)
            seed = seed_paper(self.graph, self.draws)
        raise MisfitError("the graph has no room for another component")

    def _last(self, component: Component, budget: int, tolerance: int) -> tuple[list[Block], int]:
        """The largest beginning of a component within the budget, found by interpolation, then to the token."""
        low, low_tokens = 1, 0
        high, high_tokens = len(component.papers), int(len(component.papers) * self.tokens_a_paper)
        known: dict[tuple[int, tuple[int, ...]], Block] = {}
        while high - low > 1 and not 0 <= budget - low_tokens <= tolerance:
            guess = low + (high - low) * (budget - low_tokens) // max(1, high_tokens - low_tokens)
            size = min(max(guess, low + 1), high - 1)
            blocks = self._blocks(component.citations[: size - 1], known)
            if (tokens := count_blocks(blocks, self.count)) <= budget:
                low, low_tokens = size, tokens
            else:
                high, high_tokens = size, tokens
        self.taken.give_back(component.papers[low:])
        citations, room = self._fit(
            list(component.papers[:low]), list(component.citations[: low - 1]), budget - low_tokens, tolerance
        )
        return self._blocks(citations, known), room

    def _blocks(
        self,
        citations: list[tuple[int, int]] | tuple[tuple[int, int], ...],
        known: dict[tuple[int, tuple[int, ...]], Block],
    ) -> list[Block]:
        """The blocks of some citations, rendering only those not known yet."""
        lists = reference_lists(citations).items()
        for listed in lists:
            if listed not in known:
                known[listed] = paper_block(self.graph, *listed)
        return [known[listed] for listed in lists]

    def _fit(
        self, papers: list[int], citations: list[tuple[int, int]], room: int, tolerance: int
    ) -> tuple[list[tuple[int, int]], int]:
        """Exchange leaves of a tree until at most ``tolerance`` of the ``room`` is left."""
        neighbours = self.graph.any_date if self.settings.any_date_growth else self.graph.recent
        for attempt in range(1, _TRIES_A_FIT + 1):
            if room <= tolerance:
                return citations, room
            if attempt % _TRIES_A_LEAF == 0:
                # no leaf fits here: make room for others
                for _ in range(min(2, len(papers) - 2)):
                    self.taken.give_back([papers.pop()])
                    edge = citations.pop()
                    room += self._cost(citations, edge)
                continue
            point = self.draws.choice(papers)
            added = self.taken.take_one(neighbours(point), self.draws)
            if added is None:
                continue
            edge = self.graph.citation(point, added, self.draws)
            cost = self._cost(citations, edge)
            if cost <= room:
                papers.append(added)
                citations.append(edge)
                room -= cost
            else:
                self.taken.give_back([added])
        raise MisfitError(f"no leaf fits into {room} tokens")

    def _cost(self, citations: list[tuple[int, int]], edge: tuple[int, int]) -> int:
        """Tokens that one more citation takes."""
        cited = tuple(other for citing, other in citations if citing == edge[0])
        longer = self.count(paper_block(self.graph, edge[0], (*cited, edge[1])).text)
        return longer - self.count(paper_block(self.graph, edge[0], cited).text) if cited else longer
