"""The lines of a data file, one at a time.

Not by the index of the tasks, which refuses a file with a bad line: here a bad line is a finding.
"""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from graphniah_inspect.errors import UserError
from graphniah_inspect.graphniah.rows import Row, decode
from graphniah_inspect.graphniah.source import FILE, data_file
from graphniah_inspect.hub import download

_BLOCK = 8 << 20
_ROW = msgspec.json.Decoder(Row[str])
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Span(NamedTuple):
    """Where a line lies: its number from 1, the byte at which it begins, its bytes without the line feed."""

    number: int
    offset: int
    length: int


def locate(dataset: str, revision: str | None) -> Path:
    """The file behind a dataset parameter, downloaded if it is on the hub.

    Raises:
        UserError: There is none.
    """
    path = data_file(dataset)
    if path is None:
        return download(dataset, revision, FILE).path
    if revision is not None:
        raise UserError(f"--revision {revision} is for datasets on the hub, and {dataset} is a file here.")
    return path


def spans(path: Path, digest: "hashlib._Hash") -> Iterator[Span]:
    """Where every line lies that is not blank, feeding `digest` with the file on the way."""
    number, begin, offset = 1, 0, 0
    blank = True
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
            at = 0
            while (end := block.find(b"\n", at)) >= 0:
                blank = blank and not block[at:end].strip()
                if not blank:
                    yield Span(number, begin, offset + end - begin)
                number, begin, at, blank = number + 1, offset + end + 1, end + 1, True
            blank = blank and not block[at:].strip()
            offset += len(block)
    if not blank:
        yield Span(number, begin, offset - begin)


def read_row(path: Path, span: Span) -> Row[str]:
    """One row, its prompts included.

    Raises:
        ValueError: Not JSON, not UTF-8, or a field that is missing or of the wrong type.
        RecursionError: Nested too deeply.
    """
    with path.open("rb") as file:
        file.seek(span.offset)
        line = file.read(span.length)
    return decode(line.removeprefix(_BYTE_ORDER_MARK) if span.number == 1 else line, _ROW, Row[str])
