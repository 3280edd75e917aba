"""Files that are either whole or not there: written beside their place, flushed to disk, then moved."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import msgspec


@contextmanager
def written(file: Path) -> Iterator[BinaryIO]:
    """Open ``file`` for writing in such a way that it appears only when the block ends without an error."""
    temporary = file.with_name(f"{file.name}.part")
    with temporary.open("wb") as target:
        yield target
        target.flush()
        os.fsync(target.fileno())
    temporary.replace(file)


def write_json(file: Path, content: Any) -> None:
    """Write indented JSON, whole or not at all."""
    with written(file) as target:
        target.write(msgspec.json.format(msgspec.json.encode(content), indent=2) + b"\n")
