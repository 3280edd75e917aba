"""The index of a JSONL file of examples: one pass that keeps the small fields of every row and where it lies.

The published file is 9.5 GB, nearly all of it prompts. The pass checks every row, keeps about a kilobyte of each,
and hashes the file meanwhile. The index of a large file is cached in `GRAPHNIAH_CACHE_DIR`, else in
`graphniah_inspect` under `XDG_CACHE_HOME` or `~/.cache`: one file for each data file, itself JSONL, its first line
saying which state of which file it belongs to.

A line feed ends a line, with or without a carriage return; the last one may be missing; a byte order mark at the
start and lines of white space are passed over. Anything else that is not a row is an error.
"""

import hashlib
import json
import logging
import os
import tempfile
import time
import zlib
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, NoReturn

import msgspec

from graphniah_inspect.errors import UserError
from graphniah_inspect.graphniah.rows import Example, Row, decode

if TYPE_CHECKING:
    from tqdm import tqdm

INDEX_FORMAT = 1
BLOCK = 4 << 20
LONGEST_LINE = 256 << 20
SHOW_PROGRESS_FROM = 200 << 20
CACHE_FROM = 32 << 20
"""Files smaller than this (bytes) are indexed faster than an index of theirs is looked up."""

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_CLOCK_TICK = 0.02
_EMPTY = msgspec.Raw(b'""')
_ROW = msgspec.json.Decoder(Row[msgspec.Raw])
_WHOLE_ROW = msgspec.json.Decoder(Row[str])
_EXAMPLE = msgspec.json.Decoder(Example)

logger = logging.getLogger(__name__)


class FileState(msgspec.Struct, frozen=True):
    """What tells one state of a file from another without reading it; times in nanoseconds."""

    size: int
    modified: int
    inode: int

    @classmethod
    def of(cls, status: os.stat_result) -> "FileState":
        """Takes the state out of `os.stat`."""
        return cls(status.st_size, status.st_mtime_ns, status.st_ino)


class Index(NamedTuple):
    """What one pass over the file yields."""

    examples: list[Example]
    sha256: str
    state: FileState


class _Header(msgspec.Struct, frozen=True):
    """First line of a cached index: which state of which file it was made of."""

    format: int
    file: str
    state: FileState
    changed: int
    sha256: str


def load_index(path: Path) -> Index:
    """Returns the index of a JSONL file, from the cache where the file is as it was.

    Raises:
        UserError: The file cannot be read, changes meanwhile, is empty, or holds a bad line.
    """
    try:
        status = path.stat()
        if status.st_size < CACHE_FROM:
            return build_index(path)
        cache = _cache_path(path)
        index = _read_cache(cache, status)
        if index is None:
            index = build_index(path)
            _write_cache(cache, path, status, index)
        return index
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror or error}.") from error


def build_index(path: Path) -> Index:
    """Reads a JSONL file of examples once, from start to end.

    Memory stays at some tens of megabytes, whatever the size of the file.

    Raises:
        UserError: As `load_index`; a bad line is named by its number, its byte offset and the reason.
        OSError: The file cannot be read.
    """
    status = path.stat()
    # A file rewritten within one tick of the file system's clock would keep its time stamp.
    time.sleep(max(0.0, min(_CLOCK_TICK, status.st_mtime + _CLOCK_TICK - time.time())))
    digest = hashlib.sha256()
    examples: list[Example] = []
    lines: dict[str, int] = {}
    offset = 0
    with path.open("rb", buffering=0) as file:
        state = FileState.of(os.fstat(file.fileno()))
        for number, (line, ended) in enumerate(_lines(path, file, state.size, digest), 1):
            if number == 1 and line.startswith(_BYTE_ORDER_MARK):
                line = line.removeprefix(_BYTE_ORDER_MARK)
                offset += len(_BYTE_ORDER_MARK)
            if line and not line.isspace():
                example = _example(path, line, number, offset, ended)
                if (first := lines.setdefault(example.qid, number)) != number:
                    raise UserError(
                        f"{path}: lines {first} and {number} have the same qid, {example.qid!r}. "
                        "Every example must be there once: take the double out, or download the file again."
                    )
                examples.append(example)
            offset += len(line) + ended
        if FileState.of(os.fstat(file.fileno())) != state:
            raise UserError(f"{path} changed while it was read. Wait until it is written, then run again.")
    if not examples:
        raise UserError(f"{path} holds no examples ({state.size} bytes). Download or build it again.")
    return Index(examples, digest.hexdigest(), state)


def _lines(path: Path, file: BinaryIO, size: int, digest: "hashlib._Hash") -> Iterator[tuple[bytes, bool]]:
    """Yields each line without its line feed, and whether it had one; a second thread hashes meanwhile."""
    rest = b""
    hashed: Future[None] | None = None
    with ThreadPoolExecutor(1) as second, _progress(path, size) as progress:
        while block := file.read(BLOCK):
            if hashed is not None:
                hashed.result()
            hashed = second.submit(digest.update, block)
            progress.update(len(block))
            *whole, rest = (rest + block).split(b"\n")
            del block
            for line in whole:
                yield line, True
            del whole
            if len(rest) > LONGEST_LINE:
                raise UserError(
                    f"{path} has a line of more than {LONGEST_LINE >> 20} MiB, so it is not one example a line. "
                    "Expected JSON Lines; `jq -c '.[]' data.json > examples.jsonl` makes them of a JSON array."
                )
    if rest:
        yield rest, False


