"""One finished log as a run: its scores by sample and epoch, and what they were measured on.

Reads the header and the sample summaries of a log, never its prompts.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

from inspect_ai.log import (
    EvalLog,
    EvalSampleSummary,
    list_eval_logs,
    read_eval_log,
    read_eval_log_sample_summaries,
)

from graphniah_inspect.errors import UserError
from graphniah_inspect.report.logs import UNREADABLE

Key = tuple[str, int]

GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
# Of the record of a selection: where the same bytes happened to lie, and counts that follow from the samples.
INCIDENTAL = {
    *("dataset", "file", "revision", "sha256", "etag", "bytes"),
    *("list_size", "examples", "left_out", "tokenizer"),
}
DECISIVE = ("task version", "data", "context", "scorer")


@dataclass(frozen=True)
class Run:
    """A log's scores and conditions.

    Attributes:
        file: Where the log is.
        label: The model, with what else tells this run from the others.
        traits: What may tell runs of one model apart: generation settings and task arguments.
        conditions: What was measured, as name -> text; two runs compare only where all are equal.
        status: `success`, `cancelled`, `error` or `started`.
        scores: (sample id, epoch) -> score, 0..1.
        unscored: (sample id, epoch) -> why it has no score.
        metadata: Sample id -> the sample's metadata.
        targets: Sample id -> its target, as text.
    """

    file: str
    label: str
    traits: Mapping[str, str]
    conditions: Mapping[str, str]
    status: str
    scores: Mapping[Key, float]
    unscored: Mapping[Key, str]
    metadata: Mapping[str, Mapping[str, Any]]
    targets: Mapping[str, str]


def find_logs(places: Sequence[str]) -> tuple[list[str], list[str]]:
    """Log files behind files and folders, and notes on those left out.

    Of the logs in a folder that are attempts at one task (retries have its task id), the last successful one
    counts, or the last; a file that is named is always taken.

    Raises:
        UserError: Nothing there, or a folder without logs.
    """
    files: list[str] = []
    notes: list[str] = []
    for place in places:
        if not Path(place).is_dir():
            files.append(place)
            continue
        attempts: dict[str, list[EvalLog]] = {}
        for info in list_eval_logs(place):
            log = _read_header(unquote(urlparse(info.name).path) if info.name.startswith("file:") else info.name)
            attempts.setdefault(log.eval.task_id, []).append(log)
        if not attempts:
            raise UserError(f"{place}: no .eval or .json log in this folder.")
        chosen: list[EvalLog] = []
        for logs in attempts.values():
            logs.sort(key=lambda log: (log.status == "success", str(log.eval.created)))
            chosen.append(logs[-1])
            notes += [
                f"Left out {log.location} ({log.status}): {Path(logs[-1].location).name} is a later attempt."
                for log in logs[:-1]
            ]
        files += [log.location for log in sorted(chosen, key=lambda log: str(log.eval.created))]
    return list(dict.fromkeys(files)), notes


def read_run(file: str, scorer: str | None = None, measure: str | None = None) -> Run:
    """Read one log.

    Args:
        file: A `.eval` or `.json` log.
        scorer: Which scorer's values; needed where a log has several.
        measure: Which value of a scorer that gives several (GraphWalks: `f1`, `exact`, ...).

    Raises:
        UserError: Unreadable, without scores, or with scores that are no numbers in 0..1.
    """
    log = _read_header(file)
    try:
        summaries = read_eval_log_sample_summaries(file)
    except UNREADABLE as error:
        raise UserError(f"{file}: its samples cannot be read ({error}).") from error
    name = _choose_scorer(file, summaries, scorer)
    scores: dict[Key, float] = {}
    unscored: dict[Key, str] = {}
    metadata: dict[str, Mapping[str, Any]] = {}
    targets: dict[str, str] = {}
    for summary in summaries:
        key = (str(summary.id), summary.epoch)
        if key in scores or key in unscored:
            raise UserError(f"{file}: sample {key[0]} occurs twice in epoch {key[1]}; ids must be unique.")
        metadata[key[0]] = summary.metadata
        targets[key[0]] = json.dumps(summary.target, ensure_ascii=False)
        value = _value(f"{file}, sample {key[0]}, epoch {key[1]}", summary, name, measure)
        if isinstance(value, str):
            unscored[key] = value
        else:
            scores[key] = value
    for sample_id in log.eval.dataset.sample_ids or []:
        for epoch in range(1, (log.eval.config.epochs or 1) + 1):
            key = (str(sample_id), epoch)
            if key not in scores and key not in unscored:
                unscored[key] = f"not run ({log.status})"
    if not scores:
        raise UserError(f"{file}: none of its {len(unscored)} samples has a score (status: {log.status}).")
    return Run(
        file=file,
        label=log.eval.model,
        traits=_traits(log),
        conditions=_conditions(log, name),
        status=log.status,
        scores=scores,
        unscored=unscored,
        metadata=metadata,
        targets=targets,
    )


def tell_apart(runs: Sequence[Run]) -> list[Run]:
    """Give every run a label of its own: the model, then the traits that differ, then the log's file name."""
    labelled = list(runs)
    for model in {run.label for run in runs}:
        same = [index for index, run in enumerate(runs) if run.label == model]
        if len(same) < 2:
            continue
        traits = sorted({trait for index in same for trait in runs[index].traits})
        differing = [t for t in traits if len({runs[index].traits.get(t) for index in same}) > 1]
        labels = [
            " ".join([model, *(f"{t}={runs[index].traits.get(t, 'unset')}" for t in differing)]) for index in same
        ]
        for index, label in zip(same, labels, strict=True):
            unique = labels.count(label) == 1
            name = label if unique else f"{label} [{Path(runs[index].file).name}]"
            labelled[index] = replace(runs[index], label=name)
    return labelled


