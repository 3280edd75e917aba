r"""Read the answer out of a response, by one of three named rules; pure functions over text.

Each prompt asks for one line ``\answer{...}``. The dataset card describes how the paper reads what comes back;
the rules here are written after that description, not taken from its scorer. So they have names, and a score
says under which it was made:

- ``paper`` (default): the card's rule. Yes-no and counting: the last block, or, where there is none, a short
  response that is nothing but the answer. Multiple choice: the whole response, the last block, or the last
  line. Reasoning in tags is dropped first (the card is silent on it).
- ``answer-block``: the card's simplified function to the letter, without any normalisation.
- ``tolerant``: what a patient human grader would accept; beside ``paper`` it shows how much of a score is format.

A response is never searched for something that looks like an answer. Any text at all gives a reading, in time
linear in its length.
"""

import re
import string
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, get_args

from graphniah_inspect.graphniah.blocks import Blocks, drop_reasoning
from graphniah_inspect.graphniah.normalise import MAX_PIECE, read_integer, read_label, read_letter
from graphniah_inspect.graphniah.tolerant import (
    drop_lead,
    is_placeholder,
    listed_before,
    read_label_first,
    read_letter_first,
    read_only_number,
    unescape_blocks,
)

Kind = Literal["yes-no", "multiple-choice", "counting"]
KINDS: tuple[Kind, ...] = get_args(Kind)
RULES = ("paper", "answer-block", "tolerant")

REASONS = ("no_response", "invalid_response_format", "truncated", "context_overflow", "refusal")
"""Why a response was not read, as it stands in ``Reading.reason``."""

_UNREAD = {"model_length": "context_overflow", "content_filter": "refusal"}
_NO_CONTENT = "(no content)"  # what Inspect puts in place of an empty message
_LONGEST_BARE = {"yes-no": 100, "counting": 30}

_Reader = Callable[[str], str | None]
_Attempt = tuple[str, str, _Reader]  # step, piece, and who reads it


@dataclass(frozen=True)
class Reading:
    """What a rule read in a response.

    Attributes:
        answer: ``YES`` or ``NO``, an integer in its shortest form, or a capital letter; with rule
            ``answer-block`` the stripped content as it stands. ``None`` when unreadable.
        step: Which part of the response was read, or tried: ``block``, ``boxed``, ``whole response`` or
            ``last line``; empty when none was.
        piece: That part, as it stands in the response.
        reason: Why there is no answer, one of `REASONS`; ``None`` with an answer.
    """

    answer: str | None
    step: str
    piece: str
    reason: str | None


def read(
    response: str,
    kind: Kind,
    rule: str = "paper",
    *,
    options: Sequence[str] | None = None,
    stop_reason: str = "stop",
) -> Reading:
    r"""Read a response.

    Args:
        response: The completion, any text at all.
        kind: What was asked, the example's ``reachability_task``.
        rule: One of `RULES`.
        options: The texts of the options, labelled A, B, C, ... by position; needed for multiple choice.
        stop_reason: Inspect's. Text that came with ``model_length`` (a provider's error message) or
            ``content_filter`` is not read; with ``max_tokens`` only blocks that were closed are.

    Raises:
        ValueError: An unknown kind or rule, or multiple choice without options.

    >>> read(r"Both are in one component. \answer{\textbf{Yes}.}", "yes-no").answer
    'YES'
    >>> read("A path exists.", "multiple-choice", options=["P", "Q", "R", "S"])
    Reading(answer=None, step='last line', piece='A path exists.', reason='invalid_response_format')
    """
    if kind not in KINDS or rule not in RULES:
        raise ValueError(f"cannot read kind {kind!r} by rule {rule!r}: kinds are {KINDS}, rules {RULES}")
    labels = option_labels(options) if kind == "multiple-choice" and rule != "answer-block" else ()
    if stop_reason in _UNREAD:
        return Reading(None, "", "", _UNREAD[stop_reason])
    cut = stop_reason == "max_tokens"
    if not cut and response.strip() in {"", _NO_CONTENT}:
        return Reading(None, "", "", "no_response")

    if rule == "answer-block":
        attempts = _simple_steps(response, cut)
    elif rule == "paper":
        attempts = _paper_steps(drop_reasoning(response), kind, labels, cut)
    else:
        attempts = _tolerant_steps(drop_reasoning(response), kind, labels, options or (), cut)

    tried: list[tuple[str, str]] = []
    for step, piece, reader in attempts:
        answer = reader(piece)
        if answer is not None:
            return Reading(answer, step, piece, None)
        tried.append((step, piece))
    shown = next((each for each in tried if each[0] == "block"), tried[-1] if tried else ("", ""))
    return Reading(None, *shown, "truncated" if cut else "invalid_response_format")


