"""Fresh GraphWalks-like problems of any size, in the published columns.

A problem's graph has nodes with random ids, each with the same number of outgoing edges to random nodes, but
for a few without any, so that answers may be empty. Edges are grouped by their source, and there are as many
as fit into the wanted number of tokens. The answer is then read back from the finished prompt by
`truth.solve`. Problem i depends on the seed and i alone, so any one of them can be made again without the
others.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any

from graphniah_inspect.errors import UserError
from graphniah_inspect.graphwalks.layout import Edge, ProblemType, operation_text, write_prompt
from graphniah_inspect.graphwalks.tokens import DEFAULT_TOKENIZER, count, encoding
from graphniah_inspect.graphwalks.truth import solve

if TYPE_CHECKING:
    import tiktoken

DEGREES = (1, 2, 3, 4)
EDGELESS = 0.05
_SAMPLE_EDGES = 500
_TRIES = 2000


@dataclass(frozen=True)
class Settings:
    """What to make.

    Attributes:
        rows: Number of problems.
        tokens: Most tokens of a prompt; problem i takes the sizes in turn, and each is filled to within a
            few edges.
        types: Problem types, in turn for every round of sizes.
        depths: Depths of the searches, drawn at random.
        empty: Share of problems whose answer shall be the empty set.
        self_loops: Whether a node may have an edge to itself.
        repeats: Whether an edge may occur more than once.
        seed: Of everything.
        tokenizer: The tiktoken encoding that sizes are meant in.
    """

    rows: int
    tokens: tuple[int, ...]
    types: tuple[ProblemType, ...] = ("bfs", "parents")
    depths: tuple[int, ...] = (1, 2, 3, 4)
    empty: float = 0.15
    self_loops: bool = True
    repeats: bool = True
    seed: int = 0
    tokenizer: str = DEFAULT_TOKENIZER


SAMPLE_SETTINGS = Settings(rows=24, tokens=(1000, 2000, 4000, 8000), empty=0.25, seed=32)
"""Settings of the bundled sample."""


@dataclass(frozen=True)
class Generated:
    """A row in the published columns, and the tokens of its prompt."""

    record: dict[str, Any]
    tokens: int


def generate(settings: Settings) -> Iterator[Generated]:
    """Make every problem, one at a time.

    Raises:
        UserError: A size cannot hold a graph, or the tokenizer is not at hand.
    """
    tokens = encoding(settings.tokenizer)
    for index in range(settings.rows):
        yield generate_one(settings, index, tokens)


def generate_one(settings: Settings, index: int, tokens: "tiktoken.Encoding") -> Generated:
    """Make problem number `index`.

    Raises:
        UserError: Its size cannot hold a graph.
    """
    random = Random(f"{settings.seed}/{index}")
    size = settings.tokens[index % len(settings.tokens)]
    problem_type = settings.types[index // len(settings.tokens) % len(settings.types)]
    edges = _edges(random, settings, _edges_that_fit(settings, size, tokens))
    # Edges are taken off the end until the whole prompt is small enough.
    while True:
        if len(edges) < 4:
            raise UserError(f"{size} tokens of {settings.tokenizer} cannot hold a graph. Take 600 or more.")
        operation = _operation(random, settings, problem_type, edges)
        prompt = write_prompt(edges, operation)
        excess = count(prompt, tokens) - size
        if excess <= 0:
            break
        edges = edges[: -max(1, int(excess / ((size + excess) / len(edges))))]
    record = {
        "prompt": prompt,
        "answer_nodes": solve(prompt),
        "prompt_chars": len(prompt),
        "problem_type": problem_type,
        "date_added": "generated",
    }
    return Generated(record, size + excess)


def _edges_that_fit(settings: Settings, size: int, tokens: "tiktoken.Encoding") -> int:
    """More edges than fill the size, from the mean of a few."""
    probe = _edges(Random(f"{settings.seed}/probe"), settings, _SAMPLE_EDGES)
    empty = count(write_prompt([], operation_text("bfs", "0" * 10, 1)), tokens)
    a_line = (count(write_prompt(probe, operation_text("bfs", "0" * 10, 1)), tokens) - empty) / len(probe)
    return max(0, int((size - empty) / a_line * 1.1) + 5)


def _edges(random: Random, settings: Settings, number: int) -> list[Edge]:
    """That many edges, grouped by source; a few nodes have no edge from them, and a few others none to them."""
    degree = random.choice(DEGREES)
    with_edges = max(3, number // degree)
    nodes = _node_ids(random, max(degree + 3, round(with_edges * (1 + EDGELESS))))
    roots = set(random.sample(nodes[: with_edges // 2], max(1, round(with_edges * EDGELESS))))
    targets = [node for node in nodes if node not in roots]
    edges: list[Edge] = []
    for node in nodes:
        chosen: list[str] = []
        while len(chosen) < degree:
            target = random.choice(targets)
            if (target != node or settings.self_loops) and (target not in chosen or settings.repeats):
                chosen.append(target)
        edges += [(node, target) for target in chosen]
        if len(edges) >= number:
            break
    return edges[:number]


def _node_ids(random: Random, number: int) -> list[str]:
    ids: dict[str, None] = {}
    while len(ids) < number:
        ids[f"{random.getrandbits(40):010x}"] = None
    return list(ids)


def _operation(random: Random, settings: Settings, problem_type: ProblemType, edges: Sequence[Edge]) -> str:
    """An operation on this graph, whose answer is empty in the wanted share of cases, if it can be."""
    depth = random.choice(settings.depths) if problem_type == "bfs" else None
    want_empty = random.random() < settings.empty
    nodes = list(dict.fromkeys(node for edge in edges for node in edge))
    children: dict[str, set[str]] = {}
    parents: dict[str, set[str]] = {}
    for source, target in edges:
        children.setdefault(source, set()).add(target)
        parents.setdefault(target, set()).add(source)
    for node in random.sample(nodes, min(len(nodes), _TRIES)):
        reached = _layer(children, node, depth) if depth else parents.get(node, set()) - {node}
        if bool(reached) != want_empty:
            break
    return operation_text(problem_type, node, depth)


def _layer(children: dict[str, set[str]], node: str, depth: int) -> set[str]:
    """The nodes first reached after that many steps."""
    seen, layer = {node}, {node}
    for _ in range(depth):
        layer = {child for one in layer for child in children.get(one, ())} - seen
        seen |= layer
    return layer
