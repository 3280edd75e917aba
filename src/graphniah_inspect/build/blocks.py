"""Blocks of a prompt. Their token counts add up over any order, so that many are counted at once and none twice."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from graphniah_inspect.build.graph import CitationGraph
from graphniah_inspect.build.length import Count
from graphniah_inspect.citations.text import render_block


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of the context.

    Attributes:
        text: As it stands in the prompt.
        citing: The paper it describes (an index into the snapshot); None for other text.
        cited: The papers it lists.
        source: Where other text comes from.
    """

    text: str
    citing: int | None = None
    cited: tuple[int, ...] = ()
    source: str = ""


def reference_lists(citations: Iterable[tuple[int, int]]) -> dict[int, tuple[int, ...]]:
    """What each citing paper cites."""
    lists: dict[int, tuple[int, ...]] = {}
    for citing, cited in citations:
        lists[citing] = (*lists.get(citing, ()), cited)
    return lists


def paper_block(graph: CitationGraph, citing: int, cited: tuple[int, ...]) -> Block:
    """The block of one paper."""
    text = render_block(graph.paper(citing), [graph.paper(other) for other in cited])
    return Block(text, citing, cited)


def component_blocks(graph: CitationGraph, citations: Iterable[tuple[int, int]]) -> list[Block]:
    """The blocks of a component: one for each paper that cites another of it."""
    return [paper_block(graph, citing, cited) for citing, cited in reference_lists(citations).items()]


def count_blocks(blocks: Sequence[Block], count: Count) -> int:
    """Tokens of some blocks together, in any order."""
    return count("".join(block.text for block in blocks))
