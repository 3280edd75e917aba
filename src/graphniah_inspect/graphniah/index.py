"""The index of a JSONL file of examples: one pass that keeps the small fields of every row and where it lies.

The published file is 9.5 GB, nearly all of it prompts. The pass checks every row, keeps about a kilobyte of
each and hashes the file meanwhile.

A line feed ends a line, with or without a carriage return before it; the last one may be missing; a byte
order mark at the start and lines of white space are passed over. Anything else that is not a row is an error.
"""

import hashlib
import json
import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from io import FileIO
from pathlib import Path
from threading import Event
from typing import Any, NamedTuple

import msgspec

from graphniah_inspect.errors import UserError
from graphniah_inspect.graphniah.rows import Option, Placement, Row, decode

BLOCK = 8 << 20
LONGEST_LINE = 256 << 20
SHOW_PROGRESS_FROM = 200 << 20

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_CLOCK_TICK = 0.02
_EMPTY = msgspec.Raw(b'""')
_ROW = msgspec.json.Decoder(Row[msgspec.Raw])
_WHOLE_ROW = msgspec.json.Decoder(Row[str])


class Example(msgspec.Struct, frozen=True):
    """A row without its prompts, and where in the file they are.

    Attributes:
        options: None where the row has none (all but multiple choice).
        config: How the example was built; the keys vary by row.
        token_counts: Prompt tokens by tokenizer.
        experiments: The lists that hold the example.
        offset: Byte of the file at which the row's line begins.
        length: Bytes of the line, without its line feed.
        line: Line number in the file, from 1.
    """

    qid: str
    reachability_task: str
    question: str
    answer: str
    experiments: tuple[Placement, ...]
    question_type: str | None
    options: tuple[Option, ...] | None
    config: dict[str, Any]
    token_counts: dict[str, int]
    offset: int
    length: int
    line: int

    @classmethod
    def of(cls, row: Row[Any], *, offset: int, length: int, line: int) -> "Example":
        """What is kept of a row that lies there."""
        return cls(
            qid=row.qid,
            reachability_task=row.reachability_task,
            question=row.question,
            answer=row.answer,
            experiments=row.experiments,
            question_type=row.question_type,
            options=row.options,
            config=row.config or {},
            token_counts={name: count for name, count in (row.token_counts or {}).items() if count is not None},
            offset=offset,
            length=length,
            line=line,
        )


class FileState(msgspec.Struct, frozen=True):
    """What tells one state of a file from another without reading it; `modified` is in nanoseconds."""

    size: int
    modified: int
    inode: int

    @classmethod
    def of(cls, status: os.stat_result) -> "FileState":
        """Takes the state out of what `os.stat` returns."""
        return cls(status.st_size, status.st_mtime_ns, status.st_ino)


class Index(NamedTuple):
    """What one pass over a file yields."""

    examples: list[Example]
    sha256: str
    state: FileState


def build_index(path: Path) -> Index:
    """Reads a JSONL file of examples once, from start to end.

    Memory stays at some tens of megabytes, whatever the size of the file.

    Raises:
        UserError: The file changes meanwhile, is empty, holds a `qid` twice, or a bad line, which is named by
            its number, its byte offset and the reason.
        OSError: The file cannot be read.
    """
    # A file rewritten within one tick of the file system's clock would keep its time stamp: wait it out.
    time.sleep(max(0.0, min(_CLOCK_TICK, path.stat().st_mtime + _CLOCK_TICK - time.time())))
    digest = hashlib.sha256()
    examples: list[Example] = []
    lines: dict[str, int] = {}
    offset = 0
    with path.open("rb", buffering=0) as file:
        state = FileState.of(os.fstat(file.fileno()))
        for number, (line, ended) in enumerate(_lines(path, file, state.size, digest), 1):
            if number == 1 and line[: len(_BYTE_ORDER_MARK)] == _BYTE_ORDER_MARK:
                line = line[len(_BYTE_ORDER_MARK) :]
                offset += len(_BYTE_ORDER_MARK)
            if (line and line[0] == ord("{")) or bytes(line).strip():
                example = _example(path, line, number, offset, ended)
                if (first := lines.setdefault(example.qid, number)) != number:
                    raise UserError(
                        f"{path}: lines {first} and {number} have the same qid, {example.qid!r}. Every "
                        "example must be there once: take the double out, or make the file again."
                    )
                examples.append(example)
            offset += len(line) + ended
        if FileState.of(os.fstat(file.fileno())) != state:
            raise UserError(f"{path} changed while it was read. Wait until it is written; run again.")
    if not examples:
        raise UserError(f"{path} holds no examples ({state.size} bytes). Download or build it again.")
    return Index(examples, digest.hexdigest(), state)


