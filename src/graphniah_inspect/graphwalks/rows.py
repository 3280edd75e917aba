"""Rows of one GraphWalks data file (Parquet or JSON Lines), read in little memory even at 1M tokens.

A Parquet file may hold all its prompts in one row group, where the last one is reached only through all
before it. So a file is converted once into an Arrow file with a record batch for each row, kept in the
user's cache under the SHA-256 of its source: any row is then read alone, by position. Small files are
converted in memory.
"""

import hashlib
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from graphniah_inspect.errors import UserError
from graphniah_inspect.graphwalks.cache import graphwalks_folder, written_beside
from graphniah_inspect.graphwalks.convert import FORMAT, SCHEMA, convert
from graphniah_inspect.graphwalks.layout import Operation

CONVERT_ON_DISK_FROM = 8 << 20
"""Bytes of a data file from which its converted copy is kept on disk instead of in memory."""


@dataclass(frozen=True, slots=True)
class Row:
    """All of a row but its prompt.

    Attributes:
        number: Position in its file, from 0.
        problem_type: `bfs` or `parents`, as the file says.
        chars: Characters of the prompt, counted (the file's own `prompt_chars` is not up to date in 2026).
        truth: The published answer, a JSON array of node ids.
        date_added: As the file says; empty where it does not.
        operation: What the prompt asks; None where `unreadable` says why not.
        unreadable: Why the operation cannot be read.
    """

    number: int
    problem_type: str
    chars: int
    truth: str
    date_added: str
    operation: Operation | None
    unreadable: str | None

    @property
    def nodes(self) -> list[str]:
        """The published answer."""
        nodes: list[str] = json.loads(self.truth)
        return nodes


class DataFile:
    """One data file: its rows without prompts, in the file's order, and each prompt when it is asked for."""

    def __init__(self, path: Path, sha256: str | None = None) -> None:
        """Convert the file, or find its converted copy.

        Args:
            path: The file.
            sha256: What its SHA-256 must be, where that is known; checked before anything is read.

        Raises:
            UserError: The file is another, cannot be read, or holds a row without the fields in use.
        """
        self.path = path
        try:
            self.sha256 = _sha256(path)
            if sha256 not in (None, self.sha256):
                raise UserError(
                    f"{path} is not the published file: its SHA-256 is {self.sha256}, expected {sha256}. Delete "
                    f"{path.resolve()}, then run again to download it anew."
                )
            source = _converted(path, self.sha256)
            small = pa.ipc.IpcReadOptions(included_fields=list(range(1, len(SCHEMA))))
            self.rows = list(_rows(pa.ipc.open_file(source, options=small)))
            self._prompts = pa.ipc.open_file(source, options=pa.ipc.IpcReadOptions(included_fields=[0]))
        except pa.ArrowException as error:
            raise UserError(
                f"The converted copy of {path} is damaged ({error}). Delete {_copy(self.sha256)}, then run again."
            ) from error
        except OSError as error:
            raise UserError(f"{path} cannot be read: {error.strerror or error}.") from error
        self._lock = threading.Lock()
        if not self.rows:
            raise UserError(f"{path} holds no rows. Download or build it again.")

    def prompt(self, number: int) -> str:
        """One row's prompt, read from the converted copy; safe from any thread."""
        with self._lock:
            batch = self._prompts.get_batch(number)
        prompt: str = batch.column(0)[0].as_py()
        return prompt


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _converted(path: Path, sha256: str) -> Any:
    if path.stat().st_size < CONVERT_ON_DISK_FROM:
        memory = pa.BufferOutputStream()
        convert(path, memory)
        return memory.getvalue()
    copy = _copy(sha256)
    if not copy.exists():
        with written_beside(copy) as temporary:
            convert(path, str(temporary), show=True)
    return pa.memory_map(str(copy))


def _copy(sha256: str) -> Path:
    return graphwalks_folder() / f"{sha256}.v{FORMAT}.arrow"


def _rows(reader: Any) -> Iterator[Row]:
    for number in range(reader.num_record_batches):
        record = reader.get_batch(number).to_pylist()[0]
        operation = None
        if record["unreadable"] is None:
            operation = Operation(
                record["operation"],
                record["problem_type"],
                record["node"],
                record["depth"],
                record["wording"],
            )
        yield Row(
            number,
            record["problem_type"],
            record["chars"],
            record["truth"],
            record["date_added"],
            operation,
            record["unreadable"],
        )
