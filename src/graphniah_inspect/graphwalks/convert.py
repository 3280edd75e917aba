"""From a GraphWalks data file to the Arrow file that `rows` reads: checked, one record batch a row."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from rich.console import Console
from rich.progress import track

from graphniah_inspect.errors import UserError
from graphniah_inspect.graphwalks.layout import UnreadablePromptError, read_operation

FORMAT = 1
"""Of the converted file; part of its name, so that one of another format is never read."""

_COLUMNS = ("prompt", "answer_nodes", "problem_type", "date_added")
SCHEMA = pa.schema(
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
"""The prompt, which is read alone, and after it everything else."""


def convert(path: Path, sink: Any, *, show: bool = False) -> None:
    """Write every row of a data file as a record batch of its own.

    Args:
        path: A .parquet or .jsonl file.
        sink: A path, or an Arrow output stream.
        show: Whether to show progress.

    Raises:
        UserError: The file is damaged, or a row lacks a field in use; it names the row.
    """
    records: Iterable[dict[str, Any]]
    records = _parquet_records(path) if path.suffix == ".parquet" else _json_records(path)
    records = track(records, f"Converting {path.name} (once)", console=Console(stderr=True), disable=not show)
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_file(sink, SCHEMA, options=options) as writer:
        for number, record in enumerate(records):
            converted = _checked(record, f"{path}: row {number}")
            writer.write_batch(pa.RecordBatch.from_pylist([converted], schema=SCHEMA))


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


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:80]}..."
