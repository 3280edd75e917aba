"""The haystack of citations: further components, to the token.

They are sampled as the others are. The last one is cut back to a beginning of its construction (every prefix of which
is a tree), and a leaf or two are exchanged until the rest of the budget is as small as asked.
"""

from graphniah_inspect.build.backbone import backbone_length, seed_paper, walk_near
from graphniah_inspect.build.blocks import Block, component_blocks, paper_block, reference_lists
from graphniah_inspect.build.draws import Draws
from graphniah_inspect.build.graph import CitationGraph, Taken
from graphniah_inspect.build.growth import Component, grow
from graphniah_inspect.build.length import Count, MisfitError
from graphniah_inspect.build.settings import Settings

_TRIES_A_LEAF = 20
_TRIES_A_FIT = 3_000
_SEEDS = 50


def tree_fill(
    graph: CitationGraph,
    settings: Settings,
    depth: int,
    near: int,
    budget: int,
    tolerance: int,
    taken: Taken,
    draws: Draws,
    count: Count,
) -> list[list[Block]]:
    """Further components, sampled as the others are, the last one cut back so that they fill the budget.

    Args:
        graph: Where they come from.
        settings: Sizes, alpha, dates.
        depth: That of the example.
        near: The paper near which the example's backbones start; when no path is free there, another is drawn.
        budget: Tokens to fill.
        tolerance: Tokens that may stay unfilled.
        taken: The example's papers.
        draws: The example's stream.
        count: Token counter.

    Returns:
        The blocks of each component.

    Raises:
        MisfitError: No component is left in the graph, or no last one fits.
    """
    filled: list[list[Block]] = []
    low, high = settings.sizes(depth)
    while budget > tolerance:
        component = _component(graph, settings, depth, low + draws.below(high - low + 1), near, taken, draws)
        blocks = component_blocks(graph, component, count)
        if (total := _total(blocks)) > budget:
            size, blocks = _largest_prefix(graph, component, budget, total, count)
            taken.give_back(component.papers[size:])
            filled.append(_fit(graph, settings, component.prefix(size), blocks, budget, tolerance, taken, draws, count))
            return filled
        filled.append(blocks)
        budget -= total
    return filled


def _component(
    graph: CitationGraph, settings: Settings, depth: int, size: int, near: int, taken: Taken, draws: Draws
) -> Component:
    seed = near
    for _ in range(_SEEDS):
        backbone = walk_near(graph, seed, backbone_length(depth), settings.seed_hops, taken, draws)
        if backbone:
            grown = grow(graph, backbone, size, settings.alpha, taken, draws, any_date=settings.any_date_growth)
            if grown:
                return grown
            taken.give_back(backbone)
        seed = seed_paper(graph, draws)
    raise MisfitError("the graph has no room for another component")


def _total(blocks: list[Block]) -> int:
    return sum(block.tokens for block in blocks)


def _largest_prefix(
    graph: CitationGraph, component: Component, budget: int, total: int, count: Count
) -> tuple[int, list[Block]]:
    """The largest beginning of a component within the budget, found by interpolation, then by halves."""
    low, low_tokens, best = 1, 0, list[Block]()
    high, high_tokens = len(component.papers), total
    while high - low > 1:
        guess = low + (high - low) * (budget - low_tokens) // max(1, high_tokens - low_tokens)
        size = min(max(guess, low + 1), high - 1)
        blocks = component_blocks(graph, component.prefix(size), count)
        if (tokens := _total(blocks)) <= budget:
            low, low_tokens, best = size, tokens, blocks
        else:
            high, high_tokens = size, tokens
    return low, best


def _fit(
    graph: CitationGraph,
    settings: Settings,
    component: Component,
    blocks: list[Block],
    budget: int,
    tolerance: int,
    taken: Taken,
    draws: Draws,
    count: Count,
) -> list[Block]:
    """Swap leaves of a component until its blocks leave at most ``tolerance`` of the budget."""
    papers, citations = list(component.papers), list(component.citations)
    cost = {block.citing: block.tokens for block in blocks}
    neighbours = graph.any_date if settings.any_date_growth else graph.recent
    for attempt in range(1, _TRIES_A_FIT + 1):
        room = budget - sum(cost.values())
        if 0 <= room <= tolerance:
            lists = reference_lists(citations)
            return [paper_block(graph, citing, cited, count) for citing, cited in lists]
        if attempt % _TRIES_A_LEAF == 0:
            # no leaf fits here: make room for others
            for _ in range(min(2, len(papers) - 2)):
                taken.give_back([papers.pop()])
                citing, _ = citations.pop()
                _recount(graph, citations, citing, cost, count)
            continue
        point = draws.choice(papers)
        added = taken.take_one(neighbours(point), draws)
        if added is None:
            continue
        edge = graph.citation(point, added, draws)
        before = cost.get(edge[0], 0)
        _recount(graph, [*citations, edge], edge[0], cost, count)
        left = room - (cost[edge[0]] - before)
        if left >= 0:
            papers.append(added)
            citations.append(edge)
        else:
            taken.give_back([added])
            _recount(graph, citations, edge[0], cost, count)
    raise MisfitError(f"no leaf fits into {budget} tokens")


def _recount(
    graph: CitationGraph, citations: list[tuple[int, int]], citing: int, cost: dict[int | None, int], count: Count
) -> None:
    cited = [other for paper, other in citations if paper == citing]
    if cited:
        cost[citing] = paper_block(graph, citing, cited, count).tokens
    else:
        cost.pop(citing, None)
