"""References in the manner of APA 7, from Semantic Scholar metadata.

Where it departs from APA: titles stand between quotation marks, so that a reader of the text, the oracle
included, can tell where they end ("Title. Venue." is ambiguous otherwise).
"""

import re
import string
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from graphniah_inspect.citations.paper import Paper, clean_field, marked_title

LISTED_AUTHORS = 20
"""APA 7 lists up to so many authors; longer lists show the first 19, an ellipsis and the last."""

# fmt: off
_PARTICLES = frozenset({
    "van", "von", "der", "den", "de", "del", "della", "dela", "di", "da", "do", "dos", "das", "du", "des",
    "la", "le", "las", "los", "ter", "ten", "te", "zu", "zum", "zur", "af", "av", "bin", "ibn", "al",
    "el",
})
# fmt: on
# With a capital these are given names more often than particles ("Sung Do Kim").
_NOT_WITH_CAPITAL = frozenset({"Do", "Te", "Ten", "Zu", "Av", "Af"})
_CONJUNCTIONS = frozenset({"y", "e", "i"})
_SUFFIXES = {"jr": "Jr.", "sr": "Sr.", "ii": "II", "iii": "III", "iv": "IV"}
ET_AL = "et al."
_ET_AL = re.compile(r"[\s,;]*\bet\.?\s*al\b\.?\s*$", re.IGNORECASE)
_HYPHENS = re.compile(r"\s*[-‐‑–]\s*")
_RESOLVER = re.compile(r"^(?:https?://(?:dx\.)?doi\.org/|doi:)\s*", re.IGNORECASE)
_ARXIV_VENUE = re.compile(r"(?:arxiv|corr)\b", re.IGNORECASE)
_PAGE_RANGE = re.compile(r"(?<=\w)\s*[-‐‑–—]+\s*(?=\w)")
_SENTENCE_END = (".", "?", "!", "…")


def _initials(given: str) -> str:
    """Initials of given names; hyphens stay: "Marie-Jeanne Q." -> "M.-J. Q."."""
    names: list[str] = []
    for name in _HYPHENS.sub("-", given.replace(".", ". ")).split():
        parts = []
        for part in name.strip("-").split("-"):
            letter = next((c for c in part if c.isalpha() and unicodedata.category(c) != "Lm"), "")
            if letter:
                parts.append(letter.upper() + ".")
        if parts:
            hyphen = "-" if name.startswith("-") and names else ""
            if hyphen:
                names[-1] += hyphen + "-".join(parts)
            else:
                names.append("-".join(parts))
    return " ".join(names)


def _family_start(words: list[str]) -> int:
    """Index where the family name begins in "First M. van der Last"; the first is given or a particle."""
    if words[0].islower() and words[0] in _PARTICLES:
        return 0
    start = len(words) - 1
    while start > 1:
        word = words[start - 1]
        if word in _CONJUNCTIONS and start > 2:
            start -= 2
        elif word.casefold() in _PARTICLES and word not in _NOT_WITH_CAPITAL:
            start -= 1
        else:
            break
    return start


@lru_cache(maxsize=1 << 16)
def author_name(name: str) -> str:
    """One author as APA lists them: "Maria J. van der Berg Jr." -> "van der Berg, M. J., Jr.".

    A single word stays as it is. Names given as "Last, First" are taken at their word.
    """
    name = unicodedata.normalize("NFC", clean_field(name)).strip(" ,;")
    head, _, last = name.replace(",", " ").rpartition(" ")
    suffix = _SUFFIXES.get(last.rstrip(".").casefold(), "") if head.strip() else ""
    if suffix:
        name = name[: len(name) - len(last)].strip(" ,")
        suffix = ", " + suffix
    if "," in name:
        family, _, given = (part.strip() for part in name.partition(","))
    else:
        words = name.split()
        start = _family_start(words) if len(words) > 1 else 0
        family, given = " ".join(words[start:]), " ".join(words[:start])
    if given and given.upper() == given.lower():
        return name + suffix  # A script without capitals has no initials to speak of.
    initials = _initials(given)
    return (f"{family}, {initials}" if initials else family) + suffix


