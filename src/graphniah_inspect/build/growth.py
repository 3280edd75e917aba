"""Growth: a backbone becomes a tree of real citations by preferential attachment.

The next attachment point is drawn with probability proportional to ``alpha + degree`` in the tree, then one of its
real neighbours that no component of the example holds, uniformly. Only the edges of the tree are ever written.
"""

from dataclasses import dataclass
from itertools import pairwise

from graphniah_inspect.build.draws import Draws
from graphniah_inspect.build.graph import CitationGraph, Taken


@dataclass(frozen=True)
class Component:
    """A tree of papers; every prefix of ``papers`` is a tree as well.

    Attributes:
        papers: Indices into the snapshot, backbone first, then in the order of growth.
        citations: ``(citing, cited)`` of the edge by which each paper but the first joined.
        backbone: Papers of the backbone, in walking order.
    """

    papers: tuple[int, ...]
    citations: tuple[tuple[int, int], ...]
    backbone: tuple[int, ...]

    def prefix(self, size: int) -> "Component":
        """The first ``size`` papers, as a component."""
        return Component(self.papers[:size], self.citations[: size - 1], self.backbone[:size])


def grow(
    graph: CitationGraph,
    backbone: list[int],
    size: int,
    alpha: float,
    taken: Taken,
    draws: Draws,
    *,
    any_date: bool = False,
) -> Component | None:
    """Grow a backbone to a tree of ``size`` papers.

    Args:
        graph: Where neighbours come from.
        backbone: Its papers, already taken.
        size: Papers of the component, at least those of the backbone.
        alpha: Weight of a point besides its degree.
        taken: The example's papers; those added here are taken.
        draws: The example's stream.
        any_date: Whether papers from before the cutoff may be added.

    Returns:
        The component; None (and nothing more is taken) where no paper has a free neighbour left.
    """
    neighbours = graph.any_date if any_date else graph.recent
    papers = list(backbone)
    joined = list(pairwise(backbone))
    ends = [end for edge in joined for end in edge]  # each paper as often as its degree
    exhausted: set[int] = set()
    while len(papers) < size:
        total = alpha * len(papers) + len(ends)
        point = draws.choice(ends) if draws.uniform() * total < len(ends) else draws.choice(papers)
        if point in exhausted:
            continue
        added = taken.take_one(neighbours(point), draws)
        if added is None:
            exhausted.add(point)
            if len(exhausted) == len(papers):
                taken.give_back(papers[len(backbone) :])
                return None
            continue
        papers.append(added)
        joined.append((point, added))
        ends += (point, added)
    citations = tuple(graph.citation(a, b, draws) for a, b in joined)
    return Component(tuple(papers), citations, tuple(backbone))
