"""What a log was measured on, and by which scoring: what runs must share to stand side by side."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inspect_ai.log import EvalLog, EvalSampleSummary

_DEFAULTS = {"reachability": {"rule": "paper"}, "graphwalks_grader": {"grader": "openai"}}
_RULE = ("rule", "grader")
# Of the record of a selection: where the same bytes happened to lie, counts that follow from the samples, and the
# rule that the task was run with, which is not that of a log scored again.
_INCIDENTAL = {
    *("dataset", "file", "files", "revision", "resolved_revision", "sha256", "etag", "bytes"),
    *("list_size", "examples", "left_out", "tokenizer", *_RULE),
}


@dataclass(frozen=True)
class Scoring:
    """One of the scores that a log's samples have.

    Attributes:
        name: Of the score within the log; `reachability1` if it was appended to a first one.
        scorer: The scorer's own name.
        options: The scorer's parameters, as text.
    """

    name: str
    scorer: str
    options: Mapping[str, str]

    @property
    def rule(self) -> str | None:
        """The scoring rule (of GraphWalks: the grader), where the scorer has one."""
        return next((self.options[name] for name in _RULE if name in self.options), None)

    def __str__(self) -> str:
        """The scorer with its parameters: equal for scores that were made alike."""
        return " ".join([self.scorer, *(f"{name}={value}" for name, value in sorted(self.options.items()))])


def scorings(header: EvalLog, summaries: Sequence[EvalSampleSummary]) -> list[Scoring]:
    """The scores of a log; those that it was to have, where every sample ended in an error."""
    names = dict.fromkeys(name for summary in summaries for name in summary.scores or {})
    if not names and all(summary.error is not None for summary in summaries):
        names = dict.fromkeys(scorer.name.rpartition("/")[2] for scorer in header.eval.scorers or [])
    return [_scoring(header, name, summaries) for name in names]


def conditions(header: EvalLog, scoring: Scoring) -> dict[str, str]:
    """What was measured, name -> text. The data is its hash where the log has one, else its name and revision."""
    record: Mapping[str, Any] = (header.eval.metadata or {}).get("selection") or header.eval.task_args
    # GraphWalks may lie in several files; their names, like a folder's, say nothing about what is in them.
    hashes = " ".join(str(file["sha256"]) for file in record.get("files") or ())
    digest = record.get("sha256") or record.get("etag") or hashes
    named = record.get("dataset") or header.eval.dataset.name or header.eval.dataset.location
    told = {
        name: as_text(value)
        for name, value in record.items()
        if name not in _INCIDENTAL and not isinstance(value, dict)
    }
    return told | {
        "task": header.eval.task,
        "task version": str(header.eval.task_version),
        "data": f"hash {digest}" if digest else f"{named} (revision {record.get('revision')}, no hash)",
        "scorer": str(scoring),
    }


def as_text(value: Any) -> str:
    """A parameter or setting as text: itself, or its JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _scoring(header: EvalLog, name: str, summaries: Sequence[EvalSampleSummary]) -> Scoring:
    """A score's parameters: by the samples where they note the rule, by the results, by the task, in this order."""
    given = {scorer.name.rpartition("/")[2]: scorer.options or {} for scorer in header.eval.scorers or []}
    # `inspect score --action append` numbers a second score of the same name: reachability1.
    scorer = name if name in given else name.rstrip("0123456789") or name
    results = header.results.scores if header.results else []
    # Scorers of several values have a result for each, under the value's name.
    found = next((result.params for result in results if name in (result.name, result.scorer)), None)
    options = found or (given.get(name) or {})
    noted = ((held.metadata or {}).get("rule") for one in summaries if (held := (one.scores or {}).get(name)))
    rule = next(({"rule": held} for held in noted if held), {})
    return Scoring(
        name, scorer, {key: as_text(value) for key, value in (_DEFAULTS.get(scorer, {}) | options | rule).items()}
    )
