"""A GraphWalks prompt as text: read into edges and an operation, or written from them.

The layout, of the published rows and of ours: instructions; worked examples, which have a graph and
operations of their own; the line `The graph has the following edges:`; one `src -> dst` a line, ids of 10
hex digits; two blank lines; `Operation:`; the operation; how to answer. Read strictly: a prompt that was
cut, or is of another layout, is `UnreadablePromptError` with the reason, never a smaller graph.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

ProblemType = Literal["bfs", "parents"]
Edge = tuple[str, str]

EDGES_LABEL = "The graph has the following edges:"
OPERATION_LABEL = "Operation:"
ANSWER_LABEL = "Final Answer:"

_NODE = r"(?P<node>[0-9a-f]{10})"
_DEPTH = r"(?P<depth>[1-9][0-9]{0,8})"
_OPERATIONS: tuple[tuple[ProblemType, str | None, re.Pattern[str]], ...] = (
    (
        "bfs",
        "2026",
        re.compile(
            rf"Perform a BFS from node {_NODE} and return only the nodes at exactly depth {_DEPTH} "
            r"\(not nodes at intermediate depths\)\."
        ),
    ),
    (
        "bfs",
        "2025",
        re.compile(rf"Perform a BFS from node {_NODE} with depth {_DEPTH}\."),
    ),
    ("parents", None, re.compile(rf"Find the parents of node {_NODE}\.")),
)
_EDGE = re.compile(r"([0-9a-f]{10}) -> ([0-9a-f]{10})")
_EDGE_LINES = re.compile(r"(?:[0-9a-f]{10} -> [0-9a-f]{10}\n)*+")


class UnreadablePromptError(ValueError):
    """The prompt is not of the known layout; the message says where it departs from it."""


@dataclass(frozen=True)
class Operation:
    """What is asked.

    Attributes:
        text: The operation's line, as in the prompt.
        problem_type: `bfs` or `parents`.
        node: The node it starts from.
        depth: Of a bfs; None for parents.
        wording: `2025` or `2026`, as the operation and the instruction after it say; `mixed` where they
            differ, `unknown` where neither tells. Results under different wordings are not comparable.
    """

    text: str
    problem_type: ProblemType
    node: str
    depth: int | None
    wording: str


def read_operation(prompt: str) -> Operation:
    """The operation of a prompt, without reading its graph.

    Raises:
        UnreadablePromptError: No operation after the graph, or one of unknown words.
    """
    return _split(prompt)[1]


def read_prompt(prompt: str) -> tuple[list[Edge], Operation]:
    """Every edge in order, repeats and self-loops included, and the operation.

    Raises:
        UnreadablePromptError: The prompt departs from the layout, with the place where it does.
    """
    block, operation = _split(prompt)
    good = _EDGE_LINES.match(block)
    end = good.end() if good else 0
    rest = block[end:]
    if rest.strip("\n"):
        line = rest.split("\n", 1)[0]
        number = block.count("\n", 0, end) + 1
        raise UnreadablePromptError(
            f"line {number} of the graph is {line[:60]!r}; expected `src -> dst`, each of 10 hex digits, and "
            "then two blank lines"
        )
    edges: list[Edge] = _EDGE.findall(block)
    if not edges:
        raise UnreadablePromptError("the graph has no edges")
    return edges, operation


def _split(prompt: str) -> tuple[str, Operation]:
    """The graph's lines, each with its line break, and the operation."""
    mark = f"\n{OPERATION_LABEL}\n"
    at = prompt.rfind(mark)
    if at < 0:
        raise UnreadablePromptError(f"no line `{OPERATION_LABEL}`")
    text, _, after = prompt[at + len(mark) :].partition("\n")
    if not after.startswith("\n") or ANSWER_LABEL not in after or _EDGE.search(after):
        # The worked examples have operations too, answered on the next line: a prompt cut short ends in
        # those.
        raise UnreadablePromptError(
            f"the last `{OPERATION_LABEL}` is not the one after the graph; the prompt seems to be cut"
        )
    label = prompt.rfind(EDGES_LABEL + "\n", 0, at)
    if label < 0:
        raise UnreadablePromptError(f"no line `{EDGES_LABEL}` before the operation")
    return prompt[label + len(EDGES_LABEL) + 1 : at + 1], _parse_operation(text, after)


def _parse_operation(text: str, after: str) -> Operation:
    for problem_type, wording, pattern in _OPERATIONS:
        if found := pattern.fullmatch(text):
            groups = found.groupdict()
            depth = int(groups["depth"]) if "depth" in groups else None
            return Operation(text, problem_type, groups["node"], depth, _wording(wording, after))
    raise UnreadablePromptError(
        f"the operation is {text[:120]!r}; expected a BFS with a depth, or the parents, of a node"
    )


def _wording(of_operation: str | None, after: str) -> str:
    found = {of_operation} if of_operation else set()
    if "step by step" in after:
        found.add("2026")
    if "immediately return" in after:
        found.add("2025")
    return "mixed" if len(found) > 1 else found.pop() if found else "unknown"


_INSTRUCTIONS = """
Below is a directed graph, one edge a line, followed by one operation on it. Every node takes part in at \
least one edge.
Carry out the operation and give the set of nodes that results. A breadth-first search (BFS) with a depth \
asks for the nodes whose shortest distance from the start is exactly that depth; nodes on the way and the \
start itself do not belong to the answer. The parents of a node are the nodes with an edge to it; the node \
itself does not belong to them.

Four small examples:
<begin example>

The graph has the following edges:
rill -> tarn
beck -> rill
beck -> ford
ford -> rill

Example 1:
Operation:
Perform a BFS from node beck with depth 1.
Final Answer: [rill, ford]

Example 2:
Operation:
Perform a BFS from node tarn with depth 1.
Final Answer: []

Example 3:
Operation:
Find the parents of node rill.
Final Answer: [beck, ford]

Example 4:
Operation:
Find the parents of node beck.
Final Answer: []

<end example>
The graph of your task comes now.
The graph has the following edges:
"""

_ANSWER_FORMAT = """
Work through the operation step by step first. Then close your response with one line, its very last, \
that lists the resulting nodes in brackets. For the nodes node1, node2 and node3 that line would be:
Final Answer: [node1, node2, node3]
and for no nodes at all:
Final Answer: []
"""


def operation_text(problem_type: ProblemType, node: str, depth: int | None = None) -> str:
    """The line that asks for an operation, in the wording of February 2026."""
    if problem_type == "parents":
        return f"Find the parents of node {node}."
    return (
        f"Perform a BFS from node {node} and return only the nodes at exactly depth {depth} "
        "(not nodes at intermediate depths)."
    )


def write_prompt(edges: Iterable[Edge], operation: str) -> str:
    """A prompt of the same layout in our own words, asking for step-by-step work as the 2026 wording does."""
    lines = "\n".join(f"{source} -> {target}" for source, target in edges)
    return f"{_INSTRUCTIONS}{lines}\n\n\n{OPERATION_LABEL}\n{operation}\n{_ANSWER_FORMAT}"
