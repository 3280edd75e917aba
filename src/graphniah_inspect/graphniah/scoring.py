"""The scorer of every GraphNIAH task: an answer read by a named rule, and why where there is none.

It needs only what a log keeps (output, target, choices, metadata), so that a finished log can be scored again
under another rule, at no model cost:

    inspect score LOG --scorer graphniah_inspect/reachability -S rule=tolerant
"""

from typing import Any

from inspect_ai._util.error import (
    PrerequisiteError,
)  # inspect-evals-lint: ignore[private_api_imports] -- no public name
from inspect_ai.scorer import CORRECT, INCORRECT, Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState
from rich.markup import escape

from graphniah_inspect.asking import never_answered, stop_reason, unscored_error
from graphniah_inspect.errors import UserError
from graphniah_inspect.graphniah.answers import (
    KINDS,
    RULES,
    Reading,
    is_correct,
    option_labels,
    read,
    read_target,
)
from graphniah_inspect.graphniah.metrics import CHOSE_NONE, TARGET, UNREAD, reachability_metrics
from graphniah_inspect.truncation import PROMPT_TRUNCATED, missing_tokens, warn_at_end

_SHOWN = 200


@scorer(metrics=reachability_metrics())
def reachability(rule: str = "paper") -> Scorer:
    """Score a response by one of the named rules of `answers`.

    `Score.answer` is what was read, `Score.explanation` says by which step and from which piece of the
    response, `Score.reason` why there is no answer, or `prompt_truncated` where the prompt did not reach the
    model whole.

    Args:
        rule: `paper` (default), `answer-block` or `tolerant`.

    Raises:
        PrerequisiteError: An unknown rule (`inspect score` hides what a ValueError says).
        UserError: When scoring, a sample of another benchmark, or a malformed target.
    """
    if rule not in RULES:
        raise PrerequisiteError(escape(f"rule={rule!r} is unknown. Known: {', '.join(RULES)}."))

    async def score(state: TaskState, target: Target) -> Score:
        kind = state.metadata.get("reachability_task")
        if kind not in KINDS:
            raise UserError(
                f"Sample {state.sample_id}: metadata `reachability_task` is {kind!r}, expected one of "
                f"{', '.join(KINDS)}; this scorer is for the GraphNIAH tasks."
            )
        if never_answered(state.output):
            return unscored_error()
        options = [choice.value for choice in state.choices] or None
        try:
            canonical = read_target(target.text, kind, options=options)
            reading = read(
                state.output.completion,
                kind,
                rule,
                options=options,
                stop_reason=stop_reason(state.output),
            )
            correct = is_correct(reading, target.text, kind, rule, options=options)
        except ValueError as error:
            raise UserError(f"Sample {state.sample_id}: {error}") from error

        explanation, reason = explain(reading, rule), reading.reason
        noted: dict[str, Any] = {"rule": rule, TARGET: canonical, UNREAD: reading.reason}
        if options and state.metadata.get("none_option"):
            noted[CHOSE_NONE] = reading.answer == option_labels(options)[-1]
        cut = missing_tokens(state.output.usage, state.metadata)
        if cut and reason != "context_overflow":
            reason = PROMPT_TRUNCATED
            explanation += f"\nThe provider reports {cut[0]:,} input tokens; the prompt has at least {cut[1]:,}."
            warn_at_end()
        return Score(
            value=CORRECT if correct else INCORRECT,
            answer=reading.answer,
            explanation=explanation,
            reason=reason,
            metadata=noted,
        )

    return score


def explain(reading: Reading, rule: str) -> str:
    """Say how an answer was read, or what was tried, with the piece of the response cut to 200 characters."""
    if not reading.step:
        return f"Not read: {reading.reason}."
    piece = reading.piece if len(reading.piece) <= _SHOWN else f"{reading.piece[:_SHOWN]}…"
    if reading.answer is None:
        return f"Not readable by rule {rule} ({reading.reason}). Tried the {reading.step}: {piece}"
    return f"Read by rule {rule} from the {reading.step}: {piece}"
