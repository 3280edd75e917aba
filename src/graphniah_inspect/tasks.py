"""GraphNIAH (Tran and Saparov, arXiv 2610.41704) and GraphWalks as Inspect tasks. Start reading here.

A real citation subgraph is written as text and hidden in a prompt of 200k to 922k tokens; the model is asked which
papers are reachable from a source paper.

    inspect eval graphniah_inspect/yesno --model openai/gpt-5.4
    inspect eval graphniah_inspect/graphniah -T experiment=node-count --model openai/gpt-5.4
    inspect eval graphniah_inspect/graphniah -T dataset=sample --model graphniah/oracle

Parameters of the GraphNIAH tasks (all by `-T`; all checked before anything is sent):
    experiment: `question-format` (default), `question-depth`, `node-count`, `distractor-type`, `reasoning_effort` or
        `context_length` (not for `none_option`); `-` and `_` are interchangeable.
    context_length: Tokens, e.g. 200000 or 200k. Default: 200000 where the data has it, else its only length.
    subset: `paper` (default: the slots that the paper evaluated), `all`, or N (the first N of every value).
    value: Only this value of the varied variable, e.g. `-T experiment=question-depth -T value=8`.
    dataset: `minhnam/GraphNIAH` (default), `sample` (bundled), a `.jsonl`, or a folder that holds `examples.jsonl`.
    revision: Hub revision; default: the branch head. The commit that it resolved to is recorded in the log.
    rule: How answers are read: `paper` (default), `answer-block` or `tolerant`.
    context: `full` (default), or `none`: the question without the context, a control for guessing and contamination.
    max_prompt_tokens: Leave out examples with longer prompts (tokens, e.g. 200000 or 200k); how many is printed
        and recorded.
    tokenizer: The key of `token_counts` to measure prompts by (default `gpt-5.4`).

GraphWalks (`openai/graphwalks`) asks which nodes of a graph are at depth N from a node, or have an edge to it:

    inspect eval graphniah_inspect/graphwalks_bfs -T band=0-128k --model openai/gpt-5.4

Parameters of the GraphWalks tasks:
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

from typing import Any

from inspect_ai import Task, task

from graphniah_inspect.graphniah.experiments import NONE_OPTION
from graphniah_inspect.graphniah.task import reachability_task
from graphniah_inspect.graphwalks.source import PUBLISHED
from graphniah_inspect.graphwalks.task import graphwalks_task
from graphniah_inspect.graphwalks.tokens import DEFAULT_TOKENIZER

DATASET = "minhnam/GraphNIAH"


@task
def yesno(
    experiment: str = "question-format",
    context_length: int | str | None = None,
    subset: str | int = "paper",
    value: str | int | None = None,
    dataset: str = DATASET,
    revision: str | None = None,
    rule: str = "paper",
    context: str = "full",
    max_prompt_tokens: int | str | None = None,
    tokenizer: str = "gpt-5.4",
    **unknown: Any,
) -> Task:
    """Is the target paper reachable from the source paper? Parameters: see the module."""
    return reachability_task("GraphNIAH: yes-no", "yes-no", **locals())


@task
def multiple_choice(
    experiment: str = "question-format",
    context_length: int | str | None = None,
    subset: str | int = "paper",
    value: str | int | None = None,
    dataset: str = DATASET,
    revision: str | None = None,
    rule: str = "paper",
    context: str = "full",
    max_prompt_tokens: int | str | None = None,
    tokenizer: str = "gpt-5.4",
    **unknown: Any,
) -> Task:
    """Which one of four papers is reachable from the source paper? Parameters: see the module."""
    return reachability_task("GraphNIAH: multiple choice", "multiple-choice", **locals())


@task
def counting(
    experiment: str = "question-format",
    context_length: int | str | None = None,
    subset: str | int = "paper",
    value: str | int | None = None,
    dataset: str = DATASET,
    revision: str | None = None,
    rule: str = "paper",
    context: str = "full",
    max_prompt_tokens: int | str | None = None,
    tokenizer: str = "gpt-5.4",
    **unknown: Any,
) -> Task:
    """How many papers are reachable from the source paper? Parameters: see the module."""
    return reachability_task("GraphNIAH: counting", "counting", **locals())


@task
def none_option(
    context_length: int | str | None = None,
    subset: str | int = "paper",
    dataset: str = DATASET,
    revision: str | None = None,
    rule: str = "paper",
    context: str = "full",
    max_prompt_tokens: int | str | None = None,
    tokenizer: str = "gpt-5.4",
    **unknown: Any,
) -> Task:
    """Multiple choice with a fifth option, "None of these", that is never right. Parameters: see the module."""
    return reachability_task("GraphNIAH: None option", None, NONE_OPTION, value=None, **locals())


@task
def graphniah(
    experiment: str = "question-format",
    context_length: int | str | None = None,
    subset: str | int = "paper",
    value: str | int | None = None,
    dataset: str = DATASET,
    revision: str | None = None,
    rule: str = "paper",
    context: str = "full",
    max_prompt_tokens: int | str | None = None,
    tokenizer: str = "gpt-5.4",
    **unknown: Any,
) -> Task:
    """Every example of an experiment, whatever its format: the paper's unit. Parameters: see the module."""
    return reachability_task("GraphNIAH", None, **locals())


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
    **unknown: Any,
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
    **unknown: Any,
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
    **unknown: Any,
) -> Task:
    """Which nodes have an edge to a node? Parameters: see the module."""
    return graphwalks_task("GraphWalks: parents", "parents", depth=None, **locals())
