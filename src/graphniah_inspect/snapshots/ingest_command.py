"""``graphniah ingest``: bulk files of Semantic Scholar, or an invented world, to a snapshot."""

import argparse
import datetime as dt
import os
import re
from pathlib import Path
from typing import Any

from graphniah_inspect.errors import UserError

DEFAULT_CUTOFF = "2026-04-01"
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def add_ingest_parser(subparsers: Any) -> None:
    """Add ``ingest`` to the ``graphniah`` command."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "ingest",
        help="bulk files to a snapshot",
        description="Read Semantic Scholar's bulk files (jsonl or jsonl.gz: files, folders, patterns) into a "
        "snapshot that `graphniah build` draws from. A run that was stopped goes on when the same command is "
        "given again.",
    )
    parser.add_argument("--papers", nargs="+", metavar="P", help="shards of the papers data set")
    parser.add_argument("--citations", nargs="+", metavar="C", help="shards of the citations data set")
    parser.add_argument("--out", required=True, type=Path, metavar="SNAPSHOT", help="folder to write")
    parser.add_argument(
        "--cutoff",
        type=_day,
        metavar="DAY",
        help=f"papers from this day on are recent (YYYY-MM-DD; default: {DEFAULT_CUTOFF} for --synthetic)",
    )
    parser.add_argument(
        "--date-field",
        choices=("publicationdate", "year"),
        default="publicationdate",
        help="what dates a paper; a year counts as its January 1 (default: publicationdate)",
    )
    parser.add_argument(
        "--keep-older",
        action="store_true",
        help="keep older and undated papers, marked as not recent, for growth by papers of any date",
    )
    parser.add_argument("--release", metavar="DATE", help="name of the release, recorded in the manifest")
    parser.add_argument("--skip-malformed", action="store_true", help="count malformed lines instead of stopping")
    parser.add_argument("--synthetic", type=int, metavar="N", help="invent N papers instead of reading files")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="seed of the invented world (default: 1)")
    parser.add_argument(
        "--prose",
        type=Path,
        metavar="DIR",
        help="also invent distracting text, a folder for `graphniah build --distractors` (with --synthetic)",
    )
    parser.add_argument(
        "--prose-size",
        type=_size,
        default="8MB",
        metavar="SIZE",
        help="characters of each of its four kinds (default: 8MB)",
    )
    parser.add_argument(
        "--memory", type=_size, default="4GB", metavar="SIZE", help="memory to use at most (default: 4GB)"
    )
    parser.add_argument(
        "--threads",
        type=_positive,
        default=os.cpu_count() or 1,
        metavar="N",
        help="processes and threads (default: all cores)",
    )
    parser.set_defaults(run=run_ingest)


def run_ingest(arguments: argparse.Namespace) -> int:
    """Do what the command says and print what was kept, dropped and why."""
    from graphniah_inspect.snapshots.ingest import Machine, ingest
    from graphniah_inspect.snapshots.paper_rules import Rules

    machine = Machine(memory=arguments.memory, threads=arguments.threads)
    if arguments.synthetic is not None:
        from graphniah_inspect.invented.invent import invent_snapshot

        if arguments.papers or arguments.citations:
            raise UserError("--synthetic invents papers; leave out --papers and --citations, or --synthetic.")
        cutoff = arguments.cutoff or _day(DEFAULT_CUTOFF)
        manifest = invent_snapshot(
            arguments.synthetic, arguments.out, cutoff=cutoff, machine=machine, seed=arguments.seed
        )
        if arguments.prose:
            from graphniah_inspect.invented.prose import write_prose

            write_prose(arguments.prose, arguments.prose_size, arguments.seed)
    else:
        from graphniah_inspect.snapshots.shards import find_shards

        if arguments.prose:
            raise UserError("--prose invents text to go with --synthetic N; for real papers give real text.")
        missing = [name for name in ("papers", "citations", "cutoff") if not getattr(arguments, name)]
        if missing:
            raise UserError(
                f"Missing {', '.join('--' + name for name in missing)}. "
                "Give all three of --papers, --citations and --cutoff, or --synthetic N."
            )
        rules = Rules(arguments.cutoff, arguments.date_field, arguments.keep_older, arguments.skip_malformed)
        manifest = ingest(
            find_shards(arguments.papers),
            find_shards(arguments.citations),
            arguments.out,
            rules,
            release=arguments.release,
            machine=machine,
        )
    print(summary(manifest, arguments.out))
    return 0


def summary(manifest: dict[str, Any], out: Path) -> str:
    """What was kept and what was dropped by which rule, one line each."""
    lines = []
    for dataset, counts in manifest["counts"].items():
        lines.append(f"{dataset}: {counts.get('lines', 0):,} lines, {counts['kept']:,} kept")
        lines += [
            f"  {count:>14,}  {name}" for name, count in counts.items() if count and name not in ("lines", "kept")
        ]
    if not manifest["citations"]:
        lines.append("warning: no citation joins two kept papers, so nothing can be built from this snapshot")
    lines.append(f"snapshot {manifest['id'][:16]} in {out}")
    return "\n".join(lines)


def _day(text: str) -> dt.date:
    try:
        return dt.datetime.strptime(text, "%Y-%m-%d").date()
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no day; give it as YYYY-MM-DD, e.g. 2026-04-01") from error


def _size(text: str) -> int:
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", text.strip(), re.IGNORECASE)
    if not found:
        raise argparse.ArgumentTypeError(f"{text!r} is no size; give it as 4GB or 800MB")
    return int(float(found[1]) * _UNITS[found[2].upper()])


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no positive whole number")
    return int(text)