def is_correct(
    reading: Reading, target: str, kind: Kind, rule: str = "paper", *, options: Sequence[str] | None = None
) -> bool:
    """Compare a reading with the example's answer.

    Raises:
        ValueError: The target is malformed, as `read_target` says.
    """
    expected = read_target(target, kind, options=options)
    return reading.answer == (target if rule == "answer-block" else expected)


def read_target(target: str, kind: Kind, *, options: Sequence[str] | None = None) -> str:
    """Return an example's answer in the form of `Reading.answer`.

    Raises:
        ValueError: The target does not read as an answer, or is none of the options given.
    """
    labels = tuple(string.ascii_uppercase) if options is None else option_labels(options)
    answer = _strict_reader(kind, labels)(target)
    if answer is None:
        wanted = {
            "yes-no": "YES or NO",
            "counting": "an integer",
            "multiple-choice": f"one of {', '.join(labels)}",
        }
        raise ValueError(f"malformed target {target[:80]!r}: a {kind} example needs {wanted[kind]}; mend the dataset")
    return answer


def option_labels(options: Sequence[str] | None) -> tuple[str, ...]:
    """Return the labels of the options by position: A, B, C, ...

    Raises:
        ValueError: There are no options, or more than letters.
    """
    if not options or len(options) > len(string.ascii_uppercase):
        raise ValueError(f"multiple choice needs 1 to 26 options to read a letter by, got {len(options or ())}")
    return tuple(string.ascii_uppercase[: len(options)])


def _strict_reader(kind: Kind, labels: Sequence[str]) -> _Reader:
    readers: dict[Kind, _Reader] = {
        "yes-no": read_label,
        "counting": read_integer,
        "multiple-choice": partial(read_letter, labels=labels),
    }
    return readers[kind]


def _simple_steps(text: str, cut: bool) -> Iterator[_Attempt]:
    matches = re.findall(r"\\answer\{([^{}]*)\}", text)
    if matches and not (cut and Blocks(text).left_open()):
        yield "block", matches[-1], str.strip


def _paper_steps(text: str, kind: Kind, labels: Sequence[str], cut: bool) -> Iterator[_Attempt]:
    reader = _strict_reader(kind, labels)
    blocks = Blocks(text)
    content = next(blocks.contents(), None)
    whole = text.strip()
    if cut:
        if content is not None and not blocks.left_open():
            yield "block", content, reader
    elif kind == "multiple-choice":
        yield "whole response", whole, reader
        if content is not None:
            yield "block", content, reader
        yield "last line", _last_line(whole), reader
    elif content is not None:
        yield "block", content, reader
    elif len(whole) <= _LONGEST_BARE[kind]:
        yield "whole response", whole, reader


def _tolerant_steps(
    text: str, kind: Kind, labels: Sequence[str], options: Sequence[str], cut: bool
) -> Iterator[_Attempt]:
    strict = _strict_reader(kind, labels)
    readers: dict[Kind, _Reader] = {
        "yes-no": read_label_first,
        "counting": read_only_number,
        "multiple-choice": partial(read_letter_first, options=options, labels=labels),
    }
    reader = readers[kind]
    blocks = Blocks(unescape_blocks(text))
    content = next((each for each in blocks.contents() if not is_placeholder(each)), None)
    whole = text.strip()
    line = _last_line(whole)
    if content is not None and not (cut and blocks.left_open()):
        yield "block", content, reader
    if cut:
        return
    if content is not None:
        if kind == "multiple-choice":
            yield "last line", line, strict
        return
    if boxed := next((each for each in Blocks(text, "boxed").contents() if not is_placeholder(each)), None):
        yield "boxed", boxed, _with_lead(reader)
    if kind == "multiple-choice":
        yield "last line", line, strict  # more than any letter that the whole begins with
    if len(whole) <= _LONGEST_BARE.get(kind, MAX_PIECE):
        yield "whole response", whole, _with_lead(reader)
        if kind == "counting":
            return  # a short response with two numbers: the last line is not the answer for being last
    if kind == "counting":
        reader = strict
    elif kind == "multiple-choice":
        listed = listed_before(whole, options, labels)
        reader = partial(read_letter_first, options=options, labels=labels, listed=listed)
    yield "last line", line, _with_lead(reader)


def _with_lead(reader: _Reader) -> _Reader:
    """Let a reader also read what follows a lead such as ``Answer:``."""
    return lambda piece: reader(piece) or reader(drop_lead(piece))


def _last_line(whole: str) -> str:
    """Return the last line of a trimmed text."""
    return whole.splitlines()[-1] if whole else ""
