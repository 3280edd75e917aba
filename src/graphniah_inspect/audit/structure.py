"""The graph in a prompt against what `config` says of it: depth, sizes, number of components, trees, places."""

from collections import Counter

import networkx as nx

from graphniah_inspect.audit.findings import Checks
from graphniah_inspect.citations.parse import ReadPrompt
from graphniah_inspect.graphniah.rows import Row
from graphniah_inspect.oracle import Verdict

_PLACE_TOLERANCE = 2e-6


def check_structure(
    row: Row[str], prompt: ReadPrompt, verdict: Verdict, graph: "nx.Graph[str]", checks: Checks
) -> None:
    """Every statement of `config` that the text can confirm; what it does not state is not checked."""
    config = row.config or {}
    components = list(nx.connected_components(graph))
    _check_trees(prompt, graph, components, checks)
    depth = config.get("question_depth")
    if depth is not None and verdict.path:
        checks.equal("depth", "config.question_depth", depth, len(verdict.path), verdict.evidence)
    elif isinstance(depth, int):
        # Without a path to t, the true path of this many papers must still lead somewhere from s.
        reach = 1 + max(nx.single_source_shortest_path_length(graph, prompt.question.source).values())
        checks.made.add("depth")
        if reach < depth:
            checks.fault("depth", "config.question_depth", str(depth), f"at most {reach}", "no path from s is longer")
    if (size := config.get("component_node_count")) is not None:
        checks.equal("component size", "config.component_node_count", size, verdict.component_size, verdict.evidence)
    if isinstance(count := config.get("num_components"), int):
        filled = config.get("num_fill_components") or 0
        checks.equal("components", "config.num_components + num_fill_components", count + filled, len(components))
    if isinstance(sizes := config.get("component_sizes"), list):
        missing = Counter(sizes) - Counter(map(len, components))
        checks.made.add("components")
        if missing:
            found = sorted(map(len, components))
            checks.fault(
                "components",
                "config.component_sizes",
                str(sizes),
                f"sizes among {found[:12]}",
                f"there is none of {sorted(missing)}",
            )
    _check_places(row, prompt, checks)


def _check_trees(prompt: ReadPrompt, graph: "nx.Graph[str]", components: list[set[str]], checks: Checks) -> None:
    checks.made.add("trees")
    if graph.number_of_edges() != len(graph) - len(components):
        cycle = next(
            nx.find_cycle(graph, component)
            for component in components
            if graph.subgraph(component).number_of_edges() >= len(component)
        )
        checks.fault(
            "trees",
            "user_prompt",
            f"{graph.number_of_edges()} citations among {len(graph)} papers in {len(components)} components",
            f"{len(graph) - len(components)}, all components being trees",
            "a cycle: " + " -> ".join(f"“{edge[0]}”" for edge in cycle),
        )
    written = sum(len(block.references) for block in prompt.blocks)
    if written != graph.number_of_edges():
        checks.fault(
            "trees",
            "user_prompt",
            f"{written - graph.number_of_edges()} citations written in both directions",
            "every edge of a tree written once",
        )


def _check_places(row: Row[str], prompt: ReadPrompt, checks: Checks) -> None:
    """Recorded positions of s and t: where their own block begins, or the first that lists them."""
    config, question = row.config or {}, prompt.question
    titles = {"source_position": question.source}
    if question.target is not None:
        titles["target_position"] = question.target
    elif row.reachability_task == "multiple-choice":
        label = "ABCD".find(row.answer)
        if 0 <= label < len(question.options):
            titles["target_position"] = question.options[label]
    for field, title in titles.items():
        if isinstance(stated := config.get(field), int | float):
            found = place(prompt, title) / len(row.user_prompt)
            checks.made.add("positions")
            if abs(found - stated) > _PLACE_TOLERANCE:
                checks.fault("positions", f"config.{field}", f"{stated:.6f}", f"{found:.6f}")


def place(prompt: ReadPrompt, title: str) -> int:
    """The character at which a paper's own block begins or, without one, the first block that lists it."""
    own = next((block.start for block in prompt.blocks if block.title == title), None)
    if own is not None:
        return own
    return next(block.start for block in prompt.blocks if title in block.references)
