"""The right answer, from the prompt's own text, by networkx.

bfs: the nodes at shortest-path distance exactly N from X. parents: the nodes with an edge to X, without X
itself. A node that is in no edge has neither. It says nothing about a prompt that it cannot read:
`UnreadablePromptError`.
"""

from collections.abc import Iterable

import networkx as nx

from graphniah_inspect.graphwalks.layout import ANSWER_LABEL, Edge, Operation, read_prompt


def solve(prompt: str) -> list[str]:
    """The nodes that the prompt's operation results in, in the order in which the graph first names them.

    Raises:
        UnreadablePromptError: The prompt departs from the layout.
    """
    return solve_operation(*read_prompt(prompt))


def solve_operation(edges: Iterable[Edge], operation: Operation) -> list[str]:
    """The same, from edges and an operation."""
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_edges_from(edges)
    node, depth = operation.node, operation.depth
    if node not in graph:
        return []
    if depth is None:
        found = {parent for parent in graph.predecessors(node) if parent != node}
    else:
        distances = nx.single_source_shortest_path_length(graph, node, cutoff=depth)
        found = {other for other, distance in distances.items() if distance == depth}
    return [other for other in graph if other in found]


def answer_text(nodes: Iterable[str]) -> str:
    """A response that every grader reads, whatever the number of nodes."""
    return f"{ANSWER_LABEL} [{', '.join(nodes)}]"
