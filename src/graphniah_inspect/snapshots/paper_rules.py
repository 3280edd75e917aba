"""The rules by which a line of the bulk papers is kept, changed or dropped.

A line is dropped under the first rule that applies: no corpus id, no date (or none that is a day), before the
cutoff, no title (or none with a word in it). Text is cleaned of markup, entities and line breaks.
"""

import datetime as dt
from collections import Counter
from dataclasses import dataclass
from typing import Any

from graphniah_inspect.citations.paper import clean_field, clean_title, title_key
from graphniah_inspect.snapshots.shards import ExternalIds, Journal, PaperLine
from graphniah_inspect.snapshots.snapshot import NO_DATE, NO_YEAR

SHOWN_AUTHORS = 20
"""APA lists up to twenty authors; of more, the first nineteen and the last. Then the first twenty and the
last are kept, one more than can be shown, so that the cut shows from the names alone."""

_EPOCH = dt.date(1970, 1, 1).toordinal()
_MAX_ID = 2**63 - 1


@dataclass(frozen=True)
class Rules:
    """The settings that decide which lines are kept.

    Attributes:
        cutoff: Papers published on or after this day are recent, the candidates for a backbone.
        date_field: ``publicationdate``; or ``year``, where a paper counts as published on January 1.
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


def paper_row(row: PaperLine, rules: Rules, counts: Counter[str]) -> tuple[Any, ...] | None:
    """A paper's columns, in the order of ``PAPER_PART`` up to its ordinal; None where a rule drops it.

    ``counts`` is told which rule that was, and what was changed.
    """
    corpus_id = numeric_id(row.corpusid)
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


def numeric_id(value: int | str | None) -> int:
    """The id as an integer, or -1 when it is none."""
    if isinstance(value, str):
        value = int(value) if value.strip().isdecimal() else -1
    return value if value is not None and 0 <= value <= _MAX_ID else -1


def _year(value: int | str | None) -> int:
    year = numeric_id(value)
    return year if 1 <= year <= 9999 else NO_YEAR


def _day(value: str | None) -> dt.date | None:
    # exports through pandas and Spark write a time after the day
    if value is None or (len(value) > 10 and value[10] not in "T "):
        return None
    try:
        # fromisoformat reads more than YYYY-MM-DD, weeks among it
        return dt.date.fromisoformat(value[:10]) if value[4:5] == value[7:8] == "-" else None
    except ValueError:
        return None
