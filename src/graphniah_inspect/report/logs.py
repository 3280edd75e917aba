"""Which logs a report is made of: headers only, and every log that is left out named with the reason."""

import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlparse

from inspect_ai.log import EvalLog, EvalSampleSummary, list_eval_logs, read_eval_log
from inspect_ai.log import read_eval_log_sample_summaries as read_summaries

from graphniah_inspect.errors import UserError

UNREADABLE = (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error)
"""What Inspect's reader raises on files that are cut off, empty or no logs (pydantic's errors are ValueErrors)."""

SCORERS = {"reachability": "graphniah", "graphwalks_grader": "graphwalks"}
"""This package's scorers, and the benchmark that each belongs to."""

_UNFINISHED = "finish it with `inspect eval-retry` and report the new log"


@dataclass(frozen=True)
class LeftOut:
    """A log that the report does not cover."""

    file: str
    why: str


def gather(places: Sequence[str]) -> tuple[list[EvalLog], list[LeftOut]]:
    """Headers of the finished logs behind files and folders, sorted by path, and the logs left out.

    Args:
        places: `.eval` or `.json` logs, and folders of them.

    Raises:
        UserError: A path that does not exist, or nothing found at all.
    """
    left_out: list[LeftOut] = []
    headers: list[EvalLog] = []
    unfit: list[tuple[EvalLog, str]] = []
    files = sorted({file for place in places for file in _files(place)})
    if not files:
        raise UserError(f"No .eval or .json log in {', '.join(places)}.")
    for file in files:
        try:
            header = read_eval_log(file, header_only=True)
        except UNREADABLE as error:
            left_out.append(LeftOut(file, f"cannot be read as an Inspect log ({_first_line(error)})"))
            continue
        header.location = file
        reason = _unfit(header)
        if reason is None:
            headers.append(header)
        else:
            unfit.append((header, reason))
    kept = _latest(headers, left_out)
    finished = {header.eval.task_id: Path(header.location).name for header in kept}
    for header, reason in unfit:
        later = finished.get(header.eval.task_id)
        left_out.append(LeftOut(header.location, f"an attempt that {later} went on with" if later else reason))
    return kept, sorted(left_out, key=lambda log: log.file)


def summaries_of(header: EvalLog) -> list[EvalSampleSummary]:
    """The log's sample summaries: scores, targets and metadata, no prompts.

    Raises:
        UserError: They cannot be read; the text is the reason.
    """
    try:
        return read_summaries(header.location)
    except UNREADABLE as error:
        raise UserError(f"its samples cannot be read ({_first_line(error)})") from error


def benchmark_of(scorer: str) -> str | None:
    """`graphniah` or `graphwalks`, by the name of a scorer; None where it is not one of this package."""
    # `inspect score --action append` numbers a second score of the same name: reachability1.
    return SCORERS.get(scorer.rpartition("/")[2].rstrip("0123456789"))


def _files(place: str) -> list[str]:
    if "://" in place:
        return [place] if place.endswith((".eval", ".json")) else [info.name for info in list_eval_logs(place)]
    path = Path(place)
    if not path.exists():
        raise UserError(f"{place}: no such file or folder. Give .eval or .json logs, or folders of them.")
    if path.is_dir():
        return [_local(info.name) for info in list_eval_logs(place)]
    return [_local(str(path.absolute()))]


def _local(name: str) -> str:
    """A path, relative to where we are if it lies below: what a user can paste."""
    path = Path(unquote(urlparse(name).path) if name.startswith("file:") else name)
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)


def _unfit(header: EvalLog) -> str | None:
    scorers = header.eval.scorers or []
    if not any(benchmark_of(scorer.name) for scorer in scorers):
        named = ", ".join(scorer.name for scorer in scorers) or "none"
        return f"another task: {header.eval.task} (scorers: {named})"
    if header.invalidated:
        return f"some of its samples were marked invalid; {_UNFINISHED}"
    if header.status != "success":
        return f"not finished (status {header.status}); {_UNFINISHED}"
    if not header.results or not header.results.total_samples:
        return "empty: it holds no samples"
    return None


def _latest(headers: list[EvalLog], left_out: list[LeftOut]) -> list[EvalLog]:
    """Of the attempts at one task (a retry keeps the task's id, a re-scored copy too), those not superseded."""
    kept: dict[tuple[str, ...], EvalLog] = {}
    for header in sorted(headers, key=lambda header: str(header.eval.created)):
        rules = sorted(f"{scorer.name} {scorer.options}" for scorer in header.eval.scorers or [])
        key = (header.eval.task_id, *rules)
        if key in kept:
            same = kept[key].eval.eval_id == header.eval.eval_id
            later = Path(header.location).name
            why = f"a copy of {later}" if same else f"an earlier attempt; {later} went on with it"
            left_out.append(LeftOut(kept[key].location, why))
        kept[key] = header
    return sorted(kept.values(), key=lambda header: header.location)


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
