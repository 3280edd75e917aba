"""Semantic Scholar's bulk shards, ``jsonl`` or ``jsonl.gz``: found, decompressed, decoded, lines counted.

Fields and their habits are those of the Datasets API (https://api.semanticscholar.org/api-docs/datasets): ids
are integers or strings by release, most fields may be null, and only some papers have an exact date.
"""

import glob
import gzip
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from graphniah_inspect.errors import UserError

SUFFIXES = (".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz", ".json", ".json.gz", ".gz")
CHUNK = 4 << 20
_GZIP_MAGIC = b"\x1f\x8b"


class Author(msgspec.Struct):
    """An author as listed with a paper."""

    name: str | None = None


class Journal(msgspec.Struct):
    """Where a paper appeared; Semantic Scholar has no issue number."""

    name: str | None = None
    pages: str | int | None = None
    volume: str | int | None = None


class ExternalIds(msgspec.Struct):
    """The two external ids that a reference shows."""

    DOI: str | int | float | None = None
    ArXiv: str | int | float | None = None


class PaperLine(msgspec.Struct):
    """A line of the ``papers`` data set; unread fields are skipped."""

    corpusid: int | str | None
    title: str | None
    authors: list[Author | None] | None = None
    year: int | str | None = None
    publicationdate: str | None = None
    venue: str | None = None
    journal: Journal | None = None
    externalids: ExternalIds | None = None


class CitationLine(msgspec.Struct):
    """A line of the ``citations`` data set, read leniently: a target may be missing or be no number."""

    citingcorpusid: int | str | None
    citedcorpusid: int | str | None


class NumericCitation(msgspec.Struct):
    """The same line when both ids are numbers or null, as nearly all are; decoded much faster."""

    citingcorpusid: int | None
    citedcorpusid: int | None


Line = TypeVar("Line")


class LineDecoder(Generic[Line]):
    """Decodes chunks of whole lines: all at once when clean, else one by one to find the line that is not."""

    def __init__(self, line: type[Line], fast: type | None = None) -> None:
        self._one = msgspec.json.Decoder(line)
        # not strict: "12" is read as 12
        self._many: msgspec.json.Decoder[Any] = msgspec.json.Decoder(fast or line, strict=fast is None)

    def decode(self, chunk: bytes) -> tuple[Sequence[Line | None], list[tuple[int, str]]]:
        """Decode a chunk of lines.

        Args:
            chunk: Whole lines, the last one with or without a line break.

        Returns:
            One entry a line (None where blank or malformed), and ``(index, reason)`` of each malformed one.
        """
        lines = chunk.count(b"\n") + (not chunk.endswith(b"\n"))
        try:
            rows: list[Line] = self._many.decode_lines(chunk)
            # as many values as lines, and one ends and one begins at every break: so each line holds one
            if len(rows) == lines and lines in (chunk.count(b"}\n{") + 1, chunk.count(b"}\r\n{") + 1):
                return rows, []
        except (msgspec.DecodeError, UnicodeDecodeError):
            pass
        found: list[Line | None] = []
        malformed: list[tuple[int, str]] = []
        for index, line in enumerate(chunk.split(b"\n")[:lines]):
            row = None
            if line.strip():
                try:
                    row = self._one.decode(line)
                except (msgspec.DecodeError, UnicodeDecodeError) as error:
                    malformed.append((index, str(error)))
            found.append(row)
        return found, malformed


def find_shards(arguments: Sequence[str]) -> list[Path]:
    """The shards that files, folders and patterns name, each once: arguments in order, the rest by name.

    Raises:
        UserError: An argument names nothing, or a folder without shards.
    """
    shards: list[Path] = []
    for argument in arguments:
        path = Path(argument)
        if path.is_dir():
            found = sorted(p for p in path.iterdir() if p.is_file() and p.name.endswith(SUFFIXES))
            found = [p for p in found if not p.name.startswith(".") and p.name != "manifest.json"]
        elif path.is_file():
            found = [path]
        else:
            found = sorted(Path(p) for p in glob.glob(argument, recursive=True) if Path(p).is_file())  # noqa: PTH207
        if not found:
            raise UserError(
                f"{argument}: no such file, or no shards in it. Give files, folders or patterns of "
                f"{' / '.join(SUFFIXES[:2])} files."
            )
        shards += found
    unique = {shard.resolve(): shard for shard in reversed(shards)}
    return list(reversed(unique.values()))


def read_chunks(shard: Path) -> Iterator[tuple[bytes, int]]:
    """Whole lines of a shard in chunks of some megabytes, decompressed when the file begins as gzip does.

    Yields:
        The lines, and how many bytes of the file have been read so far (for progress).

    Raises:
        UserError: The compressed data are cut off or damaged.
    """
    with shard.open("rb") as raw:
        packed = raw.read(2) == _GZIP_MAGIC
        raw.seek(0)
        if shard.name.endswith(".gz") and not packed:
            raise UserError(f"{shard}: named .gz but not gzip data. Download this shard again, or rename it.")
        stream = gzip.GzipFile(fileobj=raw) if packed else raw
        rest: list[bytes] = []
        first, line = True, 1
        while True:
            try:
                data = stream.read(CHUNK)
            except (EOFError, zlib.error, gzip.BadGzipFile) as error:
                raise UserError(
                    f"{shard}: damaged or cut off after line {line} or so ({error}). Download this shard again."
                ) from error
            if first:
                data, first = data.removeprefix(b"\xef\xbb\xbf"), False
            if not data:
                break
            cut = data.rfind(b"\n") + 1
            if cut == 0:
                rest.append(data)
                continue
            chunk = b"".join([*rest, data[:cut]])
            rest = [data[cut:]] if cut < len(data) else []
            line += chunk.count(b"\n")
            yield chunk, raw.tell()
        if rest:
            yield b"".join(rest), raw.tell()