def _lines(path: Path, file: FileIO, size: int, digest: "hashlib._Hash") -> Iterator[tuple["memoryview[int]", bool]]:
    """Yields each line without its line feed, and whether it had one; a second thread hashes meanwhile.

    A line is a view of a buffer that is used again: good only until the next one is asked for.
    """
    from tqdm import tqdm

    hidden = None if size >= SHOW_PROGRESS_FROM else True  # None: hidden unless on a terminal
    progress = tqdm(total=size, desc=f"Indexing {path.name}", unit="B", unit_scale=True, disable=hidden)
    buffer = bytearray(BLOCK)
    end = 0  # of what the buffer holds, which begins with the first line not yet yielded
    with ThreadPoolExecutor(1) as second, progress:
        while count := file.readinto(memoryview(buffer)[end:]):
            view = memoryview(buffer)[: end + count]
            begun = Event()
            hashed = second.submit(_hash, digest, view[end:], begun)
            begun.wait()  # or the hash would only begin when this thread next waits
            progress.update(count)
            begin, scanned, end = 0, end, end + count
            while (feed := buffer.find(b"\n", max(begin, scanned), end)) >= 0:
                yield view[begin:feed], True
                begin = feed + 1
            hashed.result()
            if begin == 0 and end == len(buffer):
                if end > LONGEST_LINE:
                    raise UserError(
                        f"{path} has a line of over {LONGEST_LINE >> 20} MiB: it is not one example a line. "
                        "Expected JSON Lines; `jq -c '.[]' data.json > examples.jsonl` makes that of an array."
                    )
                buffer = buffer + bytearray(end)
            else:
                buffer[: end - begin] = buffer[begin:end]
                end -= begin
    if end:
        yield memoryview(buffer)[:end], False


def _hash(digest: "hashlib._Hash", data: "memoryview[int]", begun: Event) -> None:
    begun.set()
    digest.update(data)


def _example(path: Path, line: "memoryview[int]", number: int, offset: int, ended: bool) -> Example:
    """Checks one line and keeps all of it but the prompts."""
    try:
        str(line, "utf-8", "surrogatepass")  # msgspec does not look at the bytes that it skips
        row = decode(line, _ROW, Row[str])
        for text in (row.system_prompt, row.user_prompt):
            if isinstance(text, msgspec.Raw) and memoryview(text)[0] != ord('"'):
                decode(line, _WHOLE_ROW, Row[str])  # raises, and says which of them is no text
        if row.user_prompt in ("", _EMPTY):
            raise ValueError("`user_prompt` is empty")
    except (ValueError, RecursionError) as error:
        raise UserError(
            f"{path}, line {number}, which begins at byte {offset}: {_reason(error, offset)}. {_cure(line, ended)}"
        ) from error
    return Example.of(row, offset=offset, length=len(line), line=number)


def _reason(error: Exception, offset: int) -> str:
    """What is wrong with a line, with the byte of the file where that is known."""
    if isinstance(error, json.JSONDecodeError):
        place = offset + len(error.doc[: error.pos].encode("utf-8", "surrogatepass"))
        return f"not JSON: {error.msg} (byte {place})"
    if isinstance(error, UnicodeDecodeError):
        return f"not UTF-8: {error.reason} (byte {offset + error.start})"
    if isinstance(error, UnicodeEncodeError):
        return "the name of a field holds a lone surrogate"
    if isinstance(error, RecursionError):
        return "nested too deeply"
    return str(error)


def _cure(line: "memoryview[int]", ended: bool) -> str:
    """What to do about a bad line."""
    start = bytes(line[:40])
    if start.startswith(b"version https://git-lfs"):
        return "This is a Git LFS pointer, not the file: run `git lfs pull` in its folder."
    if start.startswith(b"["):
        return "Expected one object a line: `jq -c '.[]' data.json > examples.jsonl` makes that of an array."
    if not ended:
        return "The file ends in this line, so it may be cut off: download or build it again."
    return "Expected one JSON object with the published fields: download or build the file again."
