"""The report as tables: CSV and JSON for programs, Markdown to paste."""

import csv
import io
import json
import math
from collections.abc import Iterable, Sequence
from typing import Any

from graphniah_inspect.report.content import Chapter, Content, Result
from graphniah_inspect.report.section import Number

RESULT_COLUMNS = (
    *("run", "model", "set apart by", "n", "accuracy %", "95 % interval", "guessing %"),
    *("not read", "errors", "with errors as wrong %"),
)


def result_cells(result: Result) -> tuple[str, ...]:
    """Cells of a row under `RESULT_COLUMNS`."""
    found = result.accuracy
    n = f"{found.n}" if result.epochs == 1 else f"{found.n} x {result.epochs} epochs"
    return (
        result.run.id,
        result.run.model,
        result.apart or "-",
        n,
        percent(found.mean),
        interval(found.low, found.high),
        percent(result.chance),
        str(result.unread),
        str(found.failed),
        percent(result.errors_wrong),
    )


def number_cells(number: Number) -> tuple[str, ...]:
    """Which run, which samples, what, value, interval, n, errors."""
    if number.unit == "share":
        value = f"{percent(number.value)} %" if not math.isnan(number.value) else "-"
    else:
        value = f"{number.value:.6g} {number.unit}".strip() if not math.isnan(number.value) else "-"
    between = interval(number.low, number.high)
    return (number.run, number.series, number.at, number.measure, value, between, str(number.n), str(number.failed))


NUMBER_COLUMNS = ("run", "name", "samples", "measure", "value", "95 % interval", "n", "errors")


def numbers_csv(content: Content) -> str:
    """Every number of every figure, in long form."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    columns = ("figure", "run", "log", "name", "samples", "measure", "value", "low", "high", "n", "errors", "unit")
    writer.writerow((*columns, "filter"))
    logs = {run.id: run.log for run in content.runs}
    for chapter in content.chapters:
        for section in chapter.sections:
            for number in section.numbers:
                values = (_blank(value) for value in (number.value, number.low, number.high))
                head = (section.slug, number.run, logs[number.run], number.series, number.at, number.measure)
                shown = number.show.filter if number.show else ""
                writer.writerow((*head, *values, number.n, number.failed, number.unit, shown))
    return stream.getvalue()


def runs_json(content: Content) -> list[dict[str, Any]]:
    """Runs with what they measured, how, and the result."""
    found = []
    for chapter in content.chapters:
        for result in chapter.results:
            run, rate = result.run, result.accuracy
            found.append(
                {
                    "run": run.id,
                    "log": run.log,
                    "benchmark": run.benchmark,
                    "model": run.model,
                    "rule": run.rule,
                    "apart": result.apart,
                    "conditions": dict(run.conditions),
                    "settings": dict(run.settings),
                    "n": rate.n,
                    "epochs": result.epochs,
                    "responses": result.responses,
                    "accuracy": _null(rate.mean),
                    "low": _null(rate.low),
                    "high": _null(rate.high),
                    "chance": result.chance,
                    "errors_as_wrong": _null(result.errors_wrong),
                    "not_read": result.unread,
                    "errors": rate.failed,
                    "prompt_cut": result.cut,
                }
            )
    return found


def to_json(content: Content) -> str:
    """Runs, logs left out, and the table of samples, in strict JSON."""
    samples = json.loads(content.frame.to_json(orient="records", double_precision=15))
    left_out = [{"log": log.file, "why": log.why} for log in content.left_out]
    held = {"runs": runs_json(content), "left_out": left_out, "samples": samples}
    return json.dumps(held, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def markdown(content: Content) -> str:
    """Results of every run, then every section's numbers; sections with one measure as run by value."""
    parts = ["# Results\n"]
    parts += [f"- {_inline(warning)}" for warning in content.warnings]
    for chapter in content.chapters:
        parts.append(f"\n## {_inline(chapter.family.title)}\n")
        parts.append(table(RESULT_COLUMNS, [result_cells(result) for result in chapter.results]))
        parts += _section_tables(chapter)
    return "\n".join(parts) + "\n"


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; nothing in a cell can end it or become markup."""
    lines = [f"| {' | '.join(map(_inline, columns))} |", "|" + " --- |" * len(columns)]
    lines += [f"| {' | '.join(_inline(cell) for cell in row)} |" for row in rows]
    return "\n".join(lines) + "\n"


def _section_tables(chapter: Chapter) -> list[str]:
    parts = []
    for section in chapter.sections:
        parts.append(f"\n### {_inline(section.title)}\n")
        measures = {number.measure for number in section.numbers}
        columns = list(dict.fromkeys(number.at for number in section.numbers))
        if len(measures) == 1 and 1 < len(columns) <= 8:
            series = dict.fromkeys(number.series for number in section.numbers)
            found = {(number.series, number.at): number for number in section.numbers}
            rows = [[name, *(_short(found.get((name, at))) for at in columns)] for name in series]
            parts.append(f"{measures.pop()}, 95 % interval, number of samples\n")
            parts.append(table(["", *columns], rows))
        else:
            parts.append(table(NUMBER_COLUMNS, [number_cells(number) for number in section.numbers]))
    return parts


def _short(number: Number | None) -> str:
    if number is None or math.isnan(number.value):
        return "-"
    return f"{percent(number.value)} ({interval(number.low, number.high)}), n={number.n}"


def percent(share: float | None) -> str:
    """`73.1`, or `-` where there is nothing."""
    return "-" if share is None or math.isnan(share) else f"{share * 100:.1f}"


def interval(low: float | None, high: float | None) -> str:
    """`64.5 to 80.2` in percent."""
    return "-" if low is None or high is None or math.isnan(low) else f"{low * 100:.1f} to {high * 100:.1f}"


def _inline(text: str) -> str:
    text = " ".join(text.split())
    for character in "\\|`*_[]<>":
        text = text.replace(
            character, f"\\{character}" if character not in "<>" else {"<": "&lt;", ">": "&gt;"}[character]
        )
    return text


def _blank(value: float | None) -> float | str:
    return "" if value is None or math.isnan(value) else value


def _null(value: float) -> float | None:
    return None if math.isnan(value) else value
