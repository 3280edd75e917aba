"""Where distracting text comes from: folders of files, JSONL, or the hub; cut into pieces of a few kilobytes."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from graphniah_inspect.citations.text import contains_delimiter
from graphniah_inspect.errors import UserError

TEXT_TYPES = ("code", "essays", "books", "wikipedia")
DISTRACTOR_TYPES = (*TEXT_TYPES, "disjoint-tree")

HUB_SOURCES = {"essays": "sgoel9/paul_graham_essays", "books": "emozilla/pg19"}
"""Hub data sets that hold what the dataset card names, for ``--hub essays=...@revision``."""

LICENSES = {
    "code": "Linux kernel source files: GPL-2.0",
    "essays": "Paul Graham's essays: copyright of the author",
    "books": "PG-19 books: public domain",
    "wikipedia": "Wikipedia passages: CC BY-SA 4.0",
    "disjoint-tree": "Semantic Scholar metadata: ODC-BY 1.0 (Kinney et al. 2023, arXiv 2301.10140)",
}
"""Terms of the text that each type usually holds, for the dataset card."""

_TEXT_FIELDS = ("text", "content", "passage", "body")
_PARAGRAPH = re.compile(r"(?<=\n)\n+")
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class HubSource:
    """A data set on the hub that stands in for a folder.

    Attributes:
        dataset: Its id, e.g. ``emozilla/pg19``.
        revision: Branch, tag or commit.
        characters: How much of it to take.
    """

    dataset: str
    revision: str = "main"
    characters: int = 50_000_000


@dataclass(frozen=True)
class Document:
    """A text and where it comes from."""

    source: str
    text: str


def read_folder(folder: Path, left_out: Counter[str]) -> Iterator[Document]:
    """Documents of a folder: every line of a ``.jsonl`` file, and every other file whole; by path.

    Args:
        folder: Searched with all its subfolders; hidden files and folders are not read.
        left_out: Counts what is left out, by reason.

    Raises:
        UserError: A JSONL line is no object with a text.
    """
    for path in folder_files(folder):
        name = path.relative_to(folder).as_posix()
        if path.suffix == ".jsonl":
            with path.open(encoding="utf-8") as lines:
                for number, line in enumerate(lines, 1):
                    if line.strip():
                        yield Document(f"{name}:{number}", _text_of(line, f"{path}, line {number}"))
            continue
        try:
            yield Document(name, path.read_text(encoding="utf-8"))
        except UnicodeDecodeError:
            left_out["files that are not UTF-8"] += 1


def folder_files(folder: Path) -> list[Path]:
    """The files of a folder that are read, by path."""
    found = (path for path in folder.rglob("*") if path.is_file())
    return sorted(path for path in found if not any(part.startswith(".") for part in path.relative_to(folder).parts))


def read_hub(source: HubSource) -> Iterator[Document]:
    """Documents of a hub data set, streamed, until enough characters have come.

    Raises:
        UserError: A row holds no text.
    """
    from datasets import load_dataset

    rows = load_dataset(source.dataset, revision=source.revision, split="train", streaming=True)
    characters = 0
    for number, row in enumerate(rows):
        text = _field(row, f"{source.dataset}, row {number}")
        yield Document(f"{source.dataset}@{source.revision}:{number}", text)
        characters += len(text)
        if characters >= source.characters:
            return


def pieces(document: Document, size: int, left_out: Counter[str]) -> Iterator[str]:
    """Cut a document at its seams (blank lines, else lines, else words) into pieces of at most ``size`` characters.

    Pieces that hold a line which delimits blocks are left out: inside a prompt they would be read as one.
    """
    text = document.text.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "")
    if _SURROGATE.search(text):
        left_out["documents with half a character (lone surrogates)"] += 1
        return
    piece = ""
    for part in _parts(text, size):
        if piece and len(piece) + len(part) > size:
            yield from _kept(piece, left_out)
            piece = ""
        piece += part
    yield from _kept(piece, left_out)


def _kept(piece: str, left_out: Counter[str]) -> Iterator[str]:
    piece = piece.strip("\n").rstrip()
    if contains_delimiter(piece):
        left_out["pieces that hold a block delimiter"] += 1
    elif piece:
        yield piece


def _parts(text: str, size: int) -> Iterator[str]:
    """Paragraphs with their line ends, those over ``size`` broken at lines, then words, then anywhere."""
    for paragraph in _PARAGRAPH.split(text):
        if len(paragraph) < size:
            yield paragraph + "\n"
            continue
        for line in paragraph.splitlines(keepends=True):
            rest = line
            while len(rest) > size:
                cut = rest.rfind(" ", size // 2, size) + 1 or size
                yield rest[:cut]
                rest = rest[cut:]
            yield rest
        yield "\n"


def _text_of(line: str, where: str) -> str:
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        raise UserError(f"{where}: not JSON ({error}). Mend or remove the line.") from error
    return _field(row, where)


def _field(row: object, where: str) -> str:
    if isinstance(row, str):
        return row
    fields = row if isinstance(row, dict) else {}
    for field in _TEXT_FIELDS:
        if isinstance(fields.get(field), str):
            return str(fields[field])
    raise UserError(
        f"{where}: expected a text, or an object with one of the fields {', '.join(_TEXT_FIELDS)}; "
        f"found {sorted(map(str, fields)) or type(row).__name__}."
    )
