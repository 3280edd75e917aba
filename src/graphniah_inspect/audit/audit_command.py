"""`graphniah audit DATASET`: what is wrong with a data set, before a run is paid for."""

import argparse
import importlib.util
import json
from pathlib import Path
from typing import Any

from graphniah_inspect.errors import UserError
from graphniah_inspect.written import write_text


def add_audit_parser(subparsers: Any) -> None:
    """Add the command to the `graphniah` parser."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "audit",
        help="re-derive every answer of a data set from its prompts, and look for leaks and shortcuts",
        description=(
            "Re-derives the answer of every example from its prompt's text alone and compares: agrees, disagrees, or "
            "cannot be read. Also checks fields, lists and slots, balance, structure, token counts, leaks, and "
            "whether anything but the graph predicts the answer. Exit status: 0 nothing disagrees, 1 something "
            "does, 2 the data set cannot be opened."
        ),
    )
    parser.add_argument(
        "dataset",
        metavar="DATASET",
        help="owner/name on the hub, `sample` (bundled), a .jsonl file, a folder that holds examples.jsonl, or "
        "GraphWalks data (openai/graphwalks, .parquet)",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the whole report as JSON")
    parser.add_argument(
        "--workers", type=int, default=1, metavar="N", help="processes, with the same output (default: 1)"
    )
    parser.add_argument("--revision", metavar="REVISION", help="hub revision (default: as the tasks)")
    parser.add_argument("--show", type=int, default=10, metavar="N", help="findings shown of each kind (default: 10)")
    parser.add_argument("--no-token-recount", action="store_true", help="leave stored token counts unchecked")
    parser.add_argument(
        "--tokenizer", action="append", default=[], metavar="NAME=FILE", help="a tokenizer.json for a count's name"
    )
    parser.add_argument("--no-shortcuts", action="store_true", help="leave out the test for shortcuts")
    parser.add_argument(
        "--benchmark", choices=("graphniah", "graphwalks"), help="what the data is (default: by its look)"
    )
    parser.set_defaults(run=run_audit)


def run_audit(arguments: argparse.Namespace) -> int:
    """Run the command; 0 where nothing disagrees, 1 where something does.

    Raises:
        UserError: The data set cannot be opened, or an option cannot be meant.
    """
    if arguments.workers < 1:
        raise UserError(f"--workers {arguments.workers}: expected at least 1.")
    benchmark = arguments.benchmark or _look(arguments.dataset)
    text, content, wrong = _graphwalks(arguments) if benchmark == "graphwalks" else _graphniah(arguments)
    print(text, end="")
    out: Path | None = arguments.json
    if out is not None:
        write_text(out, content)
    return int(wrong)


def _graphniah(arguments: argparse.Namespace) -> tuple[str, str, bool]:
    if importlib.util.find_spec("scipy") is None or importlib.util.find_spec("sklearn") is None:
        raise UserError("`graphniah audit` needs SciPy and scikit-learn: pip install 'graphniah-inspect[audit]'.")
    from graphniah_inspect.audit.audit_tables import terminal, to_json
    from graphniah_inspect.audit.example import Options
    from graphniah_inspect.audit.lines import locate
    from graphniah_inspect.audit.run import audit_file

    tokenizers = []
    for given in arguments.tokenizer:
        name, separator, file = given.partition("=")
        if not separator:
            raise UserError(f"--tokenizer {given}: expected NAME=FILE, e.g. gemma-4-31b=gemma/tokenizer.json.")
        tokenizers.append((name, file))
    options = Options(not arguments.no_token_recount, tuple(tokenizers), not arguments.no_shortcuts)
    path = locate(arguments.dataset, arguments.revision)
    report = audit_file(arguments.dataset, path, options, workers=arguments.workers)
    return terminal(report, arguments.show), to_json(report), report.wrong


def _graphwalks(arguments: argparse.Namespace) -> tuple[str, str, bool]:
    from graphniah_inspect.audit.graphwalks import audit_graphwalks, terminal, to_json

    report = audit_graphwalks(arguments.dataset, arguments.revision)
    return terminal(report, arguments.show), to_json(report), report.wrong


def _look(dataset: str) -> str:
    """Which benchmark a data set belongs to: GraphWalks rows have a `problem_type`, its files may be Parquet."""
    path = Path(dataset).expanduser()
    if not path.exists():
        return "graphwalks" if "graphwalks" in dataset.lower() else "graphniah"
    if path.is_dir():
        inside = sorted(path.glob("*.parquet")) or sorted(path.glob("*.jsonl"))
        if (path / "examples.jsonl").exists() or not inside:
            return "graphniah"
        path = inside[0]
    if path.suffix == ".parquet":
        return "graphwalks"
    with path.open("rb") as file:
        first = file.readline(256 << 20)
    try:
        row = json.loads(first)
    except (ValueError, RecursionError):
        return "graphniah"
    return "graphwalks" if isinstance(row, dict) and "problem_type" in row else "graphniah"
