r"""What a patient human grader would accept beyond the strict readings: an explanation, a count with words.

Still never a label, a number or a letter found inside prose: a label or letter stands first, and a count is the
only number in a piece that denies and compares nothing. In doubt a piece is unreadable.
"""

import re
from collections.abc import Collection, Sequence

from graphniah_inspect.graphniah.normalise import (
    LATEX_WRAPPERS,
    MAX_PIECE,
    folded,
    has_odd_digit,
    normalise,
    read_integer,
    read_label,
    read_letter,
)

# Possessive: there may be a thousand of these in a response, and none may be tried in more than one way.
_PLACEHOLDER = re.compile(
    rf"""(?:[\s<\[{{("“'`*_$]|\\(?:{LATEX_WRAPPERS}) ?\{{)*+"""
    r"""(?:\.{2,}+|…++|\\l?dots|your[ _]answer|label)[\s>\]})"”'`*_$.]*+""",
    re.IGNORECASE,
)
_ESCAPED_BLOCK = re.compile(r"\\answer(\s*)\\\{([^\\]*+(?:\\(?!answer|\})[^\\]*+)*+)\\\}")
_ESCAPED_OPENING = re.compile(r"\\answer(\s*)\\\{")
_LEAD = re.compile(
    r"[\s#>]*(?:(?:so|thus|therefore|hence),? )?(?:(?:the|my) )?(?:(?:final|correct) )?(?:answer|count)"
    r"(?: is\b ?:?| ?[:=])",
    re.IGNORECASE,
)
# Emphasis marks at the edge of a word; between two digits they may be a product.
_EMPHASIS = re.compile(r"(?<!\w)[*_`]+|[*_`]+(?!\w)")

# "No. 3" and "No. of" are numbers, "no-one" a word; a dash needs a space where it could be a hyphen.
_LABEL_FIRST = re.compile(
    r"(yes|no)(?:[,:]|\.(?!\S)(?! ?[0-9]| of\b)| ?[–—]| -+|-+(?!\S)|--+| (?:because|since|as)(?!\w))(?s:.*)"
)
_WORD = {"YES": re.compile(r"\bno\b"), "NO": re.compile(r"\byes\b")}

_NUMBER = re.compile(r"[+-]?[.,]?[0-9]+(?:[.,][0-9]+)*")
_ATTACHED = re.compile(r"[^\W0-9][0-9]|[0-9][^\W0-9]")
_WHOLE_DECIMAL = re.compile(r"\.00?\Z")  # "1.000" is a thousand in half of the world
_NOT_ONE_COUNT = re.compile(
    r"[%‰<>≤≥≦≧⩽⩾≲≳≪≫≠≮≯±^√]|&[lg][te]|~~|!=|[0-9] ?[+*/×]"
    r"|− ?[0-9]|[‒–—][0-9]|^[-‒–—] [0-9]|[\u0300-\u036f\u20d0-\u20ff]"  # other minus signs; struck out
    r"|\b(?:not|no|never|neither|nor|cannot|wrong|incorrect|false)\b|n['’]t\b"
    r"|\b(?:fewer|less|more|than|(?:at)?least|(?:at)?most|over|under|above|below|beyond|up to|exceed\w*)\b"
    r"|\b(?:min|max|minimum|maximum|all but|except)\b"
    r"|\b(?:greater|larger|higher|smaller|lower|between|almost|nearly|percent|per cent)\b"
    r"|\b(?:minus|plus|times|half|twice|double|dozen|hundred|thousand|million|billion|trillion)s?\b"
    r"|[0-9] (?:k|m|bn)\b"
)
_OTHER_COMMAND = re.compile(rf"\\(?!(?:{LATEX_WRAPPERS})(?![a-zA-Z]))[a-zA-Z]")

_LETTER_FIRST = re.compile(r"\(?(?:(?:option|choice) \(?)?([a-z])(?:[):]|\.(?=\W))(.*)", re.IGNORECASE | re.DOTALL)
_REJECTED = re.compile(
    r"\W*(?:(?:it )?(?:is|was) )?(?:not|no(?! other)|never|isn['’]t|unreachable|wrong|false|incorrect)\b", re.IGNORECASE
)
_ITEM = re.compile(r"[\s>*#(•·–-]*+(?:option |choice )?([a-z])[.):]", re.IGNORECASE)
_LIST_LINES = 50


