"""A comparison as a terminal table, Markdown, CSV or JSON."""

import csv
import io
import json
import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from graphniah_inspect.report.compare import Comparison, Report

FORMATS = ("table", "markdown", "csv", "json")

ACCURACY_COLUMNS = ("run", "group", "n", "accuracy %", "95 % interval")
COMPARISON_COLUMNS = (
    *("first - second", "group", "n", "difference", "SE", "95 % interval"),
    *("better : worse", "McNemar p", "cluster p", "Holm p", "detectable"),
)


def render(report: Report, format: str) -> str:
    """The report as text in one of `FORMATS`; tables are in percent and points, CSV and JSON in shares."""
    return {"table": terminal, "markdown": markdown, "csv": tidy_csv, "json": to_json}[format](report)


def accuracy_rows(report: Report) -> list[tuple[str, ...]]:
    """Cells of the table of accuracies."""
    return [
        (a.run, a.group, str(a.n), f"{a.accuracy * 100:.1f}", _bounds(a.interval.low, a.interval.high))
        for a in report.accuracies
    ]


def comparison_rows(report: Report) -> list[tuple[str, ...]]:
    """Cells of the table of comparisons."""
    return [
        (
            f"{c.first} - {c.second}",
            c.group,
            str(c.n) if c.clusters == c.n else f"{c.n} in {c.clusters} clusters",
            f"{c.difference * 100:+.1f}",
            "-" if math.isnan(c.standard_error) else f"{c.standard_error * 100:.1f}",
            _bounds(c.interval.low, c.interval.high),
            f"{c.first_better} : {c.second_better}",
            f"{c.mcnemar_p:.3g}",
            f"{c.p:.3g}",
            f"{c.p_holm:.3g}",
            "none" if c.smallest is None else f"{c.smallest * 100:.1f}",
        )
        for c in report.comparisons
    ]


def terminal(report: Report) -> str:
    """Tables for the terminal's width, then the sentences."""
    from rich.console import Console
    from rich.table import Table

    console = Console(file=io.StringIO(), width=None if Console().is_terminal else 160, highlight=False)
    for title, columns, rows in _tables(report):
        table = Table(title=title, title_justify="left")
        for column in columns:
            table.add_column(column, justify="left" if column in ("run", "group", "first - second") else "right")
        for row in rows:
            table.add_row(*(cell.replace("[", r"\[") for cell in row))
        console.print(table)
    for line in _prose(report):
        console.print(line, markup=False)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    return str(text)


def markdown(report: Report) -> str:
    """Two tables and the sentences, ready to be pasted."""
    parts = []
    for title, columns, rows in _tables(report):
        lines = ["| " + " | ".join(cell.replace("|", r"\|") for cell in row) + " |" for row in rows]
        parts.append(
            "\n".join([f"**{title}**", "", f"| {' | '.join(columns)} |", "|" + " --- |" * len(columns), *lines])
        )
    return "\n\n".join([*parts, "\n".join(f"- {line}" for line in _prose(report))]) + "\n"


def tidy_csv(report: Report) -> str:
    """One row a comparison, with both accuracies, the clustering and the method."""
    stream = io.StringIO()
    accuracies = {(a.run, a.group): a for a in report.accuracies}
    rows: list[dict[str, Any]] = []
    for c in report.comparisons:
        row = _flat(c)
        for which, run in (("first", c.first), ("second", c.second)):
            a = accuracies[run, c.group]
            row |= {f"{which}_accuracy": a.accuracy, f"{which}_accuracy_low": a.interval.low}
            row |= {f"{which}_accuracy_high": a.interval.high, f"{which}_log": report.files[run]}
        notes = " ".join(report.notes)
        rows.append(row | {"clustered_by": report.cluster_by, "method": report.method, "notes": notes})
    writer = csv.DictWriter(stream, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue()


def to_json(report: Report) -> str:
    """The whole report; what cannot be estimated is null."""
    content = asdict(report)
    content["comparisons"] = [_flat(c) for c in report.comparisons]
    return json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def _flat(comparison: Comparison) -> dict[str, Any]:
    row = asdict(comparison)
    interval = row.pop("interval")
    row |= {"low": interval["low"], "high": interval["high"], "verdict": comparison.verdict}
    return {name: None if isinstance(v, float) and math.isnan(v) else v for name, v in row.items()}


def _tables(report: Report) -> Sequence[tuple[str, Sequence[str], Sequence[Sequence[str]]]]:
    """Title, columns and rows of both tables, without columns that say nothing here."""
    dropped = set() if report.by else {"group"}
    if all(c.p == c.mcnemar_p for c in report.comparisons):
        dropped.add("cluster p")
    return [
        (
            title,
            [column for column in columns if column not in dropped],
            [[cell for cell, column in zip(row, columns, strict=True) if column not in dropped] for row in rows],
        )
        for title, columns, rows in (
            ("Accuracy", ACCURACY_COLUMNS, accuracy_rows(report)),
            ("Paired differences, in percentage points", COMPARISON_COLUMNS, comparison_rows(report)),
        )
    ]


def _prose(report: Report) -> list[str]:
    grouped = [c for c in report.comparisons if c.group != "all"]
    return [
        *(c.verdict for c in report.comparisons if c.group == "all"),
        *(f"{c.group}: {c.verdict}" for c in grouped),
        report.method,
        *report.notes,
    ]


def _bounds(low: float, high: float) -> str:
    return f"{low * 100:.1f} to {high * 100:.1f}"
