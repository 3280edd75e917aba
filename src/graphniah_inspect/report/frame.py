"""Logs as one tidy table: a row for every sample, epoch and scoring. Everything else of a report follows from it.

A *run* is one log under one scoring rule. Runs are never pooled: whatever is averaged, is averaged within one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from inspect_ai.log import EvalLog, EvalSampleSummary

from graphniah_inspect.errors import UserError
from graphniah_inspect.graphniah.experiments import EXPERIMENTS
from graphniah_inspect.report.conditions import Scoring, as_text, conditions, scorings
from graphniah_inspect.report.logs import LeftOut, benchmark_of, summaries_of
from graphniah_inspect.report.sample_rows import FACTS, sample_row

if TYPE_CHECKING:
    import pandas as pd

EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
UNTOLD = {
    *("scorer", "lists", "format", "samples", "empty_truths", "tokens_known", "resolved_revision"),
}
"""Conditions that follow from others, so that they need not be told."""

COLUMNS = (
    *("run", "log", "benchmark", "task", "model", "rule", "experiment", "context_length", "id", "epoch", "cluster"),
    *(*FACTS, "options", "chance", "target", "answer", "outcome", "score", "exact", "precision", "recall"),
    *("count_error", "prompt_cut", "input_tokens", "output_tokens", "reasoning_tokens", "seconds", "error"),
)
"""Columns of the table of samples."""


@dataclass(frozen=True)
class Run:
    """A log under one scoring rule, and what tells it from others.

    Attributes:
        id: `r01`, `r02`, ...: unique within the report.
        log: Path of the log.
        score: Name of the score within the log.
        benchmark: `graphniah` or `graphwalks`.
        rule: How answers were read; of GraphWalks, the grader.
        conditions: What was measured, name -> text.
        settings: How the model was run, name -> text.
        planned: Samples times epochs.
        responses: Rows of the table of samples that belong to this run.
    """

    log: str
    score: str
    benchmark: str
    task: str
    model: str
    rule: str
    conditions: Mapping[str, str]
    settings: Mapping[str, str]
    planned: int
    id: str = ""
    responses: list[dict[str, Any]] = field(default_factory=list, repr=False)

    @property
    def experiment(self) -> str:
        """The experiment, an empty text where there is none."""
        return self.conditions.get("experiment", "")

    @property
    def context_length(self) -> int | None:
        """Tokens that the experiment's prompts were built to, where it records that."""
        length = self.conditions.get("context_length", "")
        return int(length) if length.isdigit() else None

    @property
    def effort(self) -> str | None:
        """Reasoning effort, where it was set."""
        return self.settings.get("reasoning_effort")


def read_runs(headers: Sequence[EvalLog]) -> tuple[list[Run], list[LeftOut]]:
    """Every run of the logs, in the order in which they are shown, and the logs that turned out to be unusable."""
    runs: dict[tuple[str, str, str], Run] = {}
    left_out: list[LeftOut] = []
    for header in headers:
        try:
            found = _runs_of(header)
        except UserError as error:
            left_out.append(LeftOut(header.location, str(error)))
            continue
        for run in found:
            # A re-scored copy holds the old score as well: once is enough.
            runs.setdefault((header.eval.eval_id, run.benchmark, run.rule), run)
    ordered = sorted(runs.values(), key=_order)
    return [replace(run, id=f"r{number:02d}") for number, run in enumerate(ordered, 1)], left_out


def tidy(runs: Sequence[Run]) -> "pd.DataFrame":
    """The table of samples, with the columns `COLUMNS`, sorted by run, sample id and epoch."""
    import pandas as pd

    rows = [
        {"run": run.id, **row}
        for run in runs
        for row in sorted(run.responses, key=lambda row: (row["id"], row["epoch"]))
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _order(run: Run) -> tuple[Any, ...]:
    effort = EFFORTS.index(run.effort) if run.effort in EFFORTS else -1
    known = list(EXPERIMENTS)
    experiment = known.index(run.experiment) if run.experiment in known else len(known)
    single = run.task not in ("graphniah", "graphwalks")
    return (
        run.benchmark,
        experiment,
        run.experiment,
        single,
        run.task,
        run.model,
        run.context_length or 0,
        effort,
        run.rule,
        run.log,
    )


def _runs_of(header: EvalLog) -> list[Run]:
    summaries = summaries_of(header)
    ours = [scoring for scoring in scorings(header, summaries) if benchmark_of(scoring.scorer)]
    if not ours:
        raise UserError("none of its samples has a score; score it with `inspect score`")
    return [_run(header, scoring, summaries) for scoring in ours]


def _run(header: EvalLog, scoring: Scoring, summaries: Sequence[EvalSampleSummary]) -> Run:
    rule = scoring.rule or ""
    told = {name: text for name, text in conditions(header, scoring).items() if name not in UNTOLD} | {"rule": rule}
    for name in ("limit", "sample_id"):
        wanted = getattr(header.eval.config, name)
        if wanted is not None:
            told[name] = as_text(wanted)
    settings = header.eval.model_args | header.eval.model_generate_config.model_dump(exclude_none=True)
    run = Run(
        log=header.location,
        score=scoring.name,
        benchmark=benchmark_of(scoring.scorer) or "",
        task=header.eval.task.rpartition("/")[2],
        model=header.eval.model,
        rule=rule,
        conditions=told,
        settings={name: as_text(value) for name, value in settings.items()},
        planned=header.results.total_samples if header.results else len(summaries),
    )
    held = {"log": run.log, "benchmark": run.benchmark, "task": run.task, "model": run.model, "rule": rule}
    run.responses.extend(held | sample_row(summary, scoring.name) for summary in summaries)
    return run
