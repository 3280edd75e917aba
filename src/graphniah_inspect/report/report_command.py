"""`graphniah report LOGS --out DIR`: from logs to tables, figures and a page."""

import argparse
import importlib.util
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphniah_inspect.errors import UserError
from graphniah_inspect.written import write_text

if TYPE_CHECKING:
    from graphniah_inspect.report.content import Content


def add_report_parser(subparsers: Any) -> None:
    """Add the command to the `graphniah` parser."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "report",
        help="tables, figures and a page from finished logs",
        description=(
            "Read the headers and sample summaries of finished logs (never their prompts) and write one tidy table, "
            "Markdown tables, figures for a paper, and index.html, which shows all of it without a network. Every log "
            "is a row of its own: nothing is averaged over logs. Logs that are broken, empty, unfinished or of other "
            "tasks are named and left out; the exit status is 0 as long as one log is left, else 2."
        ),
    )
    parser.add_argument("logs", nargs="+", metavar="LOG", help="an .eval or .json log, or a folder of them")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder to write to")
    parser.add_argument("--parquet", action="store_true", help="write samples.parquet as well")
    parser.set_defaults(run=run_report)


def run_report(arguments: argparse.Namespace) -> int:
    """Run the command; returns the exit status.

    Raises:
        UserError: No log is left to report on, or the folder cannot be written to.
    """
    missing = [name for name in ("matplotlib", "pandas", "scipy") if importlib.util.find_spec(name) is None]
    if missing:
        raise UserError(f"`graphniah report` needs {', '.join(missing)}: pip install 'graphniah-inspect[report]'.")
    from graphniah_inspect.report.content import read_content

    content = read_content(arguments.logs)
    for warning in content.warnings:
        print(warning, file=sys.stderr)
    try:
        write(content, arguments.out, parquet=arguments.parquet)
    except OSError as error:
        raise UserError(f"{arguments.out}: cannot be written ({error.strerror or error}).") from error
    print(f"Runs: {len(content.runs)}, responses: {len(content.frame)}. Open {arguments.out / 'index.html'}")
    return 0


def write(content: "Content", folder: Path, *, parquet: bool = False) -> None:
    """Write every file of the report; the page last, so that its presence means that all else is there.

    Raises:
        UserError: `folder/figures` holds something that is not a figure.
    """
    from graphniah_inspect.report.page import render
    from graphniah_inspect.report.tables import markdown, numbers_csv, to_json

    folder.mkdir(parents=True, exist_ok=True)
    (folder / "index.html").unlink(missing_ok=True)
    figures = _figures(content, folder)
    write_text(folder / "samples.csv", content.frame.to_csv(index=False, lineterminator="\n"))
    write_text(folder / "numbers.csv", numbers_csv(content))
    write_text(folder / "tables.md", markdown(content))
    write_text(folder / "report.json", to_json(content))
    if parquet:
        temporary = folder / ".samples.parquet.part"
        content.frame.astype({"value": "string"}).to_parquet(temporary, index=False)
        temporary.replace(folder / "samples.parquet")
    write_text(folder / "index.html", render(content, figures))


def _figures(content: "Content", folder: Path) -> dict[str, str]:
    from graphniah_inspect.report.plot_style import save, style

    final, fresh = folder / "figures", folder / ".figures.part"
    strange = [path.name for path in final.iterdir() if path.suffix not in (".png", ".svg")] if final.exists() else []
    if strange:
        raise UserError(f"{final} holds {strange[0]}, which is no figure of a report. Give another --out.")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir()
    found: dict[str, str] = {}
    for chapter in content.chapters:
        for section in chapter.sections:
            if section.draw is not None:
                with style(section.slug):
                    figure = section.draw()
                found[section.slug] = save(figure, fresh, section.slug)
    if final.exists():
        shutil.rmtree(final)
    fresh.replace(final)
    return found
