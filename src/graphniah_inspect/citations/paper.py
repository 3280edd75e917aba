"""A paper as prompts show it, and what makes two titles the same.

Titles identify papers inside a prompt, so they are cleaned once, at ingestion (`clean_title`), and two papers
of one example may never share a `title_key`.
"""

import html
import re
import unicodedata
from dataclasses import dataclass

TITLE_OPEN = "“"
"""Marks where a title begins in a prompt; no clean title contains it."""

TITLE_CLOSE = "”"
"""Marks where a title ends in a prompt; no clean title contains it."""

# Markup met in Semantic Scholar titles: HTML, JATS, MathML. All else between < and > is text ("a < b").
_INLINE = r"i|b|u|em|strong|sub|sup|inf|scp|sc|tt|span|font|small|big|italic|bold|underline|title|a|code"
_MATH = r"(?:mml|jats|m):[\w-]+|math|m(?:i|o|n|row|sub|sup|subsup|text|frac|over|under|space|style|sqrt|fenced)"
_BREAK = r"br|p|div|li|ul|ol|inline-formula|tex-math|alternatives"
_TAG = re.compile(rf"</?(?:{_INLINE}|{_MATH})(?:\s[^<>]*)?/?>", re.IGNORECASE)
_BREAKING_TAG = re.compile(rf"</?(?:{_BREAK})(?:\s[^<>]*)?/?>|<!\[CDATA\[|\]\]>", re.IGNORECASE)
# Controls, surrogates that no encoder accepts, marks of byte order and direction: nothing to be read.
_UNPRINTABLE = re.compile(
    r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ud800-\udfff\ufffe\uffff]"
)
# C1 controls in a title are a sure sign of text decoded wrongly: UTF-8 or Windows-1252 read as Latin-1.
_C1 = re.compile(r"[\x80-\x84\x86-\x9f]")
_MOJIBAKE = re.compile(r"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
_QUOTES = str.maketrans({TITLE_OPEN: '"', TITLE_CLOSE: '"'})
_MISSING = frozenset({"none", "null", "nan", "n/a"})


@dataclass(frozen=True, slots=True)
class Paper:
    """One paper of the citation graph.

    Attributes:
        corpus_id: Semantic Scholar's integer id.
        title: Clean title (see `clean_title`), the paper's identity inside a prompt.
        authors: Names as Semantic Scholar writes them ("First M. Last"), in order.
        year: Year of publication, None where unknown.
        venue: Journal, conference or publisher; empty where unknown, as are the fields below.
        volume: Volume of the journal.
        pages: Page range.
        doi: DOI, with or without a resolver in front.
        arxiv: arXiv identifier.
    """

    corpus_id: int
    title: str
    authors: tuple[str, ...]
    year: int | None
    venue: str = ""
    volume: str = ""
    pages: str = ""
    doi: str = ""
    arxiv: str = ""


def _may_be_untidy(text: str) -> bool:
    """False for most texts, and then there is nothing to clean: ten times faster than to try."""
    return (
        not text.isprintable()
        or "&" in text
        or "<" in text
        or "]]>" in text
        or TITLE_OPEN in text
        or TITLE_CLOSE in text
        or "  " in text
        or text != text.strip(" ")
    )


def _as_utf_8(match: re.Match[str]) -> str:
    try:
        return match[0].encode("latin-1").decode("utf-8")
    except UnicodeDecodeError:
        return match[0]


def _as_windows_1252(match: re.Match[str]) -> str:
    return match[0].encode("latin-1").decode("windows-1252", errors="ignore")


def clean_field(text: str) -> str:
    r"""One line of text: no entities, markup, runs of white space or title marks (made plain quotes).

    Text decoded with the wrong code page is put right where that is certain. A field that only says "None",
    "null", "NaN" or "N/A" is missing and comes back empty. Idempotent.

    >>> clean_field("H<sub>2</sub>O &amp;amp; “ice”\n")
    'H2O & "ice"'
    """
    if not _may_be_untidy(text):
        return "" if text.casefold() in _MISSING else text
    while True:
        cleaned = text
        if _C1.search(cleaned):
            cleaned = _C1.sub(_as_windows_1252, _MOJIBAKE.sub(_as_utf_8, cleaned))
        if "&" in cleaned:
            cleaned = html.unescape(cleaned)
        if "<" in cleaned or "]]>" in cleaned:
            cleaned = _BREAKING_TAG.sub(" ", _TAG.sub("", cleaned))
        cleaned = " ".join(_UNPRINTABLE.sub("", cleaned).translate(_QUOTES).split())
        if cleaned == text:
            return "" if cleaned.casefold() in _MISSING else cleaned
        text = cleaned


def clean_title(title: str) -> str:
    """A title as prompts may carry it: `clean_field`, done once at ingestion; empty when nothing is left."""
    return clean_field(title)


class _WordMarks(dict[int, str]):
    """Translation table, filled on demand: letters, numbers, marks and symbols stay, all else parts words."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        kept = character if unicodedata.category(character)[0] in "LNMS" else " "
        self[code] = kept
        return kept


_WORD_MARKS = _WordMarks()


def title_key(title: str) -> str:
    """What two titles share when they count as the same: NFKC, case-folded words parted by single spaces.

    Punctuation and white space only part words. An empty key means that the title holds no word: it cannot
    identify a paper.

    >>> title_key("Ｄeep  Learning: A Re-view.") == title_key("deep learning a re view")
    True
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", title).casefold())
    return " ".join(folded.translate(_WORD_MARKS).split())


_UNCLEAN = re.compile(rf"[{TITLE_OPEN}{TITLE_CLOSE}\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")


def marked_title(title: str) -> str:
    """The title between its marks, as it stands in a prompt.

    Raises:
        ValueError: If it is empty or holds a mark or a line break.
    """
    if not title.strip() or _UNCLEAN.search(title):
        raise ValueError(f"title {title!r} cannot be marked in a prompt: clean it with clean_title first")
    return f"{TITLE_OPEN}{title}{TITLE_CLOSE}"