def unescape_blocks(text: str) -> str:
    r"""Turn ``\answer\{..\}`` into the block it was meant to be; one left open stays open."""
    return _ESCAPED_OPENING.sub(r"\\answer\1{", _ESCAPED_BLOCK.sub(r"\\answer\1{\2}", text))


def is_placeholder(content: str) -> bool:
    """Tell whether a block's content only holds the place of an answer: ``...``, ``your answer``."""
    return len(content) <= MAX_PIECE and _PLACEHOLDER.fullmatch(content) is not None


def drop_lead(piece: str) -> str:
    """Take off a lead such as ``Answer:`` or ``The answer is``, and emphasis at the edges of words.

    A piece with a digit-like character stays as it is: normalised, it would show digits only.
    """
    if len(piece) > MAX_PIECE or has_odd_digit(piece):
        return piece
    plain = _EMPHASIS.sub("", normalise(piece))
    lead = _LEAD.match(plain)
    return plain[lead.end() :] if lead else plain


def read_label_first(piece: str) -> str | None:
    """Read a label alone, or one that is followed by an explanation in which the other label is no word."""
    if exact := read_label(piece):
        return exact
    text = normalise(_EMPHASIS.sub("", folded(piece)))
    match = _LABEL_FIRST.fullmatch(text)
    label = match[1].upper() if match else None
    return label if label and not _WORD[label].search(text) else None


def read_only_number(piece: str) -> str | None:
    """Read the only number of a piece that may carry words, as long as none denies, compares or computes."""
    if exact := read_integer(piece):
        return exact
    text = _EMPHASIS.sub("", folded(piece))
    numbers = _NUMBER.findall(text)
    if len(numbers) != 1 or has_odd_digit(piece):
        return None
    if _ATTACHED.search(text) or _NOT_ONE_COUNT.search(text) or _OTHER_COMMAND.search(normalise(piece)):
        return None
    return read_integer(_WHOLE_DECIMAL.sub("", numbers[0]))


def listed_before(whole: str, options: Sequence[str], labels: Sequence[str]) -> set[str]:
    """Return the options that lines before the last begin with, where the last line may go on with their list.

    So a list of the options, or of a verdict on each, is not taken for the choice of its last item.
    """
    texts = {folded(option): label for label, option in zip(labels, options, strict=True)}

    def begins_with(line: str) -> str | None:
        item = _ITEM.match(_EMPHASIS.sub("", normalise(line[:MAX_PIECE])))
        return item[1].upper() if item and item[1].upper() in labels else texts.get(folded(line))

    *before, last = whole.splitlines()[-_LIST_LINES:] or [""]
    return {letter for line in before if (letter := begins_with(line))} if begins_with(last) else set()


def read_letter_first(
    piece: str, options: Sequence[str], labels: Sequence[str], *, listed: Collection[str] = ()
) -> str | None:
    """Read a letter, alone or followed by ``.``, ``)`` or ``:`` and text, or the text of exactly one option.

    Behind a list of options (`listed`), only one of them with its own text can be the choice.
    """
    if exact := read_letter(piece, labels):
        return exact
    texts = {label: folded(option) for label, option in zip(labels, options, strict=True)}
    letter = named = _letter_of(folded(piece), texts)
    if letter is None:
        match = _LETTER_FIRST.fullmatch(normalise(_EMPHASIS.sub("", normalise(piece))) if folded(piece) else "")
        if not match or match[1].upper() not in labels:
            return None
        letter, rest = match[1].upper(), match[2]
        named = _letter_of(folded(rest), texts)
        if named is None and (_REJECTED.match(rest) or _mentions_another(rest, letter, labels)):
            return None
    if any(other != letter for other in listed) and (letter not in listed or named is None):
        return None
    return letter if named in {None, letter} else None


def _letter_of(text: str, texts: dict[str, str]) -> str | None:
    """Return the letter of the one option with this text."""
    letters = [letter for letter, option in texts.items() if text and option == text]
    return letters[0] if len(letters) == 1 else None


def _mentions_another(rest: str, letter: str, labels: Sequence[str]) -> bool:
    """Tell whether the text behind a letter also names another option, as a list of verdicts does.

    A capital on its own names one, except for the words "A" and "I" in a sentence; a small letter does with a
    delimiter behind it.
    """
    others = "".join(label for label in labels if label != letter)
    if not others:
        return False
    capital = rf"(?<![\w.'’])(?![AI] [a-z])[{others}](?![\w'’])"
    small = rf"(?<![\w.'’])[{others.lower()}][.):](?!\w)"
    return re.search(f"{capital}|{small}", rest) is not None