def author_names(paper: Paper) -> tuple[str, ...]:
    """Authors in APA form, empty names left out; "et al.", where the metadata says so, comes last and once.

    Of lists that are too long to be shown whole, only what `author_list` shows is sure to be there.
    """
    return _author_names(paper.authors)


@lru_cache(maxsize=1 << 14)  # A paper is named in its block, in references, and once more whenever a list is sorted.
def _author_names(authors: tuple[str, ...]) -> tuple[str, ...]:
    names: list[str] = []
    others = False
    # Some papers have thousands of authors: as many as a reference shows, some more, and the last are enough.
    for name in (*authors[: LISTED_AUTHORS + 9], *authors[LISTED_AUTHORS + 9 :][-2:]):
        named = _ET_AL.sub("", name)
        others |= named != name
        if formatted := author_name(named):
            names.append(formatted)
    return (*names, ET_AL) if others else tuple(names)


def author_list(names: Sequence[str]) -> str:
    """The author element of a reference, empty when there is none.

    >>> author_list(["Curie, M.-J.", "Plato", "Bohr, N."])
    'Curie, M.-J., Plato, & Bohr, N.'
    """
    if len(names) > LISTED_AUTHORS:
        named = [name for name in names if name != ET_AL]
        if len(named) > LISTED_AUTHORS:
            return f"{', '.join(named[: LISTED_AUTHORS - 1])}, . . . {named[-1]}"
    if len(names) < 2:
        return "".join(names)
    if names[-1] == ET_AL:
        return ", ".join(names)
    return f"{', '.join(names[:-1])}, & {names[-1]}"


@lru_cache(maxsize=1 << 12)  # Shown in the paper's own block and wherever it is listed, soon after each other.
def publication(paper: Paper) -> str:
    """Venue, volume, pages and DOI, as far as known: "Nature, 5, 1–9. https://doi.org/10.1/x", or empty."""
    venue = clean_field(paper.venue)
    if _ARXIV_VENUE.match(venue) or (not venue and clean_field(paper.arxiv)):
        source = "arXiv"  # The volume that Semantic Scholar gives here is an identifier ("abs/2601.00001").
    elif venue:
        pages = _PAGE_RANGE.sub("–", clean_field(paper.pages)) if paper.pages else ""
        source = ", ".join(part for part in (venue, clean_field(paper.volume), pages) if part)
    else:
        source = ""
    doi = _RESOLVER.sub("", clean_field(paper.doi))
    return " ".join(part for part in (_sentence(source), f"https://doi.org/{doi}" if doi else "") if part)


def year_text(paper: Paper) -> str:
    """The year, or "n.d." where it is unknown."""
    return str(paper.year) if paper.year else "n.d."


def _sentence(text: str) -> str:
    return text if not text or text.endswith(_SENTENCE_END) else text + "."


def reference(paper: Paper) -> str:
    """The whole reference on one line, the title between its marks.

    Raises:
        ValueError: If the title is not clean, because such a text could not be read back.
    """
    title = marked_title(paper.title) + ("" if paper.title.endswith(_SENTENCE_END) else ".")
    authors, year, source = author_list(author_names(paper)), f"({year_text(paper)}).", publication(paper)
    parts = (_sentence(authors), year, title, source) if authors else (title, year, source)
    return " ".join(part for part in parts if part)


def reference_order(paper: Paper) -> tuple[list[str], int, str, str]:
    """Sort key of a reference list: authors (title where there are none), year (n.d. first), title."""
    folded = _sortable(paper.title)
    names = [_sortable(name) for name in author_names(paper)]
    return names or [folded], paper.year or 0, folded, paper.title


_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


def _sortable(text: str) -> str:
    """Letters only count in alphabetical order: no accents, no case, no punctuation."""
    if text.isascii():
        return text.translate(_NO_PUNCTUATION).lower()
    bare = "".join(c for c in unicodedata.normalize("NFKD", text) if unicodedata.category(c)[0] in "LNZ")
    return bare.casefold()
