"""The `graphniah` command: everything around an evaluation that `inspect` does not do itself."""

import argparse
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import NoReturn

from graphniah_inspect.errors import UserError

# name -> (module, function that adds the command's parser, one line of help); a module is imported when it is called.
COMMANDS = {
    "plan": (
        "graphniah_inspect.plan.command",
        "add_plan_parser",
        "samples, tokens, cost and log size of a run",
    ),
    "compare": (
        "graphniah_inspect.report.compare_command",
        "add_compare_parser",
        "paired comparison of runs",
    ),
    "report": (
        "graphniah_inspect.report.report_command",
        "add_report_parser",
        "tables, figures and a page from logs",
    ),
    "audit": (
        "graphniah_inspect.audit.audit_command",
        "add_audit_parser",
        "re-derive every answer of a dataset",
    ),
    "fetch": (
        "graphniah_inspect.snapshots.fetch_command",
        "add_fetch_parser",
        "download Semantic Scholar's bulk files",
    ),
    "ingest": ("graphniah_inspect.snapshots.ingest_command", "add_ingest_parser", "bulk files to a snapshot"),
    "build": ("graphniah_inspect.build.build_command", "add_build_parser", "a snapshot to new examples"),
    "regrade": (
        "graphniah_inspect.graphwalks.regrade_command",
        "add_regrade_parser",
        "GraphWalks by every grader",
    ),
    "build-graphwalks": (
        "graphniah_inspect.graphwalks.generate_command",
        "add_generate_parser",
        "fresh problems in the layout of GraphWalks",
    ),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; 0 means done, 1 a finding (audit), 2 a user error, 130 an interruption."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    parser = argparse.ArgumentParser("graphniah", description=__doc__)
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for name, (module, function, help_line) in COMMANDS.items():
        if arguments and arguments[0] == name:
            add: Callable[[object], None] = getattr(import_module(module), function)
            add(commands)
        else:
            commands.add_parser(name, help=help_line)
    parsed = parser.parse_args(arguments)
    try:
        return int(parsed.run(parsed) or 0)
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130


def entry() -> NoReturn:
    """What the installed script calls."""
    sys.exit(main())
