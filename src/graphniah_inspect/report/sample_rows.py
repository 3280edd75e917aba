"""A sample in one epoch as a row: what was asked, what became of the response, and what it took."""

import json
import math
from collections.abc import Mapping
from typing import Any

from inspect_ai.log import EvalSampleSummary
from inspect_ai.scorer import Score

from graphniah_inspect.graphniah.answers import REASONS
from graphniah_inspect.graphniah.metrics import UNREAD
from graphniah_inspect.report.pairing import CLUSTER_KEYS
from graphniah_inspect.report.runs import GRADES
from graphniah_inspect.truncation import PROMPT_TRUNCATED

OUTCOMES = {
    "right": "right",
    "wrong": "read, but wrong",
    "invalid_response_format": "no readable answer",
    "no_response": "empty response",
    "truncated": "cut off at the output limit",
    "context_overflow": "prompt too long for the model",
    "refusal": "refused",
    "error": "error, not scored",
    "not_scored": "no score",
}
"""What may become of a response, in the order in which it is shown."""

POSITIONS = ("source_position", "target_position", "path_start", "path_end")
FACTS = (
    *("qid", "value", "reachability_task", "question_depth", "component_node_count", "distractor_type"),
    *("none_option", "prompt_tokens", "prompt_tokens_min", *POSITIONS),
    *("problem_type", "band", "depth", "truth_size", "truth_size_band"),
)
"""Metadata of a sample that become columns."""


def sample_row(summary: EvalSampleSummary, name: str) -> dict[str, Any]:
    """A row of the table of samples, without what the whole run has in common.

    Args:
        summary: One sample in one epoch.
        name: Of the score.
    """
    facts = summary.metadata
    score = (summary.scores or {}).get(name)
    values = score.value if score and isinstance(score.value, Mapping) else {}
    value = _number(values.get("f1") if values else score.value if score else None)
    outcome = _outcome(summary, score, value)
    target = summary.target if isinstance(summary.target, str) else json.dumps(summary.target)
    row: dict[str, Any] = {
        "experiment": facts.get("experiment"),
        "context_length": facts.get("context_length"),
        "id": str(summary.id),
        "epoch": summary.epoch,
        "cluster": next((str(facts[k]) for k in CLUSTER_KEYS if facts.get(k) is not None), str(summary.id)),
        **{fact: facts.get(fact) for fact in FACTS},
        "options": len(summary.choices) if summary.choices else None,
        "target": target,
        "answer": score.answer if score else None,
        "outcome": outcome,
        "score": value if outcome not in ("error", "not_scored") else None,
        **{grade: _number(values.get(grade)) for grade in ("exact", "precision", "recall")},
        "prompt_cut": score is not None and score.reason == PROMPT_TRUNCATED,
        "seconds": summary.working_time,
        "error": summary.error,
    }
    kind = facts.get("reachability_task")
    row["chance"] = _chance(kind, row["options"])
    if kind == "counting" and outcome in ("right", "wrong"):
        row["count_error"] = _count_error(row["answer"], target)
    for usage in summary.model_usage.values():
        cached = (usage.input_tokens_cache_read or 0) + (usage.input_tokens_cache_write or 0)
        row["input_tokens"] = row.get("input_tokens", 0) + usage.input_tokens + cached
        row["output_tokens"] = row.get("output_tokens", 0) + usage.output_tokens
        row["reasoning_tokens"] = row.get("reasoning_tokens", 0) + (usage.reasoning_tokens or 0)
    return row


def _outcome(summary: EvalSampleSummary, score: Score | None, value: float | None) -> str:
    if summary.error is not None:
        return "error"
    if score is None or value is None:
        return "not_scored"
    # A cut prompt is told as the score's reason, and may hide why there is no answer, which stands elsewhere.
    reasons = [score.reason, (score.metadata or {}).get(UNREAD)]
    if isinstance(score.value, Mapping):
        reasons += [name for name, held in score.value.items() if held == 1]
    unread = next((reason for reason in reasons if reason in REASONS), None)
    if unread is not None:
        return unread
    exact = _number(score.value.get("exact")) if isinstance(score.value, Mapping) else value
    return "right" if exact == 1 else "wrong"


def _number(value: Any) -> float | None:
    if isinstance(value, str):
        return GRADES.get(value)
    if isinstance(value, int | float) and not math.isnan(value):
        return float(value)
    return None


def _chance(kind: Any, options: int | None) -> float | None:
    """Expected score of a uniform guess among the answers offered; a count cannot be guessed."""
    return {"yes-no": 0.5, "multiple-choice": 1 / (options or 4), "counting": 0.0}.get(kind)


def _count_error(answer: str | None, target: str) -> float | None:
    try:
        return float(int((answer or "").replace(",", "")) - int(target))
    except ValueError:
        return None
