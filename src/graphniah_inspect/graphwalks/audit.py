"""Does the published answer of a GraphWalks row follow from its prompt? For `graphniah audit`.

Three outcomes, never mixed: `agrees`, `disagrees` (with the nodes that differ), `cannot be read` (with the
reason).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from graphniah_inspect.graphwalks.layout import UnreadablePromptError, read_prompt
from graphniah_inspect.graphwalks.source import Problem, Source
from graphniah_inspect.graphwalks.truth import solve_operation

SHOWN = 5


@dataclass(frozen=True)
class RowVerdict:
    """One row.

    Attributes:
        id: The sample's id in the tasks, e.g. `parents-0012`.
        file: Name of its data file.
        row: Its number there, from 0.
        problem_type: As the file says.
        band: Its length band.
        wording: `2025`, `2026`, `mixed` or `unknown`; results under different wordings are not comparable.
        date_added: As the file says.
        outcome: What was found.
        published: Number of distinct nodes in the published answer.
        derived: Number of nodes found in the graph; None where it cannot be read.
        missing: First nodes that the published answer lacks.
        surplus: First nodes that it holds wrongly.
        holds_start: Whether the node that was asked about is among those.
        repeated: How often the published answer repeats a node.
        reason: Why it cannot be read, or how it disagrees.
    """

    id: str
    file: str
    row: int
    problem_type: str
    band: str
    wording: str
    date_added: str
    outcome: Literal["agrees", "disagrees", "cannot be read"]
    published: int
    derived: int | None
    missing: tuple[str, ...] = ()
    surplus: tuple[str, ...] = ()
    holds_start: bool = False
    repeated: int = 0
    reason: str = ""


def audit_rows(source: Source) -> Iterator[RowVerdict]:
    """The verdict on every row, in order; one prompt in memory at a time."""
    for problem in source.problems:
        yield audit_row(problem)


def audit_row(problem: Problem) -> RowVerdict:
    """The verdict on one row; safe from any thread."""
    row = problem.row
    nodes = row.nodes
    published = set(nodes)
    agrees = RowVerdict(
        id=problem.id,
        file=problem.file.path.name,
        row=row.number,
        problem_type=row.problem_type,
        band=problem.band,
        wording=row.operation.wording if row.operation else "unknown",
        date_added=row.date_added,
        outcome="agrees",
        published=len(published),
        derived=None,
        repeated=len(nodes) - len(published),
    )
    try:
        if row.unreadable:
            raise UnreadablePromptError(row.unreadable)
        edges, operation = read_prompt(problem.prompt())
    except UnreadablePromptError as error:
        return replace(agrees, outcome="cannot be read", reason=str(error))
    derived = set(solve_operation(edges, operation))
    if derived == published:
        return replace(agrees, derived=len(derived))
    missing, surplus = sorted(derived - published), sorted(published - derived)
    reason = f"{len(missing)} missing, {len(surplus)} too many of {len(derived)} for {operation.text!r}"
    if operation.node in published:
        reason += f"; the answer holds {operation.node} itself"
    return replace(
        agrees,
        outcome="disagrees",
        derived=len(derived),
        missing=tuple(missing[:SHOWN]),
        surplus=tuple(surplus[:SHOWN]),
        holds_start=operation.node in published,
        reason=reason,
    )
