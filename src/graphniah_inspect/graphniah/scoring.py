"""The scorer of every GraphNIAH task: an answer read by a named rule, and why where there is none."""

from inspect_ai.scorer import CORRECT, INCORRECT, Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import TaskState

from graphniah_inspect.graphniah.answers import is_correct, read


@scorer(metrics=[accuracy(), stderr()])
def reachability(rule: str = "paper") -> Scorer:
    """Score a response by one of the named rules of `answers`."""

    async def score(state: TaskState, target: Target) -> Score:
        kind = state.metadata["reachability_task"]
        options = [choice.value for choice in state.choices] or None
        reading = read(
            state.output.completion, kind, rule, options=options, stop_reason=state.output.stop_reason
        )
        right = is_correct(reading, target.text, kind, rule, options=options)
        return Score(
            value=CORRECT if right else INCORRECT,
            answer=reading.answer,
            explanation=f"{reading.step}: {reading.piece[:200]}",
            reason=reading.reason,
        )

    return score
