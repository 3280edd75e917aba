"""GraphWalks as Inspect tasks.

    inspect eval graphniah_inspect/graphwalks_bfs -T band=0-128k --model openai/gpt-5.4
    inspect eval graphniah_inspect/graphwalks -T dataset=sample --model graphniah/oracle

Parameters of the three tasks, all by `-T`, all checked before anything is sent:
    min_tokens, max_tokens: Limits of the prompt's tokens, both inclusive; numbers, or `128k`, `1m` (thousands
        and millions). Counted once and kept; `min_tokens=0` counts without leaving anything out.
    tokenizer: The tiktoken encoding to count in (default `o200k_base`).
    band: A published cluster: `0-128k` (the short file), `256k`, `1m`, or `256k-1m` for the long one.
    depth: Only bfs problems of this depth, or of these (`depth=2,3`). Not for `graphwalks_parents`.
    grader: `openai` (default), `lm-eval`, `lm-eval-flexible`, `openbench` or `tolerant`.
    answers: `published` (default), or `recomputed` from each prompt by networkx.
    dataset: `openai/graphwalks` (default), another `owner/name`, `sample` (bundled), a .parquet or .jsonl
        file, or a folder of those.
    revision: On the hub; default: the commit after the fix of February 2026, its files checked by SHA-256.

The output is not capped: the longest true answer has 6,940 ids, some 50,000 tokens.
"""

from inspect_ai import Task, task

from graphniah_inspect.graphwalks.source import PUBLISHED
from graphniah_inspect.graphwalks.task import graphwalks_task
from graphniah_inspect.graphwalks.tokens import DEFAULT_TOKENIZER


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
