"""Indexes of large files, kept between runs.

One for each data file, itself JSON Lines. Its first line says which state of which file it was made of, its last
is a checksum.
"""

import hashlib
import json
import logging
import os
import tempfile
import zlib
from pathlib import Path

import msgspec

from graphniah_inspect.caching import cache_folder
from graphniah_inspect.errors import UserError
from graphniah_inspect.graphniah.index import Example, FileState, Index, build_index
from graphniah_inspect.graphniah.rows import decode

INDEX_FORMAT = 1
CACHE_FROM = 32 << 20
"""Smaller files (in bytes) are indexed about as fast as an index of theirs is read."""

_EXAMPLE = msgspec.json.Decoder(Example)

logger = logging.getLogger(__name__)


class _Header(msgspec.Struct, frozen=True):
    """First line of a cached index. `changed` (nanoseconds) moves even where `modified` was set back."""

    format: int
    file: str
    state: FileState
    changed: int
    sha256: str


def load_index(path: Path) -> Index:
    """Returns the index of a JSONL file: from the cache if the file is as it was, else by reading it.

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


def _cache_path(path: Path) -> Path:
    """Where the index of a file is cached: one place for each real path."""
    key = hashlib.sha256(os.fsencode(path.resolve())).hexdigest()[:32]
    return cache_folder() / f"{key}.index.jsonl"


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
    """Writes an index beside its place and renames it; says so where that cannot be."""
    file_name = ascii(str(path.resolve()))
    header = _Header(INDEX_FORMAT, file_name, FileState.of(status), status.st_ctime_ns, index.sha256)
    # The standard library's encoder: msgspec's refuses lone surrogates and turns infinity into null.
    lines = (json.dumps(msgspec.to_builtins(each)).encode("ascii") for each in (header, *index.examples))
    content = b"\n".join(lines)
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
            "The index of %s could not be kept (%s), so the next run reads the whole file again. "
            "Let GRAPHNIAH_CACHE_DIR name a folder that can be written.",
            path,
            error,
        )


def _checksum(content: bytes) -> bytes:
    """Last line of a cached index."""
    return f"{zlib.crc32(content):08x}".encode("ascii")
