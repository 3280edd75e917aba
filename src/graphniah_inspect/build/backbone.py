"""Backbones: disjoint self-avoiding walks over real citations, near one another.

A backbone of ``3k - 2`` papers is a distractor path of ``k - 1``, the true path of ``k``, and another distractor path
of ``k - 1`` (dataset card), so that both ends of the true path go on.
"""

from graphniah_inspect.build.draws import Draws
from graphniah_inspect.build.graph import CitationGraph, Taken
from graphniah_inspect.errors import UserError

_TRIES_A_WALK = 20
_TRIES_A_GROUP = 2_000


def backbone_length(depth: int) -> int:
    """Papers of a backbone whose true path has ``depth`` papers."""
    return 3 * depth - 2


def true_path(backbone: list[int]) -> list[int]:
    """The middle part of a backbone, from one end of the true path to the other."""
    depth = (len(backbone) + 2) // 3
    return backbone[depth - 1 : 2 * depth - 1]


def walk(graph: CitationGraph, start: int, length: int, taken: Taken, draws: Draws) -> list[int] | None:
    """Take a random self-avoiding walk of ``length`` recent papers, or None (and take nothing) where it gets stuck."""
    if not taken.take(start):
        return None
    path = [start]
    while len(path) < length:
        following = taken.take_one(graph.recent(path[-1]), draws)
        if following is None:
            taken.give_back(path)
            return None
        path.append(following)
    return path


def seed_paper(graph: CitationGraph, draws: Draws) -> int:
    """A recent paper with recent neighbours, uniformly.

    Raises:
        UserError: None was found.
    """
    snapshot = graph.snapshot
    for _ in range(100_000 if snapshot.n else 0):
        paper = draws.below(snapshot.n)
        if snapshot.recent[paper] and graph.recent(paper):
            return paper
    raise UserError(
        f"{snapshot.path}: found no citation between two papers from the cutoff on. Ingest with an earlier --cutoff."
    )


def near(graph: CitationGraph, seed: int, hops: int, draws: Draws) -> int:
    """A paper that a random walk of 1 to ``hops`` steps from the seed reaches."""
    paper = seed
    for _ in range(1 + draws.below(hops)):
        paper = draws.choice(graph.recent(paper))
    return paper


def walk_near(
    graph: CitationGraph, seed: int | None, length: int, hops: int, taken: Taken, draws: Draws
) -> list[int] | None:
    """A walk that starts within ``hops`` of the seed (0: anywhere, as independent backbones do)."""
    for _ in range(_TRIES_A_WALK):
        start = near(graph, seed, hops, draws) if hops and seed is not None else seed_paper(graph, draws)
        path = walk(graph, start, length, taken, draws)
        if path is not None:
            return path
    return None


def draw_group(
    graph: CitationGraph, count: int, length: int, hops: int, taken: Taken, draws: Draws
) -> tuple[int, list[list[int]]]:
    """Take the backbones of one example, disjoint, all starting within ``hops`` of one seed paper.

    Args:
        graph: Where the walks go.
        count: How many backbones, one a component.
        length: Papers of each.
        hops: Largest distance of their first papers from the seed; 0 draws each anywhere.
        taken: The example's papers, to which these are added.
        draws: The example's stream.

    Returns:
        The seed paper and the backbones.

    Raises:
        UserError: The graph seems to hold no such group.
    """
    for _ in range(_TRIES_A_GROUP):
        seed = seed_paper(graph, draws)
        group: list[list[int]] = []
        while len(group) < count:
            path = walk_near(graph, seed, length, hops, taken, draws)
            if path is None:
                break
            group.append(path)
        if len(group) == count:
            return seed, group
        for path in group:
            taken.give_back(path)
    raise UserError(
        f"{graph.snapshot.path}: {_TRIES_A_GROUP} draws found no {count} disjoint citation paths of {length} papers "
        "near one another. Use smaller --depths, fewer --components, a larger --seed-hops, or a larger snapshot."
    )
