"""Rows of one GraphWalks data file (Parquet or JSON Lines), read in little memory even at 1M tokens.

A Parquet file may hold all its prompts in one row group, where the last one is reached only through all
before it. So a file is converted once into an Arrow file with a record batch for each row, kept in the
user's cache under the SHA-256 of its source: any row is then read alone, by position. Small files are
converted in memory.
"""

import hashlib
import json
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from rich.console import Console
from rich.progress import track

from graphniah_inspect.errors import UserError
from graphniah_inspect.graphwalks.cache import cache_folder, written_beside
from graphniah_inspect.graphwalks.layout import Operation, UnreadablePromptError, read_operation

FORMAT = 1
CONVERT_ON_DISK_FROM = 8 << 20
"""Bytes of a data file from which its converted copy is kept on disk instead of in memory."""

_COLUMNS = ("prompt", "answer_nodes", "problem_type", "date_added")
_SCHEMA = pa.schema(
    [
        ("prompt", pa.large_utf8()),
        ("chars", pa.int64()),
        ("truth", pa.large_utf8()),
        ("problem_type", pa.utf8()),
        ("date_added", pa.utf8()),
        ("operation", pa.utf8()),
        ("node", pa.utf8()),
        ("depth", pa.int64()),
        ("wording", pa.utf8()),
        ("unreadable", pa.utf8()),
    ]
)


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
            small = pa.ipc.IpcReadOptions(included_fields=list(range(1, len(_SCHEMA))))
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
        _convert(path, memory)
        return memory.getvalue()
    copy = _copy(sha256)
    if not copy.exists():
        with written_beside(copy) as temporary:
            _convert(path, str(temporary), show=True)
    return pa.memory_map(str(copy))


def _copy(sha256: str) -> Path:
    return cache_folder() / f"{sha256}.v{FORMAT}.arrow"


def _convert(path: Path, sink: Any, *, show: bool = False) -> None:
    records: Iterable[dict[str, Any]]
    records = _parquet_records(path) if path.suffix == ".parquet" else _json_records(path)
    records = track(records, f"Converting {path.name} (once)", console=Console(stderr=True), disable=not show)
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_file(sink, _SCHEMA, options=options) as writer:
        for number, record in enumerate(records):
            converted = _checked(record, f"{path}: row {number}")
            writer.write_batch(pa.RecordBatch.from_pylist([converted], schema=_SCHEMA))


def _parquet_records(path: Path) -> Iterator[dict[str, Any]]:
    try:
        # A buffered read keeps a few pages of each column in memory, not the whole row group; but a writer may
        # have put a row group's prompts into one page.
        with pq.ParquetFile(path, buffer_size=1 << 20, pre_buffer=False) as file:
            names = file.schema_arrow.names
            columns = [name for name in (*_COLUMNS, "answer") if name in names]
            for batch in file.iter_batches(batch_size=1, columns=columns, use_threads=False):
                yield from batch.to_pylist()
    except (pa.ArrowException, OSError) as error:
        raise UserError(
            f"{path} is no whole Parquet file ({error}). Download or build it again; a copy that Git made "
            "without LFS is a short text file."
        ) from error


def _json_records(path: Path) -> Iterator[dict[str, Any]]:
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if line.isspace():
                continue
            try:
                record = json.loads(line)
            except ValueError as error:
                raise UserError(f"{path}, line {number}: not JSON ({error}). Download or build it again.") from error
            if not isinstance(record, dict):
                raise UserError(f"{path}, line {number}: expected an object, found {type(record).__name__}.")
            yield record


def _checked(record: dict[str, Any], where: str) -> dict[str, Any]:
    """A record in the converted schema."""
    prompt = record.get("prompt")
    # The card calls the column `answer`; the files call it `answer_nodes`.
    nodes = record.get("answer_nodes", record.get("answer"))
    problem_type, date_added = record.get("problem_type"), record.get("date_added")
    if not isinstance(prompt, str) or not prompt:
        raise UserError(f"{where}: `prompt` is {_shown(prompt)}; expected text.")
    if not isinstance(nodes, list) or not all(isinstance(node, str) for node in nodes):
        raise UserError(f"{where}: `answer_nodes` is {_shown(nodes)}; expected a list of node ids.")
    if problem_type not in ("bfs", "parents"):
        raise UserError(f"{where}: `problem_type` is {_shown(problem_type)}; expected bfs or parents.")
    if date_added is not None and not isinstance(date_added, str):
        raise UserError(f"{where}: `date_added` is {_shown(date_added)}; expected text.")
    try:
        prompt.encode("utf-8")
    except UnicodeEncodeError as error:
        raise UserError(f"{where}: `prompt` has half a character ({error.reason}). Build the row again.") from error
    converted = {
        "prompt": prompt,
        "chars": len(prompt),
        "truth": json.dumps(nodes),
        "problem_type": problem_type,
        "date_added": date_added or "",
    }
    try:
        operation = read_operation(prompt)
    except UnreadablePromptError as error:
        return converted | {"unreadable": str(error)}
    if operation.problem_type != problem_type:
        return converted | {"unreadable": f"`problem_type` is {problem_type}, but it asks: {operation.text!r}"}
    return converted | {
        "operation": operation.text,
        "node": operation.node,
        "depth": operation.depth,
        "wording": operation.wording,
    }


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


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:80]}..."
