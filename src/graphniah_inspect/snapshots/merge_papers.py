"""Parts of papers become the papers of a snapshot, each id once, by corpus id; arrays are written as rows stream by."""

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from graphniah_inspect.snapshots.database import copy_sorted, quoted
from graphniah_inspect.snapshots.parts import PAPER_PART
from graphniah_inspect.snapshots.snapshot import NO_DATE, NO_YEAR
from graphniah_inspect.written import written, written_array, written_parquet

BATCH = 20_000
PAPERS = pa.schema(
    [pa.field(field.name, field.type) for field in PAPER_PART if field.name not in ("date", "ordinal")]
    + [pa.field("publicationdate", pa.date32())]
)
_COLUMNS = {
    "corpus_ids": ("corpusid", "<i8"),
    "year": ("year", "<i2"),
    "date": ("date", "<i4"),
    "recent": ("recent", "?"),
}
_RECORD = ("corpusid", "title", "authors", "year", "venue", "volume", "pages", "doi", "arxiv")


def merge_papers(connection: Any, parts: list[Path], work: Path, out: Path) -> dict[str, int]:
    """Write ``papers.parquet``, ``records.jsonl`` and one array a column, ordered by corpus id.

    Of several papers with one corpus id the first is kept: in the earliest shard, on the earliest line.

    Args:
        connection: DuckDB.
        parts: Files with schema ``PAPER_PART``.
        work: Folder for what is in between.
        out: The snapshot folder.

    Returns:
        Number of papers, of recent ones, and of duplicates that were dropped.
    """
    merged = work / "papers.merged.parquet"
    copy_sorted(
        connection,
        f"SELECT * FROM read_parquet({quoted(*parts)}) "
        "QUALIFY row_number() OVER (PARTITION BY corpusid ORDER BY ordinal) = 1 ORDER BY corpusid",
        merged,
    )
    total = sum(pq.read_metadata(part).num_rows for part in parts)
    source = pq.ParquetFile(merged)
    n = source.metadata.num_rows
    encode = msgspec.json.Encoder().encode
    recent = size = 0
    with ExitStack() as files:
        records = files.enter_context(written(out / "records.jsonl"))
        people = files.enter_context(written_parquet(out / "papers.parquet", PAPERS))
        arrays = {
            name: files.enter_context(written_array(out / f"{name}.npy", dtype, n))
            for name, (_, dtype) in _COLUMNS.items()
        }
        offsets = files.enter_context(written_array(out / "record_offsets.npy", "<i8", n + 1))
        offsets.write(bytes(8))
        for batch in source.iter_batches(BATCH):
            for name, (column, dtype) in _COLUMNS.items():
                arrays[name].write(batch[column].to_numpy(zero_copy_only=False).astype(dtype).tobytes())
            rows = zip(*(batch[column].to_pylist() for column in _RECORD), strict=True)
            lines = [encode((*row[:3], None if row[3] == NO_YEAR else row[3], *row[4:])) + b"\n" for row in rows]
            ends = size + np.cumsum([len(line) for line in lines], dtype=np.int64)
            offsets.write(ends.astype("<i8").tobytes())
            size = int(ends[-1])
            records.write(b"".join(lines))
            people.write_batch(_for_people(batch))
            recent += int(pc.sum(batch["recent"]).as_py())
    merged.unlink()
    return {"kept": n, "recent": recent, "duplicate of an earlier line": total - n}


def _for_people(batch: Any) -> Any:
    date, year = batch["date"], batch["year"]
    columns = {name: batch[name] for name in batch.schema.names}
    columns["publicationdate"] = pc.if_else(pc.equal(date, NO_DATE), None, date).cast(pa.date32())
    columns["year"] = pc.if_else(pc.equal(year, NO_YEAR), None, year)
    return pa.RecordBatch.from_arrays([columns[field.name] for field in PAPERS], schema=PAPERS)
