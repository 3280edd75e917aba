r"""Five ways to read and grade a GraphWalks response, each a frozen set of switches over the same code.

No two harnesses grade GraphWalks alike, so a score means nothing without the grader's name:

- `openai`: the grader on the data set's card, as repaired after February 2026.
- `lm-eval`, `lm-eval-flexible`: the two of EleutherAI's lm-evaluation-harness.
- `openbench`: the one of openbench.
- `tolerant`: ours; what a patient human reader would accept.

All compare sets: order and repeats do not count, letter case does. Reading takes linear time for any text
whatever.

Examples:
    >>> grade("Final Answer: [b, a]", ["a", "b"], GRADERS["openai"]).f1
    1.0
    >>> grade("Final Answer: [a, b]\n", ["a", "b"], GRADERS["openai"]).f1
    0.0
    >>> grade("Final Answer: [a, b]\n", ["a", "b"], GRADERS["lm-eval"]).f1
    1.0
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

_LABEL_AND_BRACKET = re.compile(r"Final Answer:\s*\[")
_LABEL_AND_BRACKET_IN_LINE = re.compile(r"Final Answer:[^\S\n]*\[")
_LABEL_AND_BRACKET_ANY_CASE = re.compile(r"final answer:\s*\[", re.IGNORECASE)
# Markdown, quotes, LaTeX and braces between the words, the colon and the list; possessive, so never retried.
_TOLERANT_LABEL = re.compile(r"final answer[ \t*_`\"'“”‘’}]*+:", re.IGNORECASE)
_TOLERANT_GAP = re.compile(r"(?:```[A-Za-z]*+|[\s*_`\"'“”‘’$(){}]|\\[A-Za-z]*+)*+((?:\[\s*+)+)")
_WRAPPING_BEFORE = re.compile(r"(?:[\s*_`\"'“”‘’$({]|\\[A-Za-z]*+)*+")
_WRAPPING_AFTER = " \t\r*_`\"'“”‘’$)}.\\"
_ITEM_WRAPPING = " \t\r\n\f\v*_`\"'“”‘’\\"
_ITEM_COMMAND = re.compile(r"\\?[A-Za-z]+\{([^{}]*)\}")


@dataclass(frozen=True)
class Grader:
    """One named way to grade.

    Attributes:
        name: As given to `-T grader=`.
        pick: Response to the text between the brackets, or None where it cannot be read.
        item: What is done to every item between commas, white space aside; None where nothing is left of it.
        empty_for_empty: The score of an answered `[]` where the truth is empty.
        unparsed_for_empty: The score of a response that cannot be read where the truth is empty.
    """

    name: str
    pick: Callable[[str], str | None]
    item: Callable[[str], str | None]
    empty_for_empty: float
    unparsed_for_empty: float

    def read(self, response: str) -> frozenset[str] | None:
        """The answered nodes, an empty set for an empty list, None where the response cannot be read."""
        inner = self.pick(response)
        if inner is None:
            return None
        nodes = (self.item(part.strip()) for part in inner.split(",") if part.strip())
        return frozenset(node for node in nodes if node is not None)


@dataclass(frozen=True)
class Grade:
    """What a grader makes of one response: values in 0..1, and the nodes it read (None: not read)."""

    f1: float
    precision: float
    recall: float
    exact: float
    nodes: frozenset[str] | None


def grade(response: str, truth: Iterable[str], grader: Grader) -> Grade:
    """Grade a response's text against the true nodes."""
    return compare(grader.read(response), frozenset(truth), grader)


def compare(nodes: frozenset[str] | None, truth: frozenset[str], grader: Grader) -> Grade:
    """F1, precision, recall and exact match of two sets, by the grader's rules for empty ones."""
    if nodes is None:
        value = 0.0 if truth else grader.unparsed_for_empty
        return Grade(value, value, value, value, None)
    if not truth and not nodes:
        value = grader.empty_for_empty
        return Grade(value, value, value, value, nodes)
    hits = len(nodes & truth)
    if not hits:
        return Grade(0.0, 0.0, 0.0, 0.0, nodes)
    precision, recall = hits / len(nodes), hits / len(truth)
    f1 = 2 * hits / (len(nodes) + len(truth))
    return Grade(f1, precision, recall, float(nodes == truth), nodes)


