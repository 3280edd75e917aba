"""Responses on which the graders differ, to see by how much: `graphniah regrade --probes`.

All but the ones on empty answers hold a right answer; what differs is how it is written.
"""

from graphniah_inspect.graphwalks.graders import GRADERS, grade

PROBES: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("as asked", "Final Answer: [a, b]", ("a", "b")),
    ("a line break after it", "Final Answer: [a, b]\n", ("a", "b")),
    ("text on the next line", "Final Answer: [a, b]\nI checked it twice.", ("a", "b")),
    ("text on the same line", "Final Answer: [a, b] (two nodes)", ("a", "b")),
    ("bold label", "**Final Answer:** [a, b]", ("a", "b")),
    ("all bold", "**Final Answer: [a, b]**", ("a", "b")),
    ("in backticks", "Final Answer: `[a, b]`", ("a", "b")),
    ("boxed", "\\boxed{Final Answer: [a, b]}", ("a", "b")),
    ("quoted ids", "Final Answer: ['a', \"b\"]", ("a", "b")),
    ("lower-case label", "final answer: [a, b]", ("a", "b")),
    ("list on its own line", "Final Answer:\n[a, b]", ("a", "b")),
    ("list over two lines", "Final Answer: [a,\nb]", ("a", "b")),
    ("bare list", "[a, b]", ("a", "b")),
    ("corrected later", "Final Answer: [c]\nNo, b too.\nFinal Answer: [a, b]", ("a", "b")),
    ("empty, rightly so", "Final Answer: []", ()),
    ("empty, in words", "There are no such nodes.", ()),
    ("empty, no response", "", ()),
)
"""What is special about it, the response, the true nodes."""


def probe_table() -> list[tuple[str, dict[str, float]]]:
    """F1 of every probe by every grader, and last their means."""
    table = [
        (name, {grader.name: grade(response, truth, grader).f1 for grader in GRADERS.values()})
        for name, response, truth in PROBES
    ]
    return [*table, ("mean", {name: sum(row[name] for _, row in table) / len(table) for name in GRADERS})]
