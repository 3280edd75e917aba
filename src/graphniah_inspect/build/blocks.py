"""Blocks of a prompt with their exact token counts, which add up over any order."""

from collections.abc import Iterable
from dataclasses import dataclass

from graphniah_inspect.build.graph import CitationGraph
from graphniah_inspect.build.growth import Component
from graphniah_inspect.build.length import Count
from graphniah_inspect.citations.text import render_block


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of the context.

    Attributes:
        text: As it stands in the prompt.
        tokens: Its ``o200k_base`` tokens.
        citing: The paper it describes (an index into the snapshot); None for other text.
        cited: The papers it lists.
        source: Where other text comes from.
    """

    text: str
    tokens: int
    citing: int | None = None
    cited: tuple[int, ...] = ()
    source: str = ""


def component_blocks(graph: CitationGraph, component: Component, count: Count) -> list[Block]:
    """The blocks of a component: one for each paper that cites another of it."""
    return [paper_block(graph, citing, cited, count) for citing, cited in reference_lists(component.citations)]


def reference_lists(citations: Iterable[tuple[int, int]]) -> list[tuple[int, list[int]]]:
    """Each citing paper with what it cites."""
    lists: dict[int, list[int]] = {}
    for citing, cited in citations:
        lists.setdefault(citing, []).append(cited)
    return list(lists.items())


def paper_block(graph: CitationGraph, citing: int, cited: list[int], count: Count) -> Block:
    """The block of one paper."""
    text = render_block(graph.paper(citing), [graph.paper(other) for other in cited])
    return Block(text, count(text), citing, tuple(cited))
