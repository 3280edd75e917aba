"""`graphniah regrade LOG`: one finished GraphWalks run under every grader.

    graphniah regrade logs/2026-11-30T12-00-00_graphwalks_abc.eval
    graphniah regrade LOG --value exact --csv table.csv
    graphniah regrade --probes

Columns: graders. Rows: all samples, each problem type, each band, empty truths.
Everything comes from the log, at no model cost; samples are read one at a time.
Those without a response (an error, or a run that was stopped) are left out and
counted.
"""

import argparse
import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphniah_inspect.errors import UserError
from graphniah_inspect.graphwalks.graders import GRADERS
from graphniah_inspect.graphwalks.metrics import natural
from graphniah_inspect.graphwalks.parameters import one_of
from graphniah_inspect.graphwalks.probes import probe_table
from graphniah_inspect.graphwalks.scoring import grade_response, read_target, values_of
from graphniah_inspect.written import write_text

if TYPE_CHECKING:
    SubParsers = argparse._SubParsersAction[argparse.ArgumentParser]

VALUES = ("f1", "exact", "precision", "recall", "parsed")


def add_regrade_parser(subparsers: "SubParsers") -> None:
    """Add `regrade` to the command line."""
    parser = subparsers.add_parser("regrade", help="a GraphWalks log under every grader", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("log", metavar="LOG", nargs="?", help="an .eval or .json log of a GraphWalks task")
    parser.add_argument("--probes", action="store_true", help="grade a list of telling responses instead of a log")
    parser.add_argument(
        "--value", default="f1", metavar="NAME", help=f"what to average: {', '.join(VALUES)} (default: f1)"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the table as JSON, every value in it")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write the table as CSV, every value in it")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the table; 0 when all went well.

    Raises:
        UserError: No such log, or not of a GraphWalks task.
    """
    value = one_of("--value", arguments.value, VALUES)
    if arguments.probes or not arguments.log:
        if arguments.log or not arguments.probes:
            raise UserError("Give either a LOG or --probes.")
        _print_table("f1 by grader", probe_table())
        return 0
    table, left_out = regrade(arguments.log)
    _print(table, value, left_out, arguments.log)
    records = [
        {"group": group, "grader": grader, **means} for group, row in table.items() for grader, means in row.items()
    ]
    if arguments.json:
        write_text(
            arguments.json, json.dumps({"log": arguments.log, "left_out": left_out, "rows": records}, indent=1) + "\n"
        )
    if arguments.csv:
        text = io.StringIO(newline="")
        writer = csv.DictWriter(text, list(records[0]))
        writer.writeheader()
        writer.writerows(records)
        write_text(arguments.csv, text.getvalue())
    return 0


def regrade(log: str) -> tuple[dict[str, dict[str, dict[str, float]]], int]:
    """Means by group of samples, grader and value; and how many samples had no response.

    With several epochs, a sample counts as the mean of its epochs, as in the run's own metrics.

    Raises:
        UserError: No such log, or not of a GraphWalks task.
    """
    # Sums over epochs by (grader, sample): every value, and the number of epochs.
    sums: dict[tuple[str, str], dict[str, float]] = {}
    groups: dict[str, dict[str, None]] = {}
    left_out = 0
    for sample_id, response, stop_reason, target, metadata in _samples(log):
        if response is None:
            left_out += 1
            continue
        truth = read_target(target, sample_id)
        for group in _groups(sample_id, metadata, truth):
            groups.setdefault(group, {})[sample_id] = None
        for name, grader in GRADERS.items():
            values = values_of(*grade_response(response, stop_reason, truth, grader))
            total = sums.setdefault((name, sample_id), dict.fromkeys(values, 0.0) | {"epochs": 0.0})
            for key, one in (values | {"epochs": 1.0}).items():
                total[key] += one
    if not groups:
        raise UserError(f"{log} holds no sample with a response.")
    table: dict[str, dict[str, dict[str, float]]] = {}
    for group in sorted(groups, key=_order):
        table[group] = {}
        for name in GRADERS:
            totals = [sums[name, sample_id] for sample_id in groups[group]]
            keys = [key for key in totals[0] if key != "epochs"]
            means = {key: sum(one[key] / one["epochs"] for one in totals) / len(totals) for key in keys}
            table[group][name] = {"samples": float(len(totals)), **means}
    return table, left_out


def _samples(log: str) -> Iterator[tuple[str, str | None, str, str, dict[str, Any]]]:
    """Id, response (None where there was none), stop reason, target and metadata of each sample."""
    from inspect_ai.log import read_eval_log_samples

    if Path(log).is_dir():
        raise UserError(f"{log} is a folder. Give one .eval or .json log of a GraphWalks task.")
    unused = {"messages", "events", "store", "attachments", "scores", "timelines"}
    try:
        for sample in read_eval_log_samples(log, all_samples_required=False, exclude_fields=unused):
            if not isinstance(sample.target, str) or "problem_type" not in sample.metadata:
                raise UserError(
                    f"{log} is not of a GraphWalks task of graphniah_inspect: sample {sample.id} has no "
                    "`problem_type` or another kind of target."
                )
            answered = sample.error is None and bool(sample.output.choices)
            response = sample.output.completion if answered else None
            yield str(sample.id), response, str(sample.output.stop_reason), sample.target, sample.metadata
    except UserError:
        raise
    except FileNotFoundError as error:
        raise UserError(f"There is no log {log}.") from error
    except (OSError, ValueError) as error:
        raise UserError(f"{log} cannot be read as a log of Inspect: {error}.") from error


def _groups(sample_id: str, metadata: dict[str, Any], truth: frozenset[str]) -> Iterator[str]:
    yield "all"
    yield str(metadata["problem_type"])
    yield f"band {metadata.get('band')}"
    yield "truth not empty" if truth else "truth empty"


def _order(group: str) -> tuple[int, tuple[float, str]]:
    kind = ("all", "bfs", "parents", "band", "truth").index(group.split(" ")[0])
    return kind, natural(group.removeprefix("band "))


def _print(table: dict[str, dict[str, dict[str, float]]], value: str, left_out: int, log: str) -> None:
    lines = []
    for group, row in table.items():
        number = str(int(next(iter(row.values()))["samples"]))
        lines.append((f"{group} ({number})", {name: means[value] for name, means in row.items()}))
    _print_table(f"{value} by grader: {Path(log).name}", lines)
    if left_out:
        print(f"{left_out} samples without a response are left out.")


def _print_table(title: str, lines: list[tuple[str, dict[str, float]]]) -> None:
    from rich.console import Console
    from rich.table import Table

    shown = Table(title=title)
    shown.add_column("", no_wrap=True)
    for name in GRADERS:
        shown.add_column(name.replace("-flexible", "\nflexible"), justify="right")
    for label, values in lines:
        shown.add_row(label, *(f"{values[name]:.3f}" for name in GRADERS))
    Console().print(shown)
