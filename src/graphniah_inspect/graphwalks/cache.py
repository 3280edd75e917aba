"""What is computed once and kept: values by row, which outlive an interruption."""

import json
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4

from rich.console import Console
from rich.progress import track

from graphniah_inspect.caching import cache_folder
from graphniah_inspect.errors import UserError

SHOW_PROGRESS_FROM = 50
"""Fewer rows than this are done before a progress bar could be read."""

Value = TypeVar("Value", int, str)


def graphwalks_folder() -> Path:
    """The part of the cache for GraphWalks data; made when something is written into it."""
    return cache_folder() / "graphwalks"


@contextmanager
def written_beside(path: Path) -> Iterator[Path]:
    """A temporary path in the same folder, renamed to `path` once the block ends well, else removed.

    Raises:
        UserError: The disk is full, or the folder cannot be written.
    """
    temporary = path.with_name(f"{path.name}.{uuid4().hex}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield temporary
        temporary.replace(path)
    except OSError as error:
        raise _unwritable(path, error) from error
    finally:
        temporary.unlink(missing_ok=True)


def _unwritable(path: Path, error: OSError) -> UserError:
    return UserError(
        f"{path} cannot be written: {error.strerror or error}. Free space, or set GRAPHNIAH_CACHE_DIR to a "
        "folder that can be written."
    )


def by_row(key: str, rows: Sequence[int], compute: Callable[[int], Value], title: str) -> dict[int, Value]:
    """The value of each row, computed at most once in the life of the cache, several rows at a time.

    Every value is appended to the cache as soon as it is known, so an interrupted run goes on from there.

    Args:
        key: File name in the cache; tells the data file by its hash, and what was computed.
        rows: Row numbers.
        compute: Row number to value; must be safe from any thread.
        title: Shown beside the progress bar.
    """
    path = graphwalks_folder() / f"{key}.jsonl"
    known: dict[int, Value] = read_by_row(path)
    missing = [row for row in rows if row not in known]
    if missing:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("ab", buffering=0) as file, ThreadPoolExecutor(os.cpu_count()) as pool:
                values = pool.map(compute, missing)
                shown = track(
                    values,
                    title,
                    total=len(missing),
                    console=Console(stderr=True),
                    disable=len(missing) < SHOW_PROGRESS_FROM,
                )
                try:
                    for row, value in zip(missing, shown, strict=True):
                        # One write a line, and a line break first: an earlier run's torn line stays alone.
                        file.write(b"\n" + json.dumps([row, value]).encode("ascii") + b"\n")
                        known[row] = value
                except BaseException:
                    pool.shutdown(wait=False, cancel_futures=True)
                    raise
        except OSError as error:
            raise _unwritable(path, error) from error
    return {row: known[row] for row in rows}


def read_by_row(path: Path) -> dict[int, Any]:
    """The values kept in a file of `by_row`; lines torn by an interruption are passed over."""
    known: dict[int, Any] = {}
    if path.exists():
        for line in path.read_bytes().split(b"\n"):
            try:
                row, value = json.loads(line)
            except (ValueError, TypeError):
                continue
            known[row] = value
    return known
