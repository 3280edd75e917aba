"""Where GraphWalks rows come from: the hub at a pinned commit, the bundled sample, a file, or a folder.

A problem's id is its number within its type over all files of the data, in their order (`bfs-0012`), so it
stays the same whatever is selected.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from graphniah_inspect.errors import UserError
from graphniah_inspect.graphwalks.bands import LONG_FILE, SHORT_FILE, bands_of
from graphniah_inspect.graphwalks.rows import DataFile, Row
from graphniah_inspect.hub import download

PUBLISHED = "openai/graphwalks"
REVISION = "f338bb265735a56a79f4b0f5def722c9c3268ead"
"""The published data after the fix of February 2026."""

PUBLISHED_SHA256 = {
    SHORT_FILE: "54036036c91d8e04bb2a5fcd9e36f8e2a852cacece5dfc2b1ee40e3a6182b516",
    LONG_FILE: "537879431c72a42e3b500f80efc3047e7facb90390b6063d33679b4320985911",
}
"""SHA-256 of the files at `REVISION`."""

SAMPLE = "sample"
SAMPLE_FILE = Path(__file__).with_name("sample.jsonl")
_SUFFIXES = (".parquet", ".jsonl")
_CHOICES = (
    f"Expected {PUBLISHED} or another `owner/name` on the Hugging Face hub, `{SAMPLE}` (bundled), a "
    ".parquet or .jsonl file, or a folder of those."
)


@dataclass(frozen=True)
class Problem:
    """One row and where it stands.

    Attributes:
        id: `bfs-0012` or `parents-0012`.
        file: The file that holds its prompt.
        row: All else about it.
        band: Its cluster, see `bands`.
    """

    id: str
    file: DataFile
    row: Row
    band: str

    def prompt(self) -> str:
        """The whole prompt, read now."""
        return self.file.prompt(self.row.number)


@dataclass(frozen=True)
class Source:
    """Opened data.

    Attributes:
        name: As the user gave it.
        revision: Commit of a hub data set, else None.
        files: In the order of the ids.
        problems: Every row, in the files' order.
    """

    name: str
    revision: str | None
    files: Sequence[DataFile]
    problems: Sequence[Problem]


def open_source(dataset: object = PUBLISHED, revision: object = None, *, long_file: bool = True) -> Source:
    """Find the files, check them, and read everything but the prompts.

    Args:
        dataset: `owner/name`, `sample`, a file, or a folder.
        revision: Branch, tag or commit on the hub; None is the pinned commit of the published data, and the
            branch head of any other.
        long_file: False leaves out the published file of 256k to 1M tokens, which is a large download.

    Raises:
        UserError: It is none of these, cannot be had, or is not what it should be.
    """
    if not isinstance(dataset, str) or not dataset:
        raise UserError(f"dataset={dataset!r} is not a name. {_CHOICES}")
    if revision is not None and (not isinstance(revision, str) or not revision):
        raise UserError(
            f"revision={revision!r} is a {type(revision).__name__}, not text: YAML reads unquoted digits, "
            "`no` and the like as something else. Quote what you meant twice, e.g. -T \"revision='1234567'\"."
        )
    paths = _local_paths(dataset)
    if paths is not None:
        if revision is not None:
            raise UserError(f"revision={revision!r} is for data on the hub; dataset={dataset!r} is here. Leave it out.")
        return _source(dataset, None, [DataFile(path) for path in paths])
    wanted = revision or (REVISION if dataset == PUBLISHED else None)
    names = [SHORT_FILE, LONG_FILE] if long_file else [SHORT_FILE]
    files = []
    commit = wanted
    for name in names:
        downloaded = download(dataset, commit, name)
        commit = downloaded.revision
        expected = PUBLISHED_SHA256[name] if (dataset, commit) == (PUBLISHED, REVISION) else downloaded.etag
        # The etag of a large file is its SHA-256; that of a small one is something else.
        known = expected if expected and re.fullmatch("[0-9a-f]{64}", expected) else None
        files.append(DataFile(downloaded.path, known))
    return _source(dataset, commit, files)


def _source(name: str, revision: str | None, files: Sequence[DataFile]) -> Source:
    seen: Counter[str] = Counter()
    problems = []
    for file in files:
        bands = bands_of(file.path.name, [row.chars for row in file.rows])
        for row, band in zip(file.rows, bands, strict=True):
            problems.append(Problem(f"{row.problem_type}-{seen[row.problem_type]:04d}", file, row, band))
            seen[row.problem_type] += 1
    return Source(name, revision, files, problems)


def _local_paths(dataset: str) -> list[Path] | None:
    """The files that a dataset parameter means; None for data on the hub."""
    path = Path(dataset).expanduser()
    if dataset == SAMPLE:
        if path.exists():
            raise UserError(
                f"dataset={SAMPLE!r} is the bundled sample, but there is also {path.absolute()}. Write "
                f"./{SAMPLE} for that; for the bundled sample, run from elsewhere."
            )
        return [SAMPLE_FILE]
    hub_like = re.fullmatch(r"[A-Za-z0-9][\w.-]*/[\w.-]+", dataset) and path.suffix not in _SUFFIXES
    if hub_like and path.exists():
        raise UserError(
            f"dataset={dataset!r} could be the hub's or {path.absolute()}. Write ./{dataset} for the one "
            "here; for the hub's, run from elsewhere."
        )
    if hub_like:
        return None
    if path.is_dir():
        paths = sorted(file for file in path.iterdir() if file.suffix in _SUFFIXES)
        if not paths:
            raise UserError(f"The folder {path} holds no .parquet or .jsonl file. {_CHOICES}")
        return paths
    if not path.exists():
        raise UserError(f"dataset={dataset!r}: there is no such file or folder ({path.absolute()}). {_CHOICES}")
    if path.suffix not in _SUFFIXES:
        raise UserError(f"dataset={dataset!r} is neither .parquet nor .jsonl. {_CHOICES}")
    return [path]
