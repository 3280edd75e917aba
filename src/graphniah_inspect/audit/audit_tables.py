"""An audit as tables on the terminal, and as JSON."""

import io
import json
from collections import Counter
from dataclasses import asdict
from typing import Any

from graphniah_inspect.audit.run import Report

OUTCOMES = ("agrees", "disagrees", "cannot be read")


def terminal(report: Report, shown: int) -> str:
    """The report for a terminal, with the first so many findings of each check."""
    from rich.console import Console
    from rich.table import Table

    console = Console(file=io.StringIO(), width=None if Console().is_terminal else 120, highlight=False)
    answers = Table(title="Answers, re-derived from the prompt's text", title_justify="left")
    for column in ("format", *OUTCOMES, "labels"):
        answers.add_column(column, justify="left" if column in ("format", "labels") else "right")
    for task in dict.fromkeys(task for task, _ in report.outcomes):
        counts = [str(report.outcomes.get((task, outcome), 0)) for outcome in OUTCOMES]
        labels = ", ".join(f"{label} {number}" for label, number in report.labels.get(task, {}).items())
        answers.add_row(task or "(no row)", *counts, labels)
    console.print(answers)
    checks = Table(title="Checks", title_justify="left")
    for column in ("check", "made on", "faults"):
        checks.add_column(column, justify="left" if column == "check" else "right")
    faults = Counter(finding.check for finding in report.findings)
    for check, number in report.made.items():
        checks.add_row(check, str(number), str(faults.get(check, 0)))
    console.print(checks)
    for verdict in report.shortcuts:
        console.print(f"Shortcuts, {verdict}", markup=False)
    _print_listed(console, report, shown)
    for note in report.notes:
        console.print(note, markup=False)
    console.print(_summary(report), markup=False)
    text: str = console.file.getvalue()  # type: ignore[attr-defined]
    return text


def _print_listed(console: Any, report: Report, shown: int) -> None:
    by_check: dict[str, list[str]] = {}
    for finding in report.findings:
        by_check.setdefault(finding.check, []).append(str(finding))
    unread = [f"line {one.line} ({one.qid[:16]}): {one.reason}" for one in report.unread]
    listed = {f"Fault: {check}": lines for check, lines in by_check.items()}
    for title, lines in (listed | ({"Cannot be read": unread} if unread else {})).items():
        console.print(f"{title} ({len(lines)})", markup=False)
        for line in lines[:shown]:
            console.print(f"  {line}", markup=False)
        if len(lines) > shown:
            console.print(f"  ... and {len(lines) - shown} more: --show, or the JSON report")


def _summary(report: Report) -> str:
    parts = [f"{report.count(outcome)} {outcome}" for outcome in OUTCOMES]
    unread = " Nothing is claimed about answers that cannot be read." if report.unread else ""
    found = "Something disagrees." if report.wrong else "Nothing disagrees."
    return f"{report.dataset}: {sum(report.outcomes.values())} examples: {', '.join(parts)}. {found}{unread}"


def to_json(report: Report) -> str:
    """The whole report."""
    content = asdict(report)
    content["outcomes"] = [
        {"format": task, "outcome": outcome, "examples": number} for (task, outcome), number in report.outcomes.items()
    ]
    content = {"wrong": report.wrong, **{outcome: report.count(outcome) for outcome in OUTCOMES}} | content
    return json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
