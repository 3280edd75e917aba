"""Reads a prompt back into its question and its citation graph: the inverse of `text`.

Strict about the layout that `text` writes, indifferent to what other documents say. Whatever departs from the
layout cannot be read, and says why; nothing is guessed, because a block left out would turn YES into NO.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from graphniah_inspect.citations.paper import TITLE_CLOSE, TITLE_OPEN
from graphniah_inspect.citations.text import (
    ASK,
    AUTHORS_LABEL,
    BLOCK_HEADING,
    HEAD_CLOSE,
    HEAD_OPEN,
    NONE_LABEL,
    NONE_OPTION,
    OPTIONS_LABEL,
    PUBLISHED_LABEL,
    REACHABILITY,
    REFERENCE_MARK,
    REFERENCES_LABEL,
    SOURCE_LABEL,
    TAIL,
    TARGET_LABEL,
    TITLE_LABEL,
    Kind,
    Question,
)


class CannotRead(ValueError):  # noqa: N818 - an outcome with a reason, not a fault of the caller
    """The prompt is not one that `text` writes, or is damaged; the message gives the reason and the place."""


@dataclass(frozen=True, slots=True)
class Block:
    """A paper with its references: titles, and where the block stands in the prompt, in characters."""

    title: str
    references: tuple[str, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ReadPrompt:
    """A prompt taken apart.

    Attributes:
        question: What is asked.
        blocks: Every paper that cites, in the order of the prompt.
        texts: Start and end, in characters, of every other document, its heading left out.
    """

    question: Question
    blocks: tuple[Block, ...]
    texts: tuple[tuple[int, int], ...]


_TITLE = f"{TITLE_OPEN}([^{TITLE_OPEN}{TITLE_CLOSE}\n]+){TITLE_CLOSE}"
_REST = f"[^{TITLE_OPEN}{TITLE_CLOSE}\n]*"
_BOUNDARY = "\n\n" + BLOCK_HEADING
_PAPER_OPEN = BLOCK_HEADING + TITLE_LABEL + TITLE_OPEN
_PAPER = re.compile(
    f"{BLOCK_HEADING}{TITLE_LABEL}{_TITLE}\n(?:{AUTHORS_LABEL}{_REST}\n)?{PUBLISHED_LABEL}{_REST}\n{REFERENCES_LABEL}"
)
_REFERENCE = re.compile(f"{REFERENCE_MARK}{_REST}{_TITLE}{_REST}\n")
_FENCE = re.compile(r"^(?:```|~~~)", re.MULTILINE)
_ASKED: dict[Kind, str] = {
    "yes-no": f"\n{TARGET_LABEL}{_TITLE}",
    "multiple-choice": (
        f"\n\n{OPTIONS_LABEL}(?P<options>(?:[A-Z]\\. {_TITLE}\n)+)(?P<none>{NONE_LABEL}\\. {re.escape(NONE_OPTION)}\n)?"
    ),
    "counting": "",
}
_QUESTION: dict[Kind, re.Pattern[str]] = {
    kind: re.compile(f"{re.escape(ask)}\n\n{SOURCE_LABEL}{_TITLE}{_ASKED[kind]}\n*{re.escape(REACHABILITY)}")
    for kind, ask in ASK.items()
}
_OPTION = re.compile(f"([A-Z])\\. {_TITLE}\n")


def read_question(text: str) -> Question:
    """The question behind its rendering.

    Raises:
        CannotRead: If it is not one that `render_question` writes.
    """
    for kind, pattern in _QUESTION.items():
        match = pattern.fullmatch(text)
        if match is None:
            continue
        options = _OPTION.findall(match["options"]) if kind == "multiple-choice" else []
        try:
            question = Question(
                kind=kind,
                source=match[1],
                target=match[2] if kind == "yes-no" else None,
                options=tuple(title for _, title in options),
                none_option=kind == "multiple-choice" and match["none"] is not None,
            )
        except ValueError as error:
            raise CannotRead(f"the question makes no sense: {error}") from error
        labels = tuple(label for label, _ in options)
        if labels != tuple(label for label, _ in question.labelled_options[: len(labels)]):
            raise CannotRead(f"the options are labelled {labels}, not A, B, C, ... in order")
        named = [question.source, *question.options, *([] if question.target is None else [question.target])]
        if len(set(named)) != len(named):
            raise CannotRead(f"the question names one paper twice: {named}")
        return question
    raise CannotRead(f"the question is not of a known form; it begins with {text[:80]!r}")


def read_prompt(user_prompt: str) -> ReadPrompt:
    """The question and the citation graph of a whole user prompt.

    Raises:
        CannotRead: If the layout is not that of `text`, the prompt is cut off, a block is damaged or comes
            twice, or a paper of the question occurs in no block.
    """
    if not user_prompt.startswith(HEAD_OPEN):
        alone = any(pattern.fullmatch(user_prompt.strip()) for pattern in _QUESTION.values())
        found = "the question stands alone, without a context" if alone else f"it begins with {user_prompt[:40]!r}"
        raise CannotRead(f"not a prompt of this layout: {HEAD_OPEN.strip()!r} should come first, but {found}")
    head_end = user_prompt.find(HEAD_CLOSE)
    if head_end < 0:
        raise CannotRead(f"no {HEAD_CLOSE.strip()!r} follows the question: the prompt is cut off or holds no context")
    question = read_question(user_prompt[len(HEAD_OPEN) : head_end])
    tail = TAIL[question.kind]
    if not user_prompt.endswith((tail, tail + "\n")):
        raise CannotRead(f"the answer format for {question.kind} is not at the end: the prompt is cut off there")
    body_start, body_end = head_end + len(HEAD_CLOSE), user_prompt.rfind(tail)
    blocks, texts = _read_documents(user_prompt, body_start, body_end)
    seen: set[str] = set()
    for block in blocks:
        if block.title in seen:
            raise CannotRead(f"two blocks have the title {block.title!r}, the second at character {block.start}")
        seen.add(block.title)
    for block in blocks:
        seen.update(block.references)
    for title in (question.source, *([question.target] if question.target else question.options)):
        if title not in seen:
            raise CannotRead(f"{title!r}, of the question, occurs in no paper block of the context")
    return ReadPrompt(question, tuple(blocks), tuple(texts))


def _spans(prompt: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Start and end of every document between `start` and `end`."""
    while start < end:
        found = prompt.find(_BOUNDARY, start, end)
        following = end if found < 0 else found + 2
        yield start, following
        start = following


