"""GraphWalks as Inspect tasks.

    inspect eval graphniah_inspect/graphwalks_bfs -T band=0-128k --model openai/gpt-5.4
    inspect eval graphniah_inspect/graphwalks -T dataset=sample --model graphniah/oracle

Parameters of the three tasks, all by `-T`, all checked before anything is sent:
    min_tokens, max_tokens: Limits of the prompt's tokens, both inclusive; numbers, or `128k`, `1m` (1,000s
    and
        millions). Counted once and kept; `min_tokens=0` counts without leaving anything out.
    tokenizer: The tiktoken encoding to count in (default `o200k_base`).
    band: A published cluster: `0-128k` (the short file), `256k`, `1m`, or `256k-1m` for both of the long
        file.
    depth: Only bfs problems of this depth, or of these (`depth=2,3`). Not for `graphwalks_parents`.
    grader: `openai` (default), `lm-eval`, `lm-eval-flexible`, `openbench` or `tolerant`.
    answers: `published` (default), or `recomputed` from each prompt by networkx.
    dataset: `openai/graphwalks` (default), another `owner/name`, `sample` (bundled), a .parquet or .jsonl
        file, or a folder of those.
    revision: On the hub; default: the commit after the fix of February 2026, its files checked by SHA-256.

The output is not capped: the longest true answer has 6,940 ids, which take some 70,000 tokens.
"""

from logging import getLogger
from typing import Any

from inspect_ai import Task, task
from inspect_ai._util.error import (
    PrerequisiteError,
)  # inspect-evals-lint: ignore[private_api_imports] -- no public name
from inspect_ai.log import HeadlineMetric
from inspect_ai.solver import generate
from rich.markup import escape

from graphniah_inspect.errors import UserError
from graphniah_inspect.graphwalks.bands import BANDS
from graphniah_inspect.graphwalks.graders import GRADERS
from graphniah_inspect.graphwalks.layout import ProblemType
from graphniah_inspect.graphwalks.parameters import depths, one_of, token_limits
from graphniah_inspect.graphwalks.samples import VIEWER, make_dataset, prompt_reader
from graphniah_inspect.graphwalks.scoring import graphwalks_grader
from graphniah_inspect.graphwalks.selection import select, selection_record, with_truth
from graphniah_inspect.graphwalks.source import PUBLISHED, open_source
from graphniah_inspect.graphwalks.tokens import DEFAULT_TOKENIZER, check_tokenizer
from graphniah_inspect.prompting import full_prompt, keep_prompt_once

VERSION = "1-A"

logger = getLogger(__name__)


@task
def graphwalks(
    min_tokens: int | str | None = None,
    max_tokens: int | str | None = None,
    tokenizer: str = DEFAULT_TOKENIZER,
    band: str | None = None,
    depth: int | list[int] | None = None,
    grader: str = "openai",
    answers: str = "published",
    dataset: str = PUBLISHED,
    revision: str | None = None,
) -> Task:
    """Searches and parents together; `depth` leaves only searches. Parameters: see the module."""
    return graphwalks_task("GraphWalks", None, **locals())


@task
def graphwalks_bfs(
    min_tokens: int | str | None = None,
    max_tokens: int | str | None = None,
    tokenizer: str = DEFAULT_TOKENIZER,
    band: str | None = None,
    depth: int | list[int] | None = None,
    grader: str = "openai",
    answers: str = "published",
    dataset: str = PUBLISHED,
    revision: str | None = None,
) -> Task:
    """Which nodes are at exactly depth N from a node? Parameters: see the module."""
    return graphwalks_task("GraphWalks: BFS", "bfs", **locals())


@task
def graphwalks_parents(
    min_tokens: int | str | None = None,
    max_tokens: int | str | None = None,
    tokenizer: str = DEFAULT_TOKENIZER,
    band: str | None = None,
    grader: str = "openai",
    answers: str = "published",
    dataset: str = PUBLISHED,
    revision: str | None = None,
) -> Task:
    """Which nodes have an edge to a node? Parameters: see the module."""
    return graphwalks_task("GraphWalks: parents", "parents", depth=None, **locals())


def graphwalks_task(
    title: str,
    problem_type: ProblemType | None,
    *,
    min_tokens: Any,
    max_tokens: Any,
    tokenizer: Any,
    band: Any,
    depth: Any,
    grader: Any,
    answers: Any,
    dataset: Any,
    revision: Any,
) -> Task:
    """Build any of the tasks above from its parameters.

    Raises:
        PrerequisiteError: A parameter that cannot be meant, or data that is missing or damaged.
    """
    try:
        low, high = token_limits(min_tokens, max_tokens)
        check_tokenizer(tokenizer)
        band = None if band is None else one_of("band", band, BANDS)
        wanted_depths = depths(depth)
        one_of("grader", grader, GRADERS)
        one_of("answers", answers, ("published", "recomputed"))
        source = open_source(dataset, revision, long_file=band != "0-128k")
        filtered = select(
            source,
            problem_type=problem_type,
            band=band,
            depths=wanted_depths,
            min_tokens=low,
            max_tokens=high,
            tokenizer=tokenizer,
        )
        chosen, recomputed = with_truth(source, filtered, answers)
    except UserError as error:
        raise PrerequisiteError(escape(str(error))) from error
    if recomputed and recomputed["differ_from_published"]:
        logger.warning(f"answers=recomputed: {recomputed['differ_from_published']} published answers differ.")
    record = selection_record(source, chosen) | {
        "problem_type": problem_type or "any",
        "min_tokens": low,
        "max_tokens": high,
        "tokenizer": tokenizer,
        "band": band,
        "depth": sorted(wanted_depths) if wanted_depths else None,
        "grader": grader,
        "answers": answers,
        "recomputed": recomputed,
    }
    return Task(
        dataset=make_dataset(chosen, source.name),
        setup=full_prompt(prompt_reader(chosen)),
        solver=generate(),
        cleanup=keep_prompt_once(),
        scorer=graphwalks_grader(grader),
        display_name=f"{title} ({band or 'all bands'}, {grader})",
        headline_metric=HeadlineMetric(score="f1", metric="mean"),
        version=VERSION,
        metadata={"selection": record},
        viewer=VIEWER,
    )
