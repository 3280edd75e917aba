"""The scorer: a response's nodes against the true ones, by a named grader; also on a finished log.

    inspect score LOG.eval --scorer graphniah_inspect/graphwalks_grader -S grader=tolerant --action append

A score's value is a dictionary. `f1`, `precision`, `recall` and `exact` are the grader's; the others are 1
or 0, so that their means are shares: `parsed` (a list was read), `parsed_empty` (it was the empty one), and
why none was read: `invalid_response_format`, `no_response`, `truncated` (by the output limit, before the
list closed), `context_overflow`, `refusal`. `parsed` and the five add up to 1. `prompt_truncated` is apart
from them: the server reports so few input tokens that it must have cut the prompt.
"""

import json
from typing import Any, Literal

from inspect_ai._util.error import (
    PrerequisiteError,
)  # inspect-evals-lint: ignore[private_api_imports] -- no public name
from inspect_ai.scorer import Metric, Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState
from rich.markup import escape

from graphniah_inspect.asking import never_answered, stop_reason, unscored_error
from graphniah_inspect.errors import UserError
from graphniah_inspect.graphwalks.graders import GRADERS, Grade, Grader, grade
from graphniah_inspect.graphwalks.metrics import GRADES, bootstrap_ci, by_band, by_truth_size, by_type, prompt_truncated
from graphniah_inspect.graphwalks.parameters import one_of
from graphniah_inspect.truncation import PROMPT_TRUNCATED, missing_tokens, warn_at_end

Reason = Literal["invalid_response_format", "no_response", "truncated", "context_overflow", "refusal"]
REASONS: tuple[Reason, ...] = (
    "invalid_response_format",
    "no_response",
    "truncated",
    "context_overflow",
    "refusal",
)
_NO_CONTENT = "(no content)"
_SHOWN_NODES = 5
_METRICS: list[Metric | dict[str, list[Metric]]] = [
    prompt_truncated(),
    bootstrap_ci(),
    by_type(),
    by_band(),
    by_truth_size(),
    {
        **{name: [mean(), stderr()] for name in GRADES},
        **{name: [mean()] for name in ("parsed", "parsed_empty", *REASONS)},
    },
]


@scorer(metrics=_METRICS)
def graphwalks_grader(grader: str = "openai") -> Scorer:
    """Grade GraphWalks responses.

    Args:
        grader: `openai`, `lm-eval`, `lm-eval-flexible`, `openbench` or `tolerant`; see `graders`.

    Raises:
        PrerequisiteError: No such grader (`inspect score` hides what a ValueError says).
        UserError: When scoring, a target that is no list of nodes.
    """
    try:
        chosen = GRADERS[one_of("grader", grader, GRADERS)]
    except UserError as error:
        raise PrerequisiteError(escape(str(error))) from error

    async def score(state: TaskState, target: Target) -> Score:
        if never_answered(state.output):
            return unscored_error()
        truth = read_target(target.text, str(state.sample_id))
        graded, reason = grade_response(state.output.completion, stop_reason(state.output), truth, chosen)
        explanation = _explanation(graded, reason, truth, chosen)
        cut = missing_tokens(state.output.usage, state.metadata) if reason != "context_overflow" else None
        if cut is not None:
            warn_at_end()
            explanation = f"The prompt was cut: {cut[0]} of at least {cut[1]} input tokens. {explanation}"
        return Score(
            value=values_of(graded, reason) | {PROMPT_TRUNCATED: float(cut is not None)},
            answer=None if graded.nodes is None else _summary(graded.nodes),
            explanation=explanation,
            reason=PROMPT_TRUNCATED if cut else reason,
        )

    return score


def grade_response(
    response: str, stop_reason: str, truth: frozenset[str], grader: Grader
) -> tuple[Grade, Reason | None]:
    """Grade a response with why it could not be read, if it could not.

    Where the prompt did not fit, or the provider filtered the answer, the text is the provider's and is not
    read.
    """
    if stop_reason in ("model_length", "content_filter"):
        nothing = Grade(0.0, 0.0, 0.0, 0.0, None)
        return nothing, "context_overflow" if stop_reason == "model_length" else "refusal"
    graded = grade(response, truth, grader)
    if graded.nodes is not None:
        return graded, None
    if stop_reason == "max_tokens":
        return graded, "truncated"
    return (
        graded,
        "invalid_response_format" if response.strip() and response != _NO_CONTENT else "no_response",
    )


def values_of(graded: Grade, reason: Reason | None) -> dict[str, Any]:
    """The score's values."""
    return {
        "f1": graded.f1,
        "precision": graded.precision,
        "recall": graded.recall,
        "exact": graded.exact,
        "parsed": float(graded.nodes is not None),
        "parsed_empty": float(graded.nodes is not None and not graded.nodes),
        **{name: float(name == reason) for name in REASONS},
    }


def read_target(text: str, sample: str) -> frozenset[str]:
    """The true nodes of a target.

    Raises:
        UserError: It is no JSON array of strings, which is the log's or the data's fault, never the model's.
    """
    try:
        nodes = json.loads(text)
    except ValueError:
        nodes = None
    if not isinstance(nodes, list) or not all(isinstance(node, str) for node in nodes):
        raise UserError(
            f"Sample {sample}: the target is {text[:80]!r}; expected a JSON array of node ids, as the "
            "tasks of graphniah_inspect write it."
        )
    return frozenset(nodes)


def _summary(nodes: frozenset[str]) -> str:
    """Short: a list of thousands of ids in a score would break the log viewer."""
    if not nodes:
        return "[]"
    first = ", ".join(node[:20] for node in sorted(nodes)[:_SHOWN_NODES])
    return f"[{first}]" if len(nodes) <= _SHOWN_NODES else f"[{first}, ... {len(nodes)} nodes]"


def _explanation(graded: Grade, reason: Reason | None, truth: frozenset[str], grader: Grader) -> str:
    if graded.nodes is None:
        return f"Not read by {grader.name}: {reason}. The answer has {len(truth)} nodes."
    missing, surplus = truth - graded.nodes, graded.nodes - truth
    text = f"By {grader.name}: {len(graded.nodes & truth)} of {len(truth)} nodes right"
    if missing:
        text += f"; {len(missing)} missing: {_summary(missing)}"
    if surplus:
        text += f"; {len(surplus)} not in the answer: {_summary(surplus)}"
    return text + "."