def _read_documents(prompt: str, start: int, end: int) -> tuple[list[Block], list[tuple[int, int]]]:
    if not prompt.startswith(BLOCK_HEADING, start):
        raise CannotRead(f"no document begins at character {start}, where the context does")
    if not prompt.endswith("\n\n", start, end):
        raise CannotRead(f"the last document is cut off before character {end}, where the answer format begins")
    blocks: list[Block] = []
    texts: list[tuple[int, int]] = []
    for at, until in _spans(prompt, start, end):
        if not prompt.startswith(_PAPER_OPEN, at):
            texts.append((at + len(BLOCK_HEADING), until))
            continue
        block = _read_block(prompt, at, until)
        if block is not None:
            blocks.append(block)
        elif texts and _closes_fence(prompt, texts[-1], at, until):
            # Blocks quoted in a code fence of another document: they and the rest of the fence belong to it.
            while blocks and blocks[-1].start > texts[-1][0]:
                blocks.pop()
            texts[-1] = (texts[-1][0], until)
        else:
            raise CannotRead(f"the block of a paper at character {at} is damaged: {prompt[at : at + 120]!r}")
    return blocks, texts


def _read_block(prompt: str, start: int, end: int) -> Block | None:
    """The paper block that fills exactly these characters, or None."""
    head = _PAPER.match(prompt, start, end)
    if head is None:
        return None
    at = head.end()
    references: list[str] = []
    for match in _REFERENCE.finditer(prompt, at, end):
        if match.start() != at:
            return None
        references.append(match[1])
        at = match.end()
    if not references or at != end - 1:
        return None
    if len({head[1], *references}) != len(references) + 1:
        raise CannotRead(f"the block of {head[1]!r} at character {start} cites itself or one title twice")
    return Block(head[1], tuple(references), start, end)


def _closes_fence(prompt: str, text: tuple[int, int], start: int, end: int) -> bool:
    """Whether the text leaves a code fence open and this document closes it."""
    opened = len(_FENCE.findall(prompt, *text)) % 2 == 1
    return opened and len(_FENCE.findall(prompt, start, end)) % 2 == 1
