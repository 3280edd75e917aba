"""Everything that a report holds, worked out before anything is written."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from graphniah_inspect.errors import UserError
from graphniah_inspect.report import against, counts, options, responses, walks
from graphniah_inspect.report.frame import Run, read_runs, tidy
from graphniah_inspect.report.labels import apart_from
from graphniah_inspect.report.logs import LeftOut, gather
from graphniah_inspect.report.measure import NOT_COUNTED, Rate, chance_of, rate
from graphniah_inspect.report.section import Family, Section, families

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Result:
    """A run's main figures.

    Attributes:
        apart: What sets it apart from the runs beside it; why it is a row of its own.
        accuracy: Over samples with a score; of GraphWalks, the mean F1.
        errors_wrong: Accuracy if every error counted as a wrong answer.
        chance: What guessing would give; None where that is unknown or next to nothing.
        responses: Samples times epochs.
        unread: Responses that were scored as wrong without an answer having been read.
        cut: Responses to prompts that the server seems to have shortened.
    """

    run: Run
    label: str
    apart: str
    accuracy: Rate
    errors_wrong: float
    chance: float | None
    responses: int
    epochs: int
    unread: int
    cut: int


@dataclass(frozen=True)
class Chapter:
    """A family of runs, its results, and its sections."""

    family: Family
    results: Sequence[Result]
    sections: Sequence[Section]


@dataclass(frozen=True)
class Content:
    """A report."""

    runs: Sequence[Run]
    frame: "pd.DataFrame" = field(repr=False)
    chapters: Sequence[Chapter]
    left_out: Sequence[LeftOut]

    @property
    def warnings(self) -> list[str]:
        """What a reader must know before the numbers."""
        found = [f"Left out: {log.file}: {log.why}." for log in self.left_out]
        results = [result for chapter in self.chapters for result in chapter.results]
        failed = [f"{r.run.id} {r.accuracy.failed} of {r.responses}" for r in results if r.accuracy.failed]
        if failed:
            found.append(
                f"Some responses ended in an error and are not in accuracy: {', '.join(failed)}. `inspect eval-retry "
                "LOG` asks for them again."
            )
        short = [
            f"{r.run.id} {r.run.planned - r.responses} of {r.run.planned}"
            for r in results
            if r.responses < r.run.planned
        ]
        if short:
            found.append(f"Some samples were not run, or are not in the log: {', '.join(short)}.")
        cut = [f"{r.run.id} {r.cut} of {r.responses}" for r in results if r.cut]
        if cut:
            found.append(
                "The server may have cut some prompts without a word, as it reports far fewer input tokens than they "
                f"have: {', '.join(cut)} responses."
            )
        return found


def read_content(places: Sequence[str]) -> Content:
    """Read logs and work out the report.

    Raises:
        UserError: Nothing to report on; the reasons, log by log, are in the text.
    """
    headers, left_out = gather(places)
    runs, unusable = read_runs(headers)
    left_out = sorted([*left_out, *unusable], key=lambda log: log.file)
    if not runs:
        reasons = "\n".join(f"  {log.file}: {log.why}" for log in left_out)
        raise UserError(f"There is no finished log of this package's tasks to report on:\n{reasons}")
    frame = tidy(runs)
    return Content(runs, frame, [_chapter(family) for family in families(runs, frame)], left_out)


def _chapter(family: Family) -> Chapter:
    results = [
        Result(
            run=run,
            label=label,
            apart=", ".join(apart_from(run, family.runs)),
            accuracy=rate(part),
            errors_wrong=_errors_wrong(part),
            chance=chance_of(part),
            responses=len(part),
            epochs=int(part["epoch"].nunique()),
            unread=responses.unread(part["outcome"]),
            cut=int(part["prompt_cut"].sum()),
        )
        for run, label in zip(family.runs, family.labels, strict=True)
        for part in [family.part(run)]
    ]
    if family.benchmark == "graphwalks":
        return Chapter(family, results, walks.sections(family))
    made = [section for kind in (against, responses, options, counts) for section in kind.sections(family)]
    return Chapter(family, results, [*made, *against.more_sections(family)])


def _errors_wrong(part: "pd.DataFrame") -> float:
    counted = part["score"].where(~part["outcome"].isin(NOT_COUNTED), 0.0).astype(float)
    return float(counted.groupby(part["id"]).mean().mean()) if len(part) else float("nan")