def _example(path: Path, line: bytes, number: int, offset: int, ended: bool) -> Example:
    """Checks one line and keeps all of it but the prompts."""
    try:
        if not line.isascii():
            line.decode("utf-8", "surrogatepass")  # msgspec does not look at the bytes of what it skips
        row = decode(line, _ROW, Row[str])
        if any(
            isinstance(text, msgspec.Raw) and memoryview(text)[0] != ord('"')
            for text in (row.system_prompt, row.user_prompt)
        ):
            decode(line, _WHOLE_ROW, Row[str])  # raises, and says which of them is no text
        if row.user_prompt in ("", _EMPTY):
            raise ValueError("`user_prompt` is empty")
    except (ValueError, RecursionError) as error:
        raise UserError(
            f"{path}, line {number}, which begins at byte {offset}: {_reason(error, offset)}. {_cure(line, ended)}"
        ) from error
    return Example(
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
        length=len(line),
        line=number,
    )


def _reason(error: Exception, offset: int) -> str:
    """What is wrong with a line, with the byte of the file where that is known."""
    if isinstance(error, json.JSONDecodeError):
        place = offset + len(error.doc[: error.pos].encode("utf-8", "surrogatepass"))
        return f"not JSON: {error.msg} (byte {place})"
    if isinstance(error, UnicodeDecodeError):
        return f"not UTF-8: {error.reason} (byte {offset + error.start}, 0x{error.object[error.start]:02x})"
    if isinstance(error, RecursionError):
        return "nested too deeply"
    return str(error)


def _cure(line: bytes, ended: bool) -> str:
    """What to do about a bad line."""
    if line.startswith(b"version https://git-lfs"):
        return "This is a Git LFS pointer, not the file: run `git lfs pull` in that folder."
    if line.startswith(b"["):
        return (
            "Expected one object a line: `jq -c '.[]' data.json > examples.jsonl` makes that of a JSON array."
        )
    if not ended:
        return "The file ends in this line, so it may be cut off: download or build it again."
    return "Expected one JSON object with the published fields: download or build the file again."


def _progress(path: Path, size: int) -> "tqdm[NoReturn]":
    """A progress bar on a terminal, for files that take seconds."""
    from tqdm import tqdm

    hidden = None if size >= SHOW_PROGRESS_FROM else True
    return tqdm(total=size, desc=f"Indexing {path.name}", unit="B", unit_scale=True, disable=hidden)


def _cache_path(path: Path) -> Path:
    """Where the index of a file is cached: one place for each real path."""
    folder = os.environ.get("GRAPHNIAH_CACHE_DIR")
    if not folder:
        caches = os.environ.get("XDG_CACHE_HOME") or Path("~", ".cache")
        folder = os.path.join(caches, "graphniah_inspect")
    key = hashlib.sha256(os.fsencode(path.resolve())).hexdigest()[:32]
    return Path(os.path.expanduser(folder), f"{key}.index.jsonl")


def _read_cache(cache: Path, status: os.stat_result) -> Index | None:
    """Returns the cached index if it is of the file in just this state."""
    state = FileState.of(status)
    try:
        content, _, checksum = cache.read_bytes().rpartition(b"\n")
        if checksum != _checksum(content):
            raise ValueError("its checksum is wrong")
        first, *lines = content.split(b"\n")
        header = msgspec.json.decode(first, type=_Header)
        if (header.format, header.state, header.changed) != (INDEX_FORMAT, state, status.st_ctime_ns):
            return None
        examples = [decode(line, _EXAMPLE, Example) for line in lines]
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        logger.warning("The cached index %s cannot be used (%s); it is built anew.", cache, error)
        return None
    return Index(examples, header.sha256, state)


def _write_cache(cache: Path, path: Path, status: os.stat_result, index: Index) -> None:
    """Writes an index beside its place and renames it; a run does without where that cannot be."""
    header = _Header(
        INDEX_FORMAT, ascii(str(path.resolve())), FileState.of(status), status.st_ctime_ns, index.sha256
    )
    content = b"\n".join([msgspec.json.encode(header), *map(_encode, index.examples)])
    temporary = None
    try:
        cache.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=cache.parent, prefix=f"{cache.name}.", delete=False) as file:
            temporary = Path(file.name)
            file.write(content + b"\n" + _checksum(content))
        temporary.replace(cache)
    except OSError as error:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
        logger.warning(
            "The index of %s could not be cached (%s), so the next run reads the whole file again. "
            "GRAPHNIAH_CACHE_DIR names a folder that can be written.",
            path,
            error,
        )


def _encode(example: Example) -> bytes:
    """One line of the cache; ASCII escapes where UTF-8 cannot hold a lone surrogate."""
    try:
        return msgspec.json.encode(example)
    except UnicodeEncodeError:
        return json.dumps(msgspec.to_builtins(example)).encode("ascii")


def _checksum(content: bytes) -> bytes:
    """Last line of a cached index."""
    return f"{zlib.crc32(content):08x}".encode("ascii")
