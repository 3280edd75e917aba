"""Write an invented world: as a snapshot, or as bulk shards such as Semantic Scholar offers."""

import datetime as dt
import gzip
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
from tqdm import tqdm

from graphniah_inspect.errors import UserError
from graphniah_inspect.invented.synthetic import World
from graphniah_inspect.snapshots.ingest import Machine, assemble
from graphniah_inspect.snapshots.paper_rules import Rules, paper_row
from graphniah_inspect.snapshots.parts import CITATION_PART, PAPER_PART, paper_table
from graphniah_inspect.snapshots.shards import CitationLine, PaperLine
from graphniah_inspect.written import written


def invent_snapshot(
    n: int, out: Path, *, cutoff: dt.date, machine: Machine | None = None, seed: int = 1
) -> dict[str, Any]:
    """Make a snapshot of ``n`` invented papers; a quarter is older than the cutoff and kept, but not recent.

    Args:
        n: Number of papers.
        out: The snapshot folder.
        cutoff: From which day papers are recent.
        machine: Memory and threads.
        seed: Of the world; the same seed gives the same bytes.

    Returns:
        The manifest.

    Raises:
        UserError: ``n`` is not positive, or ``out`` holds something else.
    """
    if n < 1:
        raise UserError(f"--synthetic {n}: give the number of papers to invent, at least 1.")
    rules = Rules(cutoff, keep_older=True)
    world = World(n, seed, cutoff)

    def paper_parts(work: Path) -> dict[str, int]:
        counts: Counter[str] = Counter()
        with (
            tqdm(total=n, unit=" papers", desc="Inventing papers", disable=None) as bar,
            written(work / "papers-00000.parquet") as file,
            pq.ParquetWriter(file, PAPER_PART, compression="zstd") as writer,
        ):
            for block in world.papers():
                rows = [row for line in block if (row := paper_row(line, rules, counts)) is not None]
                first = counts["lines"]
                writer.write_table(paper_table([(*row, first + i) for i, row in enumerate(rows)]))
                counts["lines"] += len(block)
                bar.update(len(block))
        return dict(counts)

    def citation_parts(work: Path) -> dict[str, int]:
        counts: Counter[str] = Counter()
        with (
            written(work / "citations-00000.parquet") as file,
            pq.ParquetWriter(file, CITATION_PART, compression="zstd") as writer,
        ):
            for citing, cited in world.citations():
                # every invented paper is kept, so a paper's number is its place among the corpus ids
                columns = [pa.array(side, pa.int32()) for side in (citing, cited)]
                writer.write_table(pa.Table.from_arrays(columns, schema=CITATION_PART))
                counts["lines"] += len(citing)
        return dict(counts)

    options = {**rules.options(), "synthetic": n, "seed": seed}
    settings = {"options": options, "release": "invented", "sources": {}}
    return assemble(out, settings, paper_parts, citation_parts, machine=machine or Machine())


def invent_shards(n: int, folder: Path, *, cutoff: dt.date, shards: int = 4, seed: int = 1) -> None:
    """Write an invented world as ``papers/*.jsonl.gz`` and ``citations/*.jsonl.gz``, to try the real ingest.

    Args:
        n: Number of papers.
        folder: Where both folders go.
        cutoff: As for ``invent_snapshot``.
        shards: Files a data set, filled in turn.
        seed: Of the world.
    """
    world = World(n, seed, cutoff)
    encoder = msgspec.json.Encoder()
    datasets: dict[str, Iterable[Sequence[PaperLine | CitationLine]]] = {
        "papers": world.papers(),
        "citations": world.citation_lines(),
    }
    for dataset, blocks in datasets.items():
        (folder / dataset).mkdir(parents=True, exist_ok=True)
        with ExitStack() as stack:
            files = [
                stack.enter_context(gzip.open(folder / dataset / f"{dataset}-{i:03d}.jsonl.gz", "wb", 3))
                for i in range(shards)
            ]
            for number, block in enumerate(blocks):
                files[number % shards].write(encoder.encode_lines(block))
