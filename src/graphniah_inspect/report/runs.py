"""One finished log as a run: its scores by sample and epoch, and what they were measured on.

Reads the header and the sample summaries of a log, never its prompts.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from inspect_ai.log import EvalLog, EvalSampleSummary

from graphniah_inspect.errors import UserError
from graphniah_inspect.report.conditions import Scoring, as_text, conditions, scorings
from graphniah_inspect.report.logs import LeftOut, read_header, summaries_of

Key = tuple[str, int]

GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
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


@dataclass(frozen=True)
class Wanted:
    """Which of several scores.

    Attributes:
        scorer: Name of the scorer, or of the score where one scorer made several.
        rule: Scoring rule; of GraphWalks, the grader.
        measure: Which value of a score that has several (GraphWalks: `f1`, `exact`, ...).
    """

    scorer: str | None = None
    rule: str | None = None
    measure: str | None = None


def read_runs(headers: Sequence[EvalLog], wanted: Wanted) -> tuple[list[Run], list[LeftOut]]:
    """Read what is to be compared, and tell which copies of one log are left out.

    A log that was scored again may lie beside its original: it counts once, by the first that has the wanted score.

    Raises:
        UserError: See `read_run`.
    """
    runs: dict[tuple[str, str], Run] = {}
    lacking: list[tuple[EvalLog, UserError]] = []
    left_out: list[LeftOut] = []
    for header in headers:
        summaries = _summaries(header)
        try:
            scoring = _choose(header, summaries, wanted)
        except UserError as error:
            lacking.append((header, error))
            continue
        key = (header.eval.eval_id, str(scoring))
        if key in runs:
            left_out.append(LeftOut(header.location, f"a copy of {Path(runs[key].file).name}"))
        else:
            runs[key] = _run(header, summaries, scoring, wanted.measure)
    found = {eval_id: Path(run.file).name for (eval_id, _), run in runs.items()}
    for header, reason in lacking:
        if header.eval.eval_id not in found:
            raise reason
        left_out.append(LeftOut(header.location, f"a copy of {found[header.eval.eval_id]} without the wanted score"))
    return list(runs.values()), left_out


def read_run(file: str, wanted: Wanted = Wanted()) -> Run:
    """Read one log.

    Raises:
        UserError: Unreadable, marked invalid, without scores, with several and none chosen, or with scores that
            are no numbers in 0..1.
    """
    try:
        header = read_header(file)
    except UserError as error:
        raise UserError(f"{file}: {error}.") from error
    summaries = _summaries(header)
    return _run(header, summaries, _choose(header, summaries, wanted), wanted.measure)


def _run(log: EvalLog, summaries: Sequence[EvalSampleSummary], scoring: Scoring, measure: str | None) -> Run:
    file = log.location
    if log.invalidated:
        raise UserError(f"{file}: some of its samples were marked invalid. Finish it with `inspect eval-retry`.")
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
        value = _value(f"{file}, sample {key[0]}, epoch {key[1]}", summary, scoring.name, measure)
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
        conditions=conditions(log, scoring),
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


def _summaries(header: EvalLog) -> list[EvalSampleSummary]:
    try:
        return summaries_of(header)
    except UserError as error:
        raise UserError(f"{header.location}: {error}.") from error


def _choose(header: EvalLog, summaries: Sequence[EvalSampleSummary], wanted: Wanted) -> Scoring:
    """The one score that is meant: never one of several."""
    file = header.location
    there = scorings(header, summaries)
    if not there:
        raise UserError(
            f"{file}: holds no scores. Finish the run (`inspect eval-retry {file}`) if it was stopped, or score it "
            f"(`inspect score {file}`)."
        )
    left = there
    if wanted.scorer is not None:
        name = wanted.scorer.rpartition("/")[2]
        left = [one for one in there if one.name == name] or [one for one in there if one.scorer == name]
    if wanted.rule is not None:
        left = [one for one in left if one.rule == wanted.rule]
    if len(left) == 1:
        return left[0]
    options = {"--scorer": wanted.scorer, "--rule": wanted.rule}
    asked = " ".join(f"{option} {value}" for option, value in options.items() if value is not None)
    held = ", ".join(f"{one.name} ({one})" for one in left or there)
    if not left:
        raise UserError(f"{file}: no score is of {asked}. It has: {held}.")
    raise UserError(f"{file}: scored by {held}; choose one with --rule or --scorer.")


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
    return {name: as_text(value) for name, value in (arguments | settings).items()}
