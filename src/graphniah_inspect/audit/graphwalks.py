"""The audit of GraphWalks data: every answer from the edge list, and which wording each row has."""

import io
import json
from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

from graphniah_inspect.audit.findings import Outcome
from graphniah_inspect.graphwalks.audit import RowVerdict, audit_rows
from graphniah_inspect.graphwalks.source import open_source

OUTCOMES: tuple[Outcome, ...] = ("agrees", "disagrees", "cannot be read")


@dataclass(frozen=True)
class GraphWalksReport:
    """What was found, row by row."""

    dataset: str
    revision: str | None
    files: dict[str, str]
    rows: tuple[RowVerdict, ...]

    @property
    def wrong(self) -> bool:
        """Whether any answer does not follow from its prompt."""
        return any(row.outcome == "disagrees" for row in self.rows)


def audit_graphwalks(dataset: str, revision: str | None) -> GraphWalksReport:
    """Audit every row; one prompt in memory at a time.

    Raises:
        UserError: The data cannot be had, or is not GraphWalks data.
    """
    from tqdm import tqdm

    source = open_source(dataset, revision)
    rows = tqdm(audit_rows(source), total=len(source.problems), desc=f"Auditing {dataset}", disable=None)
    files = {file.path.name: file.sha256 for file in source.files}
    return GraphWalksReport(dataset, source.revision, files, tuple(rows))


def terminal(report: GraphWalksReport, shown: int) -> str:
    """A table by type and wording, then what disagrees and what cannot be read."""
    from rich.console import Console
    from rich.table import Table

    console = Console(file=io.StringIO(), width=None if Console().is_terminal else 120, highlight=False)
    table = Table(title="Answers, re-derived from the edge list", title_justify="left")
    for column in ("type", "wording", *OUTCOMES):
        table.add_column(column, justify="left" if column in ("type", "wording") else "right")
    counts = Counter((row.problem_type, row.wording, row.outcome) for row in report.rows)
    for kind, wording in sorted({(kind, wording) for kind, wording, _ in counts}):
        table.add_row(kind, wording, *(str(counts[kind, wording, outcome]) for outcome in OUTCOMES))
    console.print(table)
    for outcome in OUTCOMES[1:]:
        rows = [row for row in report.rows if row.outcome == outcome]
        for row in rows[:shown]:
            nodes = f"; missing {', '.join(row.missing)}" if row.missing else ""
            nodes += f"; too many: {', '.join(row.surplus)}" if row.surplus else ""
            console.print(f"  {row.id} ({row.file}, row {row.row}) {outcome}: {row.reason}{nodes}", markup=False)
        if len(rows) > shown:
            console.print(f"  ... and {len(rows) - shown} more that {outcome}: --show, or the JSON report")
    repeated = sum(row.repeated > 0 for row in report.rows)
    if repeated:
        console.print(f"{repeated} published answers name a node more than once (graders read sets).")
    wordings = {row.wording for row in report.rows}
    if {"2025", "2026"} <= wordings:
        console.print("Rows of 2025 and of 2026 wording are mixed: their scores are not comparable.")
    total = Counter(row.outcome for row in report.rows)
    summary = ", ".join(f"{total[outcome]} {outcome}" for outcome in OUTCOMES)
    console.print(f"{report.dataset}: {len(report.rows)} rows: {summary}.", markup=False)
    text: str = console.file.getvalue()  # type: ignore[attr-defined]
    return text


def to_json(report: GraphWalksReport) -> str:
    """The whole report."""
    total = Counter(row.outcome for row in report.rows)
    content: dict[str, Any] = {"wrong": report.wrong, **{outcome: total[outcome] for outcome in OUTCOMES}}
    return json.dumps(content | asdict(report), ensure_ascii=False, indent=2) + "\n"
