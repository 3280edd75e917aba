"""`graphniah compare LOG LOG [...]`: models, or runs, on the same samples."""

import argparse
import importlib.util
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from graphniah_inspect.errors import UserError
from graphniah_inspect.written import write_text

BY_SUFFIX = {".md": "markdown", ".csv": "csv", ".json": "json", ".txt": "table"}


def add_compare_parser(subparsers: Any) -> None:
    """Add the command to the `graphniah` parser."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "compare",
        help="compare runs on the same samples, paired, with intervals",
        description=(
            "Compare two or more finished logs sample by sample: accuracies with Wilson intervals, paired "
            "differences with clustered standard errors and 95 % intervals, exact McNemar tests with Holm's "
            "adjustment, and the smallest difference that this number of samples could have shown. Logs that "
            "were not measured on the same thing are refused."
        ),
    )
    parser.add_argument("logs", nargs="+", metavar="LOG", help="an .eval or .json log, or a folder of them")
    parser.add_argument("--by", metavar="KEY", help="also by a sample metadata key: value, distractor_type, ...")
    parser.add_argument("--baseline", metavar="RUN", help="compare with this run (label or log), not all pairs")
    parser.add_argument(
        "--intersect", action="store_true", help="compare the samples that all logs share, when they differ"
    )
    parser.add_argument(
        "--cluster",
        metavar="KEY",
        help="metadata key that makes samples dependent (default: component_id, else source_qid, else qid)",
    )
    parser.add_argument(
        "--rule", metavar="RULE", help="which scoring rule (GraphWalks: grader), where logs were scored by several"
    )
    parser.add_argument("--scorer", metavar="NAME", help="which scorer, where logs have several")
    parser.add_argument(
        "--measure", metavar="NAME", help="which value, where a score has several (GraphWalks: f1, exact, ...)"
    )
    parser.add_argument("--format", choices=("table", "markdown", "csv", "json"), help="what to print")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write to FILE (.md, .csv, .json or .txt) as well")
    parser.set_defaults(run=run_compare)


def run_compare(arguments: argparse.Namespace) -> int:
    """Run the command; returns the exit status.

    Raises:
        UserError: Logs that cannot be read or compared, or an option that cannot be meant.
    """
    if importlib.util.find_spec("scipy") is None:
        raise UserError("`graphniah compare` needs SciPy: pip install 'graphniah-inspect[report]'.")
    from graphniah_inspect.report.compare import compare
    from graphniah_inspect.report.compare_tables import render
    from graphniah_inspect.report.logs import gather
    from graphniah_inspect.report.pairing import pair
    from graphniah_inspect.report.runs import Wanted, read_runs, tell_apart

    out: Path | None = arguments.out
    if out is not None and out.suffix not in BY_SUFFIX:
        raise UserError(f"--out {out}: the suffix must be one of {', '.join(BY_SUFFIX)}.")
    headers, left_out = gather(arguments.logs, every=True)
    if broken := [f"\n  {log.file}: {log.why}" for log in left_out if log.broken]:
        raise UserError(f"Logs that cannot be used:{''.join(broken)}\nMove them away, or name the logs to compare.")
    walks = sorted(log.location for log in headers if log.eval.task.rpartition("/")[2].startswith("graphwalks"))
    if walks and len(walks) < len(headers):
        raise UserError(
            f"Logs of two benchmarks cannot be compared; {len(walks)} of {len(headers)} are of GraphWalks:"
            + "".join(f"\n  {file}" for file in walks)
            + "\nName the logs of one benchmark."
        )
    runs, copies = read_runs(headers, Wanted(arguments.scorer, arguments.rule, arguments.measure))
    notes = [f"Left out {log.file}: {log.why}." for log in left_out + copies]
    if len(runs) < 2:
        raise UserError("\n".join([f"Two logs are needed to compare; found {len(runs)}.", *notes]))
    paired = pair(tell_apart(runs), intersect=arguments.intersect, cluster=arguments.cluster)
    paired = replace(paired, notes=(*notes, *paired.notes))
    report = compare(paired, by=arguments.by, baseline=arguments.baseline)
    print(render(report, arguments.format or "table"), end="")
    if out is not None:
        write_text(out, render(report, BY_SUFFIX[out.suffix]))
        print(f"Written: {out}", file=sys.stderr)
    return 0
