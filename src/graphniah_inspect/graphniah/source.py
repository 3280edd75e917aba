"""Where examples come from: the hub, the bundled sample, a JSONL file, or a folder that holds one.

`open_source` finds the file and its index; `Source.prompt` reads one row's prompts when they are wanted.
"""

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import msgspec

from graphniah_inspect.errors import UserError
from graphniah_inspect.graphniah.index import Example, FileState
from graphniah_inspect.graphniah.index_cache import load_index
from graphniah_inspect.graphniah.rows import Row, decode
from graphniah_inspect.hub import download

SAMPLE = "sample"
FILE = "examples.jsonl"
"""Name of the one data file in a GraphNIAH repository or folder."""
_CHOICES = (
    f"Expected `owner/name` on the Hugging Face hub, `sample` (bundled), a .jsonl file, or a folder that holds {FILE}."
)
_CURES = {
    ".json": "one object a line is expected: `jq -c '.[]' data.json > examples.jsonl` makes that of an array",
    ".parquet": "write it as JSON Lines, e.g. `duckdb -c \"COPY 'data.parquet' TO 'examples.jsonl'\"`",
    **dict.fromkeys((".gz", ".zst", ".xz", ".bz2", ".zip"), "unpack it first"),
}
_WHOLE_ROW = msgspec.json.Decoder(Row[str])


class Prompt(NamedTuple):
    """The two messages of an example, as the file has them."""

    system: str
    user: str


@dataclass(frozen=True)
class Source:
    """An indexed file of examples.

    Attributes:
        name: As the user gave it.
        path: The file.
        revision: Commit of a hub dataset; None otherwise.
        etag: The hub's name for the content; None otherwise.
        sha256: SHA-256 of the file.
        size: Bytes of the file.
        examples: Every row, in the order of the file, without its prompts.
    """

    name: str
    path: Path
    revision: str | None
    etag: str | None
    sha256: str
    size: int
    examples: list[Example] = field(repr=False)
    state: FileState = field(repr=False)

    def prompt(self, example: Example) -> Prompt:
        """Reads the prompts of one example from the file; safe from any thread.

        Raises:
            UserError: The file is gone, or is no longer the one that was indexed.
        """
        try:
            with self.path.open("rb") as file:
                file.seek(example.offset)
                line = file.read(example.length)
                state = FileState.of(os.fstat(file.fileno()))
        except OSError as error:
            raise UserError(
                f"{self.path} cannot be read any more ({error.strerror or error}). Put it back, then go on "
                "with `inspect eval-retry`."
            ) from error
        if state == self.state:
            row = decode(line, _WHOLE_ROW, Row[str])
            if row.qid == example.qid:
                return Prompt(row.system_prompt, row.user_prompt)
        raise UserError(
            f"{self.path} changed since this run indexed it, so line {example.line} may be another example "
            f"than {example.qid}. Leave the file alone during a run; start the run again."
        )


def open_source(dataset: object, revision: object = None) -> Source:
    """Finds a file of examples and indexes it, or takes its index from the cache.

    Args:
        dataset: `owner/name` (hub), `sample`, a `.jsonl` file, or a folder that holds `examples.jsonl`.
        revision: Branch, tag or commit of a hub dataset; the head of the default branch if None.

    Raises:
        UserError: It is none of these, could be two of them, cannot be downloaded, or is damaged.
    """
    if not isinstance(dataset, str) or not dataset:
        raise UserError(f"dataset={dataset!r} is not a name. {_CHOICES}")
    if revision is not None and (not isinstance(revision, str) or not revision):
        raise UserError(
            f"revision={revision!r} is a {type(revision).__name__}, where text is expected: YAML reads bare "
            "digits, dates, `no` and the like as something else, and leading zeros are lost. Quote what you "
            "meant twice, e.g. -T \"revision='1234567'\"."
        )
    try:
        path = data_file(dataset)
    except (OSError, RuntimeError) as error:  # no permission to look, a name too long, `~` of an unknown user
        raise UserError(f"dataset={dataset!r} cannot be looked for: {error}. {_CHOICES}") from error
    if path is not None:
        if revision is not None:
            raise UserError(
                f"revision={revision!r} is for datasets on the hub, and dataset={dataset!r} is a file here. "
                "Leave it out."
            )
        index = load_index(path)
        return Source(dataset, path, None, None, index.sha256, index.state.size, index.examples, index.state)
    file = download(dataset, revision, FILE)
    index = load_index(file.path)
    if file.etag is not None and re.fullmatch("[0-9a-f]{64}", file.etag) and file.etag != index.sha256:
        raise UserError(
            f"{file.path} is damaged: its SHA-256 is {index.sha256}, and the hub's is {file.etag}. Delete "
            f"{file.path.resolve()}, then run again to download it anew."
        )
    return Source(
        dataset,
        file.path,
        file.revision,
        file.etag,
        index.sha256,
        index.state.size,
        index.examples,
        index.state,
    )


def data_file(dataset: str) -> Path | None:
    """The file that a dataset parameter means, or None for a dataset on the hub."""
    path = Path(dataset).expanduser()
    if dataset == SAMPLE:
        if (path / FILE).exists():
            raise UserError(
                f"dataset={SAMPLE!r} is the bundled sample, but there is also a folder of that name here. "
                f"Write ./{SAMPLE} for the folder; for the bundled sample, run from elsewhere."
            )
        return Path(__file__).with_name("sample.jsonl")
    file_like = path.suffix.lower() in (".jsonl", *_CURES)
    hub_like = re.fullmatch(r"[A-Za-z0-9][\w.-]*/[\w.-]+", dataset) is not None and not file_like
    if hub_like and path.exists():
        raise UserError(
            f"dataset={dataset!r} could be the hub's or {path.absolute()}. Write ./{dataset} for that; for "
            "the hub's, run from elsewhere."
        )
    if hub_like:
        return None
    if path.is_dir():
        if (path / FILE).is_file():
            return path / FILE
        others = ", ".join(sorted(str(other) for other in path.glob("*.jsonl"))) or "no .jsonl file at all"
        raise UserError(f"The folder {path} holds no {FILE}, but {others}. Give the path of the file that you mean.")
    if not path.exists():
        raise UserError(f"dataset={dataset!r}: there is no such file or folder ({path.absolute()}). {_CHOICES}")
    if path.suffix.lower() != ".jsonl":
        cure = _CURES.get(path.suffix.lower(), "its name must end in .jsonl")
        raise UserError(f"dataset={dataset!r} is not a .jsonl file: {cure}. {_CHOICES}")
    return path
