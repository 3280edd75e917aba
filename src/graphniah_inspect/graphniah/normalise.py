"""Bring a piece of a response to the form in which answers are compared, and read it strictly.

A *piece* is the content of a block, a line, or a whole response. The card of the dataset compares answers
"after light normalization of both sides (for example, whitespace, Markdown or LaTeX emphasis, trailing
punctuation, and letter case)"; this module says exactly which. Every reader takes any string whatever and gives
the canonical answer or ``None``.
"""

import re
import unicodedata
from collections.abc import Sequence

MAX_PIECE = 1000
"""Longest piece, in characters, that is read at all: nothing longer is an answer, and time stays linear."""

_WRAPPERS = (
    ("$", "$"),
    (r"\(", r"\)"),
    (r"\[", r"\]"),
    ("**", "**"),
    ("*", "*"),
    ("__", "__"),
    ("_", "_"),
    ("`", "`"),
    ('"', '"'),
    ("'", "'"),
    ("“", "”"),
    ("‘", "’"),
    ("{", "}"),
)
LATEX_WRAPPERS = (
    r"text|textbf|textit|textrm|textsf|texttt|textnormal|emph|underline|mathbf|mathrm|mathit|mathsf|mathtt"
    r"|bm|boldsymbol|boxed|fbox|mbox|operatorname"
)
_COMMAND = re.compile(rf"\\(?:{LATEX_WRAPPERS}) ?\{{(.*)\}}", re.DOTALL)
_ZERO_WIDTH = re.compile("[\u00ad\u034f\u180e\u200b-\u200f\u2060-\u2064\ufe00-\ufe0f\ufeff]")
_TRAILING = ".,;:!?"

_INTEGER = re.compile(r"[+-]?(?:[0-9]+|[1-9][0-9]{0,2}(?:,[0-9]{3})+)")
_MAX_DIGITS = 18
_LETTER = re.compile(r"(?:(?:option|choice)(?: |(?=\()))?(?:([a-z])|\( ?([a-z]) ?\))")


def normalise(piece: str) -> str:
    """Take the wrapping off a piece; normalising twice changes nothing. Letter case is left to the readers.

    Until nothing changes: Unicode NFKC; zero-width characters out; white space collapsed and trimmed; one pair
    of surrounding math, emphasis, code, quote or brace marks off; a surrounding LaTeX command replaced by its
    argument; trailing punctuation off.
    """
    text, before = piece, None
    while text != before:
        before = text
        text = " ".join(_ZERO_WIDTH.sub("", unicodedata.normalize("NFKC", text)).split())
    # A substring of normalised text is normalised, so only the wrapping is left to repeat.
    before = None
    while text != before:
        before = text
        text = _unwrap(text).strip().rstrip(_TRAILING).rstrip()
    return text


def _unwrap(text: str) -> str:
    """Take one pair of surrounding marks, or one surrounding command, off."""
    for left, right in _WRAPPERS:
        if len(text) >= len(left) + len(right) and text.startswith(left) and text.endswith(right):
            return text[len(left) : len(text) - len(right)]
    command = _COMMAND.fullmatch(text) if text.startswith("\\") else None
    return command[1] if command else text


def folded(piece: str) -> str:
    """Return the normalised piece in the letter case of comparison; empty when it is too long to be an answer."""
    return normalise(piece).casefold() if len(piece) <= MAX_PIECE else ""


def has_odd_digit(piece: str) -> bool:
    """Tell whether a piece holds a digit-like character that is no ASCII digit: superscript, circled, ..."""
    return not piece.isascii() and any(
        char.isnumeric() or any(part.isnumeric() for part in unicodedata.normalize("NFKC", char))
        for char in piece
        if not char.isascii()
    )


def read_label(piece: str) -> str | None:
    """Read a piece that is exactly a yes or a no, as ``YES`` or ``NO``."""
    text = folded(piece)
    return text.upper() if text in {"yes", "no"} else None


def read_integer(piece: str) -> str | None:
    """Read a piece that is exactly an integer, as its shortest decimal form (``1,234`` as ``1234``).

    Digits in groups must be well-formed groups of three: ``0,169`` is a fraction in half of the world.
    """
    text = folded(piece)
    if not _INTEGER.fullmatch(text) or has_odd_digit(piece):
        return None
    digits = text.replace(",", "")
    return str(int(digits)) if len(digits.lstrip("+-")) <= _MAX_DIGITS else None


def read_letter(piece: str, labels: Sequence[str]) -> str | None:
    """Read a piece that is exactly one option's letter: ``C``, ``(C)``, ``Option C``, ``choice (c)``."""
    match = _LETTER.fullmatch(folded(piece))
    letter = (match[1] or match[2]).upper() if match else ""
    return letter if letter in labels else None
