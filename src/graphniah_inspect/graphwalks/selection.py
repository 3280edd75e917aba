"""Which problems a task takes, and what it puts into the log about them."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from graphniah_inspect.errors import UserError
from graphniah_inspect.graphwalks.bands import BANDS
from graphniah_inspect.graphwalks.cache import by_row
from graphniah_inspect.graphwalks.layout import ProblemType, UnreadablePromptError
from graphniah_inspect.graphwalks.source import Problem, Source
from graphniah_inspect.graphwalks.tokens import stored_counts, token_counts
from graphniah_inspect.graphwalks.truth import solve

TRUTH_VERSION = "truth.v1"
"""Of the rules by which answers are recomputed; kept answers of other rules are not taken."""


@dataclass(frozen=True)
class Chosen:
    """A selected problem with what the task knows about it.

    Attributes:
        problem: The row.
        truth: The answer to be graded against, a JSON array.
        tokens: Of its prompt; None where none were counted.
    """

    problem: Problem
    truth: str
    tokens: int | None


def select(
    source: Source,
    *,
    problem_type: ProblemType | None,
    band: str | None,
    depths: frozenset[int] | None,
    min_tokens: int | None,
    max_tokens: int | None,
    tokenizer: str,
) -> tuple[list[tuple[Problem, int | None]], int]:
    """The problems that pass every filter, in order, each with its tokens where those are known.

    Token limits are inclusive and make every candidate counted; without limits only stored counts are shown.

    Returns:
        The problems, and how many the token limits left out.

    Raises:
        UserError: Nothing is left, with what there is; or a selected prompt's operation cannot be read.
    """
    problems = [
        problem
        for problem in source.problems
        if (problem_type is None or problem.row.problem_type == problem_type)
        and (band is None or problem.band in BANDS[band])
    ]
    for problem in problems:
        if problem.row.unreadable:
            raise UserError(
                f"{problem.file.path}, row {problem.row.number} ({problem.id}): {problem.row.unreadable}. "
                "It is not a GraphWalks prompt; `graphniah audit` lists every such row."
            )
    if depths is not None:
        problems = [p for p in problems if p.row.operation and p.row.operation.depth in depths]
    limited = min_tokens is not None or max_tokens is not None
    tokens = _tokens(source, problems, tokenizer, count=limited)
    chosen = [
        (problem, tokens.get(problem.id))
        for problem in problems
        if not limited
        or (tokens[problem.id] >= (min_tokens or 0) and (max_tokens is None or tokens[problem.id] <= max_tokens))
    ]
    if not chosen:
        raise UserError(f"No problem is selected. {_what_there_is(source, problem_type, tokens)}")
    return chosen, len(problems) - len(chosen)


def _tokens(source: Source, problems: Sequence[Problem], tokenizer: str, *, count: bool) -> dict[str, int]:
    """Tokens by problem id: of all where counting is asked, else of all or none."""
    tokens: dict[str, int] = {}
    for file in source.files:
        here = [problem for problem in problems if problem.file is file]
        numbers = [problem.row.number for problem in here]
        counts = token_counts(file, numbers, tokenizer) if count else stored_counts(file, tokenizer)
        tokens |= {p.id: counts[p.row.number] for p in here if p.row.number in counts}
    return tokens if len(tokens) == len(problems) else {}


def _what_there_is(source: Source, problem_type: str | None, tokens: dict[str, int]) -> str:
    rows = [p for p in source.problems if problem_type in (None, p.row.problem_type)]
    bands = Counter(p.band for p in rows)
    depths = Counter(p.row.operation.depth for p in rows if p.row.operation and p.row.operation.depth)
    parts = [
        f"{source.name} has {len(rows)} of this type",
        f"bands {dict(sorted(bands.items()))}" if bands else "no bands",
        f"depths {dict(sorted(depths.items()))}" if depths else "no depths",
    ]
    if tokens:
        parts.append(f"{min(tokens.values()):,} to {max(tokens.values()):,} tokens after the other filters")
    return "; ".join(parts) + "."


def with_truth(
    source: Source, chosen: Sequence[tuple[Problem, int | None]], answers: str
) -> tuple[list[Chosen], dict[str, Any] | None]:
    """Attach the answers: the published ones, or those that networkx finds in the prompts.

    Returns:
        The problems, and for `recomputed` how many published answers differ (as sets) with the first ids.

    Raises:
        UserError: A graph cannot be read.
    """
    if answers == "published":
        return [Chosen(problem, problem.row.truth, tokens) for problem, tokens in chosen], None
    found: dict[str, str] = {}
    for file in source.files:
        here = {problem.row.number: problem for problem, _ in chosen if problem.file is file}
        truths = by_row(f"{file.sha256}.{TRUTH_VERSION}", list(here), partial(_solved, here), "Answers (once)")
        found |= {here[number].id: truth for number, truth in truths.items()}
    differing = [p.id for p, _ in chosen if set(json.loads(found[p.id])) != set(p.row.nodes)]
    record = {"differ_from_published": len(differing), "first_that_differ": differing[:20]}
    return [Chosen(problem, found[problem.id], tokens) for problem, tokens in chosen], record


def _solved(problems: Mapping[int, Problem], number: int) -> str:
    problem = problems[number]
    try:
        return json.dumps(solve(problem.prompt()))
    except UnreadablePromptError as error:
        raise UserError(
            f"{problem.file.path}, row {problem.row.number} ({problem.id}): {error}. Its answer cannot be "
            "recomputed; take answers=published, or leave the row out."
        ) from error


def selection_record(source: Source, chosen: Sequence[Chosen]) -> dict[str, Any]:
    """What was selected, for the log: data files with their hashes, and counts of every kind."""
    rows = [one.problem for one in chosen]
    used = {id(problem.file) for problem in rows}
    return {
        "dataset": source.name,
        "resolved_revision": source.revision,
        "files": [
            {"name": file.path.name, "sha256": file.sha256, "rows": len(file.rows)}
            for file in source.files
            if id(file) in used
        ],
        "samples": len(rows),
        "by_type": _counts(p.row.problem_type for p in rows),
        "by_band": _counts(p.band for p in rows),
        "by_depth": _counts(p.row.operation.depth for p in rows if p.row.operation and p.row.operation.depth),
        "by_wording": _counts(p.row.operation.wording for p in rows if p.row.operation),
        "by_date_added": _counts(p.row.date_added for p in rows),
        "empty_truths": sum(one.truth == "[]" for one in chosen),
        "tokens_known": all(one.tokens is not None for one in chosen),
    }


def _counts(values: Any) -> dict[str, int]:
    return {str(value): number for value, number in sorted(Counter(values).items())}
