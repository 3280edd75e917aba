"""The right answer of a prompt, from its text alone.

`solve` parses the user prompt, builds the undirected citation graph with networkx and walks it. It shares the
wording with the builder (`citations.text`, read back by `citations.parse`) and nothing else: no config, no
stored answer.

What it can not claim:

- It knows only the layout that this project writes. Any other prompt, the published ones included, cannot be
  read, and that is an outcome of its own (`CannotRead`), never a NO.
- A prompt cut off at either end, or inside the block of a paper, cannot be read. Whole blocks or references
  taken out of the middle leave no trace in the text, nor does a cut from inside another document to inside a
  block, whose rest then belongs to that document: the answer is right for what is left.
- A paper block quoted inside another document is not a paper when its lines are prefixed or indented, or
  stand in a code fence. One that is copied bare, blank lines around it and nothing behind it, is a block
  like any other; the builder refuses such texts.
- Papers are told apart by their exact titles. Titles that differ by case or punctuation alone are two papers
  here; an audit reports them.
- It says what the text says, not whether these papers cite one another in the world.
"""

from dataclasses import dataclass

import networkx as nx

from graphniah_inspect.citations.parse import CannotRead, ReadPrompt, read_prompt
from graphniah_inspect.citations.text import NONE_LABEL, Kind

__all__ = ["CannotRead", "Verdict", "citation_graph", "solve", "verdict"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """An answer and why.

    Attributes:
        answer: "YES" or "NO", a label, or a count; None where a multiple-choice question has none or several.
        kind: The task.
        path: Titles from the source to the target or right option, both included; empty for NO and counting.
        component_size: Papers in the source's component, the source included: all that a search can find.
        reachable: Labels of all reachable options; multiple choice only.
        malformed: What is wrong with the question, empty where it has exactly one right answer. (Where
            nothing is reachable and there is an option E, E is the answer, but a sound data set never has
            that.)
    """

    answer: str | None
    kind: Kind
    path: tuple[str, ...]
    component_size: int
    reachable: tuple[str, ...] = ()
    malformed: str = ""

    @property
    def evidence(self) -> str:
        """The path, or the size of the component in which there is none, in words."""
        if self.path:
            return f"path of {len(self.path)} papers: " + " -> ".join(f"“{title}”" for title in self.path)
        without = "" if self.kind == "counting" or self.reachable else ", none of them a target"
        return f"the component of the source ends after {self.component_size} papers, itself included{without}"


def citation_graph(prompt: ReadPrompt) -> "nx.Graph[str]":
    """The undirected graph of every citation written in the prompt, by title."""
    graph: nx.Graph[str] = nx.Graph()
    for block in prompt.blocks:
        graph.add_edges_from((block.title, cited) for cited in block.references)
    return graph


def solve(user_prompt: str) -> Verdict:
    """The right answer to a whole user prompt.

    Raises:
        CannotRead: If the prompt is of another layout, damaged or without context; the message says which.
    """
    return verdict(read_prompt(user_prompt))


def verdict(prompt: ReadPrompt) -> Verdict:
    """The right answer to a prompt that has been read already."""
    question, graph = prompt.question, citation_graph(prompt)
    component = nx.node_connected_component(graph, question.source)
    size = len(component)

    def path_to(title: str) -> tuple[str, ...]:
        return tuple(nx.shortest_path(graph, question.source, title))

    if question.kind == "counting":
        return Verdict(str(size - 1), question.kind, (), size)
    if question.target is not None:
        if question.target in component:
            return Verdict("YES", question.kind, path_to(question.target), size)
        return Verdict("NO", question.kind, (), size)
    papers = question.labelled_options[: len(question.options)]
    right = [(label, title) for label, title in papers if title in component]
    labels = tuple(label for label, _ in right)
    if len(right) == 1:
        return Verdict(labels[0], question.kind, path_to(right[0][1]), size, labels)
    if right:
        return Verdict(None, question.kind, (), size, labels, f"several options are reachable: {', '.join(labels)}")
    answer = NONE_LABEL if question.none_option else None
    return Verdict(answer, question.kind, (), size, labels, "no option is reachable")
