"""One shard in, one part out: the rules by which lines become papers and citations, and what each rule drops.

Every line ends in exactly one place: kept, or dropped under the first rule that applies, so that the counts
of a shard add up to its lines. A part is a Parquet file in the order of the shard.
"""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from graphniah_inspect.errors import UserError
from graphniah_inspect.snapshots.paper_rules import Rules, numeric_id, paper_row
from graphniah_inspect.snapshots.shards import CitationLine, LineDecoder, NumericCitation, PaperLine, read_chunks

PAPER_PART = pa.schema(
    [
        ("corpusid", pa.int64()),
        ("title", pa.string()),
        ("authors", pa.list_(pa.string())),
        ("author_count", pa.int32()),
        ("year", pa.int16()),
        ("date", pa.int32()),
        ("recent", pa.bool_()),
        ("venue", pa.string()),
        ("volume", pa.string()),
        ("pages", pa.string()),
        ("doi", pa.string()),
        ("arxiv", pa.string()),
        ("ordinal", pa.int64()),
    ]
)
CITATION_PART = pa.schema([("citing", pa.int32()), ("cited", pa.int32())])

Progress = Callable[[int], None]
_ROWS = 20_000


def paper_part(shard: Path, number: int, rules: Rules, part: Path, progress: Progress) -> dict[str, int]:
    """Write the papers of a shard that the rules keep.

    Args:
        shard: The bulk file.
        number: Its place among the shards; with the line it orders papers, the first of equal ids being kept.
        rules: What to keep.
        part: The Parquet file to write, with schema ``PAPER_PART``.
        progress: Told the bytes of the shard read so far.

    Returns:
        How many lines there were, how many each rule dropped, and how many were changed.

    Raises:
        UserError: A line is malformed (unless they are skipped), or the file is cut off.
    """
    counts: Counter[str] = Counter()
    decoder = LineDecoder(PaperLine)
    line = 0
    rows: list[tuple[Any, ...]] = []
    with pq.ParquetWriter(part, PAPER_PART, compression="zstd") as writer:
        for chunk, done in read_chunks(shard):
            lines, malformed = decoder.decode(chunk)
            _refuse(shard, line, malformed, rules, counts)
            for index, row in enumerate(lines):
                if row is not None:
                    counts["lines"] += 1
                    kept = paper_row(row, rules, counts)
                    if kept is not None:
                        rows.append((*kept, (number << 40) + line + index))
            line += len(lines)
            if len(rows) >= _ROWS:
                writer.write_table(paper_table(rows))
                rows = []
            progress(done)
        writer.write_table(paper_table(rows))
    return dict(counts)


def citation_part(shard: Path, rules: Rules, ids: NDArray[np.int64], part: Path, progress: Progress) -> dict[str, int]:
    """Write the citations of a shard whose two ends are kept papers, as places in ``ids``.

    Args:
        shard: The bulk file.
        rules: Only ``skip_malformed`` matters here.
        ids: Corpus ids of the kept papers, ascending.
        part: The Parquet file to write, with schema ``CITATION_PART``.
        progress: Told the bytes of the shard read so far.

    Returns:
        How many lines there were and how many each rule dropped.

    Raises:
        UserError: A line is malformed (unless they are skipped), or the file is cut off.
    """
    counts: Counter[str] = Counter()
    decoder = LineDecoder(CitationLine, fast=NumericCitation)
    line = 0
    with pq.ParquetWriter(part, CITATION_PART, compression="zstd") as writer:
        for chunk, done in read_chunks(shard):
            lines, malformed = decoder.decode(chunk)
            _refuse(shard, line, malformed, rules, counts)
            line += len(lines)
            rows = [row for row in lines if row is not None]
            counts["lines"] += len(rows)
            citing = _ids([row.citingcorpusid for row in rows])
            cited = _ids([row.citedcorpusid for row in rows])
            for rule, dropped in (
                ("no citing id", lambda a, b: a < 0),
                ("no cited id", lambda a, b: b < 0),
                ("self-citation", np.equal),
            ):
                out = dropped(citing, cited)
                counts[rule] += int(out.sum())
                citing, cited = citing[~out], cited[~out]
            inside = len(citing)
            citing, known = _places(ids, citing)
            citing, cited = citing[known], cited[known]
            cited, known = _places(ids, cited)
            citing, cited = citing[known], cited[known]
            counts["an end not among the kept papers"] += inside - len(citing)
            if len(citing):
                columns = [pa.array(side.astype(np.int32)) for side in (citing, cited)]
                writer.write_table(pa.Table.from_arrays(columns, schema=CITATION_PART))
            progress(done)
    return dict(counts)


def _refuse(shard: Path, line: int, malformed: list[tuple[int, str]], rules: Rules, counts: Counter[str]) -> None:
    if malformed and not rules.skip_malformed:
        index, reason = malformed[0]
        raise UserError(
            f"{shard}, line {line + index + 1}: malformed ({reason}). Download this shard again, "
            "mend the line, or count such lines instead of stopping with --skip-malformed."
        )
    counts["lines"] += len(malformed)
    counts["malformed"] += len(malformed)


def _ids(values: list[int | str | None]) -> NDArray[np.int64]:
    try:
        numbers = pa.array(values, pa.int64())
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        numbers = pa.array([numeric_id(value) for value in values], pa.int64())
    filled: NDArray[np.int64] = numbers.fill_null(-1).to_numpy(zero_copy_only=False)
    return filled


def _places(ids: NDArray[np.int64], wanted: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    places = np.searchsorted(ids, wanted)
    places[places == len(ids)] = 0
    return places, ids[places] == wanted


def paper_table(rows: list[tuple[Any, ...]]) -> pa.Table:
    """Rows of papers, with their ordinals, as an Arrow table."""
    columns = list(zip(*rows, strict=True)) or [()] * len(PAPER_PART)
    return pa.Table.from_arrays(
        [pa.array(column, field.type) for column, field in zip(columns, PAPER_PART, strict=True)],
        schema=PAPER_PART,
    )
