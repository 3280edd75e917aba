"""One shard in, one part out: the rules by which lines become papers and citations, counting what each rule drops.

Every line ends in exactly one place: kept, or dropped under the first rule that applies, so that the counts of a shard
add up to its lines. A part is a Parquet file in the order of the shard.
"""

import datetime as dt
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from graphniah_inspect.build.shards import (
    CitationLine,
    ExternalIds,
    Journal,
    LineDecoder,
    NumericCitation,
    PaperLine,
    read_chunks,
)
from graphniah_inspect.build.snapshot import NO_DATE, NO_YEAR
from graphniah_inspect.citations.paper import clean_field, clean_title, title_key
from graphniah_inspect.errors import UserError

SHOWN_AUTHORS = 20
"""APA lists up to twenty authors; of more, the first nineteen and the last. One more is kept, so that it still shows."""

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
_EPOCH = dt.date(1970, 1, 1).toordinal()
_MAX_ID = 2**63 - 1
_ROWS = 50_000


@dataclass(frozen=True)
class Rules:
    """The settings that decide which lines are kept.

    Attributes:
        cutoff: Papers published on or after this day are recent, the candidates for a backbone.
        date_field: ``publicationdate``; or ``year``, where a paper counts as published on January 1 of its year.
        keep_older: Keep older and undated papers too, marked as not recent.
        skip_malformed: Count malformed lines instead of stopping at the first.
    """

    cutoff: dt.date
    date_field: str = "publicationdate"
    keep_older: bool = False
    skip_malformed: bool = False

    def options(self) -> dict[str, Any]:
        """The settings that shape a snapshot, and so belong to its identity."""
        return {
            "cutoff": self.cutoff.isoformat(),
            "date_field": self.date_field,
            "keep_older": self.keep_older,
        }


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
                writer.writepaper_table(paper_table(rows))
                rows = []
            progress(done)
        writer.writepaper_table(paper_table(rows))
    return dict(counts)


def citation_part(
    shard: Path, rules: Rules, ids: NDArray[np.int64], part: Path, progress: Progress
) -> dict[str, int]:
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
            keep = np.ones(len(rows), bool)
            for rule, dropped in (
                ("no citing id", citing < 0),
                ("no cited id", cited < 0),
                ("self-citation", citing == cited),
            ):
                counts[rule] += int((keep & dropped).sum())
                keep &= ~dropped
            left, left_known = _places(ids, citing)
            right, right_known = _places(ids, cited)
            unknown = keep & ~(left_known & right_known)
            counts["an end not among the kept papers"] += int(unknown.sum())
            keep &= ~unknown
            if keep.any():
                columns = [pa.array(side[keep].astype(np.int32)) for side in (left, right)]
                writer.writepaper_table(pa.Table.from_arrays(columns, schema=CITATION_PART))
            progress(done)
    return dict(counts)


def _refuse(
    shard: Path, line: int, malformed: list[tuple[int, str]], rules: Rules, counts: Counter[str]
) -> None:
    if malformed and not rules.skip_malformed:
        index, reason = malformed[0]
        raise UserError(
            f"{shard}, line {line + index + 1}: malformed ({reason}). Download this shard again, mend the line, "
            "or count such lines instead of stopping with --skip-malformed."
        )
    counts["lines"] += len(malformed)
    counts["malformed"] += len(malformed)


def paper_row(row: PaperLine, rules: Rules, counts: Counter[str]) -> tuple[Any, ...] | None:
    """A paper as ``PAPER_PART`` has it but for its ordinal, or None where a rule drops it; ``counts`` says which."""
    corpus_id = _id(row.corpusid)
    if corpus_id < 0:
        counts["no corpus id"] += 1
        return None
    year = _year(row.year)
    if year == NO_YEAR and row.year is not None:
        counts["note: unreadable year, taken as none"] += 1
    if rules.date_field == "year":
        day = dt.date(year, 1, 1) if year != NO_YEAR else None
    else:
        day = _day(row.publicationdate)
    if not rules.keep_older and (day is None or day < rules.cutoff):
        counts[f"no {rules.date_field}" if day is None else "before the cutoff"] += 1
        return None
    if year == NO_YEAR and day is not None:
        year = day.year
        counts["note: year taken from the publication date"] += 1
    title = clean_title(row.title or "")
    if not title_key(title):
        counts["no title"] += 1
        return None
    if title != row.title:
        counts["note: title cleaned"] += 1
    names = [name for author in row.authors or () if author and (name := clean_field(author.name or ""))]
    shown = names
    if len(names) > SHOWN_AUTHORS:
        counts[f"note: over {SHOWN_AUTHORS} authors, cut as APA does"] += 1
        shown = [*names[:SHOWN_AUTHORS], names[-1]]
    journal = row.journal or Journal()
    external = row.externalids or ExternalIds()
    return (
        corpus_id,
        title,
        shown,
        len(names),
        year,
        NO_DATE if day is None else day.toordinal() - _EPOCH,
        day is not None and day >= rules.cutoff,
        _text(journal.name) or _text(row.venue),
        _text(journal.volume),
        _text(journal.pages),
        _text(external.DOI),
        _text(external.ArXiv),
    )


def _text(value: str | int | float | None) -> str:
    return "" if value is None else clean_field(str(value))


def _id(value: int | str | None) -> int:
    """The id as an integer, or -1 when it is none."""
    if isinstance(value, str):
        value = int(value) if value.strip().isdecimal() else -1
    return value if value is not None and 0 <= value <= _MAX_ID else -1


def _ids(values: list[int | str | None]) -> NDArray[np.int64]:
    try:
        numbers = pa.array(values, pa.int64())
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        numbers = pa.array([_id(value) for value in values], pa.int64())
    filled: NDArray[np.int64] = numbers.fill_null(-1).to_numpy(zero_copy_only=False)
    return filled


def _places(ids: NDArray[np.int64], wanted: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    places = np.searchsorted(ids, wanted)
    places[places == len(ids)] = 0
    return places, ids[places] == wanted


def _year(value: int | str | None) -> int:
    year = _id(value)
    return year if 1 <= year <= 9999 else NO_YEAR


def _day(value: str | None) -> dt.date | None:
    # exports through pandas and Spark write a time after the day
    if value is None or (len(value) > 10 and value[10] not in "T "):
        return None
    try:
        return dt.datetime.strptime(value[:10], "%Y-%m-%d").date() if value[4:5] == "-" else None
    except ValueError:
        return None


def paper_table(rows: list[tuple[Any, ...]]) -> pa.Table:
    """Rows of papers, with their ordinals, as an Arrow table."""
    columns = list(zip(*rows, strict=True)) or [()] * len(PAPER_PART)
    return pa.Table.from_arrays(
        [pa.array(column, field.type) for column, field in zip(columns, PAPER_PART, strict=True)],
        schema=PAPER_PART,
    )