def _openai(response: str) -> str | None:
    line = response[response.rfind("\n") + 1 :]
    if "Final Answer:" not in line:
        return None
    first, last = line.find("["), line.rfind("]")
    # The card strips every bracket at the ends of what it found, so `[[a, b]]` reads as `[a, b]`.
    return line[first : last + 1].strip("[]") if 0 <= first < last else None


def _after_label(line: str, label: re.Pattern[str], end: int) -> str | None:
    """The text from the first label with an opening bracket to the closing bracket at `end`."""
    found = label.search(line, 0, max(end, 0))
    return line[found.end() : end] if found else None


def _lm_eval(response: str) -> str | None:
    line = response.rstrip("\n").rpartition("\n")[2]
    return _after_label(line, _LABEL_AND_BRACKET, line.rfind("]"))


def _lm_eval_flexible(response: str) -> str | None:
    inner, line_end = None, -1
    for found in _LABEL_AND_BRACKET_IN_LINE.finditer(response):
        # Only a line's first label counts; where no bracket closes it, none closes a later one.
        if found.start() > line_end:
            line_end = response.find("\n", found.end())
            line_end = len(response) if line_end < 0 else line_end
            closing = response.rfind("]", found.end(), line_end)
            inner = response[found.end() : closing] if closing >= 0 else inner
    return inner


def _openbench(response: str) -> str | None:
    line = response[response.rfind("\n") + 1 :].rstrip()
    return _after_label(line, _LABEL_AND_BRACKET_ANY_CASE, len(line) - 1) if line.endswith("]") else None


def _tolerant(response: str) -> str | None:
    label = max(_TOLERANT_LABEL.finditer(response), key=re.Match.start, default=None)
    if label is not None:
        # A list that was opened and never closed is cut off: nothing before it stands in for it.
        opening = _TOLERANT_GAP.match(response, label.end())
        if opening is not None:
            closing = response.find("]", opening.end())
            return response[opening.end() : closing] if closing >= 0 else None
    line = response.rstrip().rpartition("\n")[2]
    before = _WRAPPING_BEFORE.match(line)
    bare = line[before.end() if before else 0 :].rstrip(_WRAPPING_AFTER)
    inner = bare[1:-1]
    whole = len(bare) > 1 and bare[0] == "[" and bare[-1] == "]" and "[" not in inner and "]" not in inner
    return inner if whole else None


def _as_is(item: str) -> str:
    return item


def _one_layer_of_quotes_off(item: str) -> str:
    if item[:1] in ("'", '"'):
        item = item[1:]
    return item[:-1] if item[-1:] in ("'", '"') else item


def _unwrapped(item: str) -> str | None:
    command = _ITEM_COMMAND.fullmatch(item.strip(_ITEM_WRAPPING))
    return (command[1] if command else item).strip(_ITEM_WRAPPING) or None


GRADERS = {
    grader.name: grader
    for grader in (
        Grader("openai", _openai, _as_is, empty_for_empty=1.0, unparsed_for_empty=0.0),
        Grader("lm-eval", _lm_eval, _one_layer_of_quotes_off, empty_for_empty=0.0, unparsed_for_empty=0.0),
        Grader(
            "lm-eval-flexible",
            _lm_eval_flexible,
            _one_layer_of_quotes_off,
            empty_for_empty=0.0,
            unparsed_for_empty=0.0,
        ),
        Grader("openbench", _openbench, _as_is, empty_for_empty=1.0, unparsed_for_empty=1.0),
        Grader("tolerant", _tolerant, _unwrapped, empty_for_empty=1.0, unparsed_for_empty=0.0),
    )
}
