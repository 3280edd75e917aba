"""Parts become a snapshot: DuckDB sorts and removes repeats out of core; arrays are streamed from that."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from graphniah_inspect.build.parts import PAPER_PART
from graphniah_inspect.build.snapshot import CITED, CITES, NO_DATE, NO_YEAR
from graphniah_inspect.build.written import written
from graphniah_inspect.errors import UserError

BATCH = 100_000
PAPERS = pa.schema(
    [pa.field(field.name, field.type) for field in PAPER_PART if field.name not in ("date", "ordinal")]
    + [pa.field("publicationdate", pa.date32())]
)
CITATIONS = pa.schema([("citingcorpusid", pa.int64()), ("citedcorpusid", pa.int64())])
_PARQUET = "(FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 100000)"


@contextmanager
def database(temporary: Path, memory: int, threads: int) -> Iterator[Any]:
    """A DuckDB connection that spills to ``temporary`` beyond ``memory`` bytes.

    Raises:
        UserError: DuckDB is not installed, or cannot do with the memory or the disk there is.
    """
    try:
        import duckdb
    except ImportError as error:
        raise UserError("Ingest needs DuckDB: pip install 'graphniah-inspect[build]'") from error
    spill = temporary / "spill"
    spill.mkdir(exist_ok=True)
    connection = duckdb.connect(
        config={
            "memory_limit": f"{memory >> 20}MiB",
            "threads": threads,
            "temp_directory": str(spill),
            "preserve_insertion_order": False,
        }
    )
    try:
        connection.execute("SET enable_progress_bar = false")
        yield connection
    except (duckdb.OutOfMemoryException, duckdb.IOException) as error:
        raise UserError(
            f"DuckDB stopped: {error}. Give more with --memory or free space on the disk of {temporary}; "
            "the same command then goes on where it stopped."
        ) from error
    finally:
        connection.close()


def merge_papers(connection: Any, parts: list[Path], work: Path, out: Path) -> dict[str, int]:
    """Write ``papers.parquet``, ``records.jsonl`` and one array a column, ordered by corpus id.

    Of several papers with one corpus id the first is kept: in the earliest shard, on the earliest line.

    Returns:
        Number of papers, of recent ones, and of duplicates that were dropped.
    """
    merged = work / "papers.merged.parquet"
    connection.execute(
        f"COPY (SELECT * FROM read_parquet({_names(parts)}) "
        "QUALIFY row_number() OVER (PARTITION BY corpusid ORDER BY ordinal) = 1 ORDER BY corpusid) "
        f"TO '{_quoted(merged)}' {_PARQUET}"
    )
    total = sum(pq.read_metadata(part).num_rows for part in parts)
    source = pq.ParquetFile(merged)
    n = source.metadata.num_rows
    columns = {
        "corpus_ids": np.empty(n, np.int64),
        "year": np.empty(n, np.int16),
        "date": np.empty(n, np.int32),
        "recent": np.empty(n, np.bool_),
    }
    offsets = np.zeros(n + 1, np.int64)
    encode = msgspec.json.Encoder().encode
    start = 0
    with (
        written(out / "records.jsonl") as records,
        _parquet(out / "papers.parquet", PAPERS) as writer,
    ):
        for batch in source.iter_batches(BATCH):
            stop = start + batch.num_rows
            for name, column in columns.items():
                key = "corpusid" if name == "corpus_ids" else name
                column[start:stop] = batch[key].to_numpy(zero_copy_only=False)
            lines = [
                encode((row[0], row[1], row[2], None if row[3] == NO_YEAR else row[3], *row[4:])) + b"\n"
                for row in zip(
                    *(
                        batch[key].to_pylist()
                        for key in (
                            "corpusid",
                            "title",
                            "authors",
                            "year",
                            "venue",
                            "volume",
                            "pages",
                            "doi",
                            "arxiv",
                        )
                    ),
                    strict=True,
                )
            ]
            offsets[start + 1 : stop + 1] = np.cumsum([len(line) for line in lines]) + offsets[start]
            records.write(b"".join(lines))
            writer.write_batch(_for_people(batch))
            start = stop
    for name, column in {**columns, "record_offsets": offsets}.items():
        save_array(out / f"{name}.npy", column)
    merged.unlink()
    return {"kept": n, "recent": int(columns["recent"].sum()), "duplicate of an earlier line": total - n}


def merge_citations(connection: Any, parts: list[Path], work: Path, out: Path) -> dict[str, int]:
    """Write ``citations.parquet`` and the undirected graph in compressed sparse rows.

    Returns:
        Number of citations, of repeats that were dropped, and of undirected edges.
    """
    corpus_ids: NDArray[np.int64] = np.load(out / "corpus_ids.npy", mmap_mode="r")
    merged = work / "citations.merged.parquet"
    connection.execute(
        f"COPY (SELECT DISTINCT citing, cited FROM read_parquet({_names(parts)}) ORDER BY citing, cited) "
        f"TO '{_quoted(merged)}' {_PARQUET}"
    )
    total = sum(pq.read_metadata(part).num_rows for part in parts)
    source = pq.ParquetFile(merged)
    kept = source.metadata.num_rows
    with _parquet(out / "citations.parquet", CITATIONS) as writer:
        for batch in source.iter_batches(BATCH):
            ends = [pa.array(corpus_ids[batch[side].to_numpy()]) for side in ("citing", "cited")]
            writer.write_batch(pa.RecordBatch.from_arrays(ends, schema=CITATIONS))
    both = work / "adjacency.parquet"
    connection.execute(
        "COPY (SELECT row, neighbour, bit_or(direction) AS direction FROM ("
        f"SELECT citing AS row, cited AS neighbour, {CITES}::UTINYINT AS direction FROM '{_quoted(merged)}' "
        f"UNION ALL SELECT cited, citing, {CITED}::UTINYINT FROM '{_quoted(merged)}'"
        f") GROUP BY row, neighbour ORDER BY row, neighbour) TO '{_quoted(both)}' {_PARQUET}"
    )
    adjacency = pq.ParquetFile(both)
    degree = np.zeros(len(corpus_ids), np.int64)
    with (
        _array_file(out / "indices.npy", np.dtype(np.int32), adjacency.metadata.num_rows) as indices,
        _array_file(out / "direction.npy", np.dtype(np.uint8), adjacency.metadata.num_rows) as direction,
    ):
        for batch in adjacency.iter_batches(BATCH):
            np.add.at(degree, batch["row"].to_numpy(), 1)
            indices.write(batch["neighbour"].to_numpy().astype(np.int32, copy=False).tobytes())
            direction.write(batch["direction"].to_numpy().astype(np.uint8, copy=False).tobytes())
    save_array(out / "indptr.npy", np.concatenate([[0], np.cumsum(degree)]))
    edges = adjacency.metadata.num_rows // 2
    both.unlink()
    merged.unlink()
    return {"kept": kept, "repeated": total - kept, "undirected edges": edges}


def content_id(out: Path, options: dict[str, Any]) -> str:
    """SHA-256 over records, dates, graph, and the options that shaped them: the identity of a snapshot."""
    digest = hashlib.sha256(msgspec.json.encode(options, order="sorted"))
    for name in ("records.jsonl", "date.npy", "recent.npy", "indptr.npy", "indices.npy", "direction.npy"):
        with (out / name).open("rb") as file:
            digest.update(f"\n{name} {hashlib.file_digest(file, 'sha256').hexdigest()}".encode())
    return digest.hexdigest()


def save_array(file: Path, array: NDArray[Any]) -> None:
    """Write a ``.npy`` file beside its place, then move it there."""
    with written(file) as target:
        np.save(target, array)


def _for_people(batch: Any) -> Any:
    date, year = batch["date"], batch["year"]
    columns = {name: batch[name] for name in batch.schema.names}
    columns["publicationdate"] = pc.if_else(pc.equal(date, NO_DATE), None, date).cast(pa.date32())
    columns["year"] = pc.if_else(pc.equal(year, NO_YEAR), None, year)
    return pa.RecordBatch.from_arrays([columns[field.name] for field in PAPERS], schema=PAPERS)


@contextmanager
def _parquet(file: Path, schema: pa.Schema) -> Iterator[Any]:
    with written(file) as target, pq.ParquetWriter(target, schema, compression="zstd") as writer:
        yield writer


@contextmanager
def _array_file(file: Path, dtype: np.dtype[Any], length: int) -> Iterator[BinaryIO]:
    header = {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": (length,)}
    with written(file) as target:
        np.lib.format.write_array_header_1_0(target, header)
        yield target


def _names(parts: list[Path]) -> str:
    return "[" + ", ".join(f"'{_quoted(part)}'" for part in parts) + "]"


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")
