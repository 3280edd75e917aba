"""Which logs stand behind files and folders: headers only, and every log that is left out named with the reason."""

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
    """A log that is not used; `broken` if it cannot be read."""

    file: str
    why: str
    broken: bool = False


def gather(places: Sequence[str], *, every: bool = False) -> tuple[list[EvalLog], list[LeftOut]]:
    """Headers of the logs behind files and folders, sorted by path, and the logs left out.

    Of the attempts at one task (retries have its task id), the last finished one counts.

    Args:
        places: `.eval` or `.json` logs, and folders of them.
        every: Also logs that are not finished and have no later attempt, and logs of other tasks.

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
            header = read_header(file)
        except UserError as error:
            left_out.append(LeftOut(file, str(error), broken=True))
            continue
        reason = _unfinished(header) if every else _unfit(header)
        if reason is None:
            headers.append(header)
        else:
            unfit.append((header, reason))
    kept = _latest(headers, left_out)
    finished = {header.eval.task_id: Path(header.location).name for header in kept}
    alone: list[EvalLog] = []
    for header, reason in unfit:
        later = finished.get(header.eval.task_id)
        if every and later is None:
            alone.append(header)
        else:
            left_out.append(LeftOut(header.location, f"an attempt that {later} went on with" if later else reason))
    kept = sorted(kept + _latest(alone, left_out), key=lambda header: header.location)
    return kept, sorted(left_out, key=lambda log: log.file)


def read_header(file: str) -> EvalLog:
    """A log without its samples.

    Raises:
        UserError: It cannot be read; the text is the reason.
    """
    try:
        header = read_eval_log(file, header_only=True)
    except UNREADABLE as error:
        raise UserError(f"cannot be read as an Inspect log ({_first_line(error)})") from error
    header.location = file
    return header


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
    return SCORERS.get(scorer.rpartition("/")[2])


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
    if not _unfinished(header) and (not header.results or not header.results.total_samples):
        return "empty: it holds no samples"
    return _unfinished(header)


def _unfinished(header: EvalLog) -> str | None:
    return None if header.status == "success" else f"not finished (status {header.status}); {_UNFINISHED}"


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