def _read_header(file: str) -> EvalLog:
    try:
        return read_eval_log(file, header_only=True)
    except FileNotFoundError as error:
        raise UserError(f"{file}: no such log. Give .eval or .json logs, or folders of them.") from error
    except UNREADABLE as error:
        raise UserError(f"{file}: cannot be read as an Inspect log ({error}).") from error


def _choose_scorer(file: str, summaries: Sequence[EvalSampleSummary], wanted: str | None) -> str:
    names = sorted({name for summary in summaries for name in summary.scores or {}})
    if wanted is not None:
        short = wanted.rpartition("/")[2]
        if short not in names:
            raise UserError(f"{file}: no scorer {wanted!r}. It has: {', '.join(names) or 'none'}.")
        return short
    if len(names) > 1:
        raise UserError(f"{file}: scored by {', '.join(names)}; choose one with --scorer.")
    if not names:
        raise UserError(
            f"{file}: holds no scores. Finish the run (`inspect eval-retry {file}`) if it was stopped, or score it "
            f"(`inspect score {file}`)."
        )
    return names[0]


def _value(where: str, summary: EvalSampleSummary, scorer: str, measure: str | None) -> float | str:
    """The sample's score as a number in 0..1, or why it has none."""
    if summary.error is not None:
        return f"error: {summary.error.strip().splitlines()[-1][:80] if summary.error.strip() else 'unknown'}"
    score = (summary.scores or {}).get(scorer)
    if score is None:
        return "no score"
    value: Any = score.value
    if isinstance(value, Mapping):
        if measure is None or measure not in value:
            raise UserError(f"{where}: the score has {', '.join(map(str, value))}; choose one with --measure.")
        value = value[measure]
    elif measure is not None:
        raise UserError(f"{where}: --measure {measure}, but the score is one value, {value!r}.")
    if isinstance(value, str) and value in GRADES:
        return GRADES[value]
    if not isinstance(value, int | float):
        raise UserError(f"{where}: the score {value!r} is no number; expected 0..1 or one of C, P, I, N.")
    if math.isnan(value):
        return "score is NaN"
    if not 0 <= value <= 1:
        raise UserError(f"{where}: the score {value!r} is outside 0..1, for which these statistics are made.")
    return float(value)


def _traits(log: EvalLog) -> dict[str, str]:
    settings = log.plan.config.merge(log.eval.model_generate_config).model_dump(exclude_none=True)
    arguments = log.eval.task_args_passed | log.eval.model_args
    return {name: _text(value) for name, value in (arguments | settings).items()}


def _conditions(log: EvalLog, scorer: str) -> dict[str, str]:
    """What was measured. The data is its hash where the log has one, else its name and revision."""
    record: Mapping[str, Any] = (log.eval.metadata or {}).get("selection") or log.eval.task_args
    digest = record.get("sha256") or record.get("etag")
    named = record.get("dataset") or log.eval.dataset.name or log.eval.dataset.location
    options = next((found.options for found in log.eval.scorers or [] if found.name.rpartition("/")[2] == scorer), None)
    options = options or ({"rule": record["rule"]} if "rule" in record else {})
    conditions = {
        name: _text(value)
        for name, value in record.items()
        if name not in INCIDENTAL and name != "rule" and not isinstance(value, dict)
    }
    return conditions | {
        "task": log.eval.task,
        "task version": str(log.eval.task_version),
        "data": f"hash {digest}" if digest else f"{named} (revision {record.get('revision')}, no hash)",
        "scorer": " ".join([scorer, *(f"{name}={_text(value)}" for name, value in sorted(options.items()))]),
    }


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
