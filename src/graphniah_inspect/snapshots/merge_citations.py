"""Parts of citations become the citation graph of a snapshot; arrays are written as rows stream by."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from graphniah_inspect.snapshots.database import copy_sorted, quoted
from graphniah_inspect.snapshots.snapshot import CITED, CITES
from graphniah_inspect.written import written_array, written_parquet

BATCH = 200_000
CITATIONS = pa.schema([("citingcorpusid", pa.int64()), ("citedcorpusid", pa.int64())])


def merge_citations(connection: Any, parts: list[Path], work: Path, out: Path) -> dict[str, int]:
    """Write ``citations.parquet`` and the undirected graph in compressed sparse rows.

    Args:
        connection: DuckDB.
        parts: Files with schema ``CITATION_PART``.
        work: Folder for what is in between.
        out: The snapshot folder, where ``corpus_ids.npy`` is.

    Returns:
        Number of citations, of repeats that were dropped, and of undirected edges.
    """
    corpus_ids: NDArray[np.int64] = np.load(out / "corpus_ids.npy", mmap_mode="r")
    merged, both = work / "citations.merged.parquet", work / "adjacency.parquet"
    copy_sorted(
        connection,
        f"SELECT DISTINCT citing, cited FROM read_parquet({quoted(*parts)}) ORDER BY citing, cited",
        merged,
    )
    total = sum(pq.read_metadata(part).num_rows for part in parts)
    source = pq.ParquetFile(merged)
    with written_parquet(out / "citations.parquet", CITATIONS) as writer:
        for batch in source.iter_batches(BATCH):
            ends = [pa.array(corpus_ids[batch[side].to_numpy()]) for side in ("citing", "cited")]
            writer.write_batch(pa.RecordBatch.from_arrays(ends, schema=CITATIONS))
    copy_sorted(
        connection,
        "SELECT row, neighbour, bit_or(direction) AS direction FROM ("
        f"SELECT citing AS row, cited AS neighbour, {CITES}::UTINYINT AS direction FROM {quoted(merged)} "
        f"UNION ALL SELECT cited, citing, {CITED}::UTINYINT FROM {quoted(merged)}"
        ") GROUP BY row, neighbour ORDER BY row, neighbour",
        both,
    )
    edges = _write_rows(pq.ParquetFile(both), len(corpus_ids), out) // 2
    kept = source.metadata.num_rows
    both.unlink()
    merged.unlink()
    return {"kept": kept, "repeated": total - kept, "undirected edges": edges}


def _write_rows(adjacency: Any, n: int, out: Path) -> int:
    length: int = adjacency.metadata.num_rows
    # rows are complete up to `row`; `read` entries of the adjacency lie before its end
    row = read = 0
    with (
        written_array(out / "indices.npy", "<i4", length) as indices,
        written_array(out / "direction.npy", "u1", length) as direction,
        written_array(out / "indptr.npy", "<i8", n + 1) as indptr,
    ):
        for batch in adjacency.iter_batches(BATCH):
            indices.write(batch["neighbour"].to_numpy().astype("<i4").tobytes())
            direction.write(batch["direction"].to_numpy().astype("u1").tobytes())
            rows = batch["row"].to_numpy()
            last = int(rows[-1])
            # row i begins where the first entry of a row not before i stands
            begins = read + np.searchsorted(rows, np.arange(row, last + 1))
            indptr.write(begins.astype("<i8").tobytes())
            row, read = last + 1, read + len(rows)
        for start in range(row, n + 1, BATCH):
            indptr.write(np.full(min(BATCH, n + 1 - start), length, "<i8").tobytes())
    return length
