"""Files that are either whole or not there: written beside their place, flushed to disk, then moved."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import msgspec
import numpy as np

from graphniah_inspect.errors import UserError

if TYPE_CHECKING:
    import pyarrow as pa


@contextmanager
def written(file: Path) -> Iterator[BinaryIO]:
    """Open ``file`` for writing in such a way that it appears only when the block ends without an error."""
    temporary = file.with_name(f"{file.name}.part")
    with temporary.open("wb") as target:
        yield target
        target.flush()
        os.fsync(target.fileno())
    temporary.replace(file)


def write_text(file: Path, text: str) -> None:
    """Write UTF-8 text, whole or not at all; lone surrogates as they are.

    Raises:
        UserError: The folder cannot be made or written to, or the disk is full.
    """
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with written(file) as target:
            target.write(text.encode("utf-8", "surrogatepass"))
    except OSError as error:
        raise UserError(f"{file}: cannot be written ({error.strerror or error}).") from error


def write_json(file: Path, content: Any) -> None:
    """Write indented JSON, whole or not at all."""
    with written(file) as target:
        target.write(msgspec.json.format(msgspec.json.encode(content), indent=2) + b"\n")


@contextmanager
def written_array(file: Path, dtype: str, length: int) -> Iterator[BinaryIO]:
    """A ``.npy`` file of one dimension whose bytes are written piece by piece."""
    header = {"descr": np.lib.format.dtype_to_descr(np.dtype(dtype)), "fortran_order": False, "shape": (length,)}
    with written(file) as target:
        np.lib.format.write_array_header_1_0(target, header)
        yield target


@contextmanager
def written_parquet(file: Path, schema: "pa.Schema") -> Iterator[Any]:
    """A Parquet file, as a writer of batches."""
    import pyarrow.parquet as pq

    with written(file) as target, pq.ParquetWriter(target, schema, compression="zstd") as writer:
        yield writer
