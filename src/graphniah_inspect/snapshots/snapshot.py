"""A snapshot: papers and their citations on disk, opened by memory map so that workers share its pages.

``graphniah ingest`` writes the folder; everything else only reads it. Papers are numbered ``0..n-1`` in the
order of their Semantic Scholar corpus ids, and every array here is over those numbers:

| file | content |
|---|---|
| ``papers.parquet``, ``citations.parquet`` | the same data for people and for DuckDB, in corpus ids |
| ``records.jsonl``, ``record_offsets.npy`` | what references need, a JSON array a paper; where each starts |
| ``corpus_ids.npy``, ``year.npy``, ``date.npy``, ``recent.npy`` | one value a paper |
| ``indptr.npy``, ``indices.npy``, ``direction.npy`` | the undirected citation graph, sparse rows |
| ``manifest.json`` | counts, sources, options, identity; written last: there means complete |
"""

import mmap
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from graphniah_inspect.citations.paper import Paper
from graphniah_inspect.errors import UserError

FORMAT = 1
MANIFEST = "manifest.json"
CITES, CITED = 1, 2
"""Bits of ``Snapshot.direction``: the row's paper cites the neighbour; the row's paper is cited by it."""
NO_YEAR = 0
NO_DATE = -1

# corpus id, title, authors, year, venue, volume, pages, doi, arxiv: the fields of Paper, in its order
Record = tuple[int, str, tuple[str, ...], int | None, str, str, str, str, str]
_decode_record = msgspec.json.Decoder(Record).decode


class Snapshot:
    """An opened snapshot; cheap to open in every worker, and to send to one (it travels as its path).

    Attributes:
        path: The folder.
        id: SHA-256 over the content and the options that shaped it; equal data gives an equal id, however it
            was sharded and whatever the number of threads.
        manifest: ``manifest.json`` as read.
        n: Number of papers.
        corpus_ids: ``int64[n]``, ascending.
        indptr: ``int64[n + 1]``; the neighbours of ``i`` are ``indices[indptr[i]:indptr[i + 1]]``.
        indices: ``int32[m]``, ascending in each row, without repeats; each edge stands in both rows.
        direction: ``uint8[m]``, bits ``CITES`` and ``CITED``; both are set where two papers cite each other.
        year: ``int16[n]``, ``NO_YEAR`` when unknown.
        date: ``int32[n]``, days since 1970-01-01, ``NO_DATE`` when unknown.
        recent: ``bool[n]``, published on or after the cutoff.
    """

    def __init__(self, path: Path, manifest: dict[str, Any]) -> None:
        self.path = path
        self.manifest = manifest
        self.id: str = manifest["id"]
        self.n: int = manifest["papers"]
        self.corpus_ids: NDArray[np.int64] = self._array("corpus_ids")
        self.indptr: NDArray[np.int64] = self._array("indptr")
        self.indices: NDArray[np.int32] = self._array("indices")
        self.direction: NDArray[np.uint8] = self._array("direction")
        self.year: NDArray[np.int16] = self._array("year")
        self.date: NDArray[np.int32] = self._array("date")
        self.recent: NDArray[np.bool_] = self._array("recent")
        self._offsets: NDArray[np.int64] = self._array("record_offsets")
        with (path / "records.jsonl").open("rb") as file:
            self._records = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        if len(self._offsets) != self.n + 1 or len(self.indptr) != self.n + 1:
            raise UserError(f"{path}: arrays do not fit the {self.n} papers of {MANIFEST}. Ingest again.")

    @classmethod
    def open(cls, path: str | Path) -> "Snapshot":
        """Open a complete snapshot.

        Args:
            path: The folder that ``graphniah ingest --out`` wrote.

        Raises:
            UserError: The folder is no snapshot, is unfinished, damaged, or of another format version.
        """
        folder = Path(path)
        file = folder / MANIFEST
        if not file.is_file():
            raise UserError(
                f"{folder} holds no {MANIFEST}: not a snapshot, or its ingest did not finish. "
                "Run the same `graphniah ingest` command again; it goes on where it stopped."
            )
        try:
            manifest = msgspec.json.decode(file.read_bytes(), type=dict[str, Any])
        except msgspec.DecodeError as error:
            raise UserError(f"{file} is damaged ({error}). Ingest again into an empty folder.") from error
        if manifest.get("format") != FORMAT:
            raise UserError(
                f"{folder} has snapshot format {manifest.get('format')!r}; "
                f"this version reads format {FORMAT}. Ingest again."
            )
        for name, size in manifest["files"].items():
            found = (folder / name).stat().st_size if (folder / name).is_file() else None
            if found != size:
                raise UserError(
                    f"{folder / name}: expected {size} bytes, found {'no file' if found is None else found}. "
                    "The snapshot is damaged; copy it again or ingest into an empty folder."
                )
        return cls(folder, manifest)

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return Snapshot.open, (str(self.path),)

    def __len__(self) -> int:
        return self.n

    def paper(self, i: int) -> Paper:
        """The bibliographic record of paper ``i``."""
        return Paper(*self._record(i))

    def papers(self, ids: Iterable[int]) -> list[Paper]:
        """The records of several papers, in the order asked."""
        return [self.paper(i) for i in ids]

    def title(self, i: int) -> str:
        """The cleaned title of paper ``i``."""
        return self._record(i)[1]

    def neighbours(self, i: int) -> NDArray[np.int32]:
        """Papers that paper ``i`` cites or is cited by, ascending."""
        return self.indices[self.indptr[i] : self.indptr[i + 1]]

    def index_of(self, corpus_id: int) -> int:
        """The number of the paper with this corpus id.

        Raises:
            KeyError: The snapshot does not hold it.
        """
        i = int(np.searchsorted(self.corpus_ids, corpus_id))
        if i == self.n or self.corpus_ids[i] != corpus_id:
            raise KeyError(corpus_id)
        return i

    def _record(self, i: int) -> Record:
        if not 0 <= i < self.n:
            raise IndexError(f"paper {i}: the snapshot has papers 0 to {self.n - 1}")
        return _decode_record(self._records[self._offsets[i] : self._offsets[i + 1]])

    def _array(self, name: str) -> NDArray[Any]:
        # an empty memory map is an error in NumPy, and a world without edges is legal
        file = self.path / f"{name}.npy"
        array: NDArray[Any] = np.load(file, mmap_mode="r" if self.manifest["citations"] else None)
        return array
