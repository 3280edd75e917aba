r"""The wording of the prompts: all of it, and only here. `parse` reads it back.

The wording is this project's own; the benchmark's authors' is not known. A prompt is `head + blocks + tail`:

    # Question        the question, with the definition of reachability
    # Context         blocks in random order, each under the same heading, papers and other texts alike
    # Answer format   one last line, \answer{...}

Every piece ends in a newline and the next begins with `#`: then token counts of `o200k_base` add up exactly
over any join of pieces, so a piece is counted once and a prompt is assembled by adding.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Literal

from graphniah_inspect.citations.apa import (
    author_list,
    author_names,
    publication,
    reference,
    reference_order,
    year_text,
)
from graphniah_inspect.citations.paper import TITLE_OPEN, Paper, marked_title

Kind = Literal["yes-no", "multiple-choice", "counting"]

SYSTEM_PROMPT = (
    "You are given a question about a citation graph and a long context. The context consists of "
    "documents of many kinds in random order. Some of them describe a paper and list the papers that it "
    "cites; the others have nothing to do with the question. Collect the citations that you need from "
    "the context, follow them step by step, and answer from the context alone, whatever you may know "
    "about these papers. End your reply with one line of the form \\answer{...} that holds your final "
    "answer and nothing else."
)

NONE_OPTION = "None of these targets is reachable from the source."
"""Text of the option that the None variant adds, as the dataset card gives it."""

NONE_LABEL = "E"

BLOCK_HEADING = "### Document\n"
TITLE_LABEL = "Title: "
AUTHORS_LABEL = "Authors: "
PUBLISHED_LABEL = "Published: "
REFERENCES_LABEL = "References:\n"
REFERENCE_MARK = "- "

HEAD_OPEN = "# Question\n\n"
HEAD_CLOSE = "\n\n# Context\n\n"
TAIL_OPEN = "# Answer format\n\n"

REACHABILITY = (
    "One paper is reachable from another if a chain of citations leads from one to the other. Every link "
    "of the chain may be followed both ways: from a paper to a paper that it cites, and from a paper to "
    "a paper that cites it. Only citations written in the reference lists of the context count, and "
    "nothing else links two papers. A paper that is only named in a reference list and has no document "
    "of its own belongs to the graph all the same. The same title always means the same paper."
)

ASK: dict[Kind, str] = {
    "yes-no": "Is the target paper reachable from the source paper?",
    "multiple-choice": "Which of the options is reachable from the source paper?",
    "counting": "How many distinct papers are reachable from the source paper, not counting itself?",
}

_LAST_LINE = "Reason as long as you need. Then end your reply with exactly one line, and write nothing after it: "
TAIL: dict[Kind, str] = {
    "yes-no": (
        f"{TAIL_OPEN}{_LAST_LINE}either \\answer{{YES}}, if the target paper is reachable from the source "
        "paper, or \\answer{NO}, if it is not."
    ),
    "multiple-choice": (
        f"{TAIL_OPEN}{_LAST_LINE}\\answer{{LETTER}}, where LETTER is the letter of the option you choose."
    ),
    "counting": (f"{TAIL_OPEN}{_LAST_LINE}\\answer{{NUMBER}}, where NUMBER is the count, a whole number in digits."),
}

SOURCE_LABEL = "Source paper: "
TARGET_LABEL = "Target paper: "
OPTIONS_LABEL = "Options:\n"


@dataclass(frozen=True)
class Question:
    """What is asked.

    Attributes:
        kind: The task, as in `reachability_task` of the published rows.
        source: Title of the source paper.
        target: Title of the target paper; yes-no only.
        options: Titles of the options in order of label, the None option left out; multiple choice only.
        none_option: Whether the option E that nothing is reachable follows; multiple choice only.
    """

    kind: Kind
    source: str
    target: str | None = None
    options: tuple[str, ...] = ()
    none_option: bool = False

    def __post_init__(self) -> None:
        if (self.target is not None) != (self.kind == "yes-no"):
            raise ValueError(f"a {self.kind} question with target {self.target!r}: yes-no has one, no other kind has")
        if (len(self.options) >= 2) != (self.kind == "multiple-choice") or len(self.options) == 1:
            raise ValueError(f"a {self.kind} question with {len(self.options)} options: only multiple-choice has some")
        if self.none_option and len(self.options) != ascii_uppercase.index(NONE_LABEL):
            raise ValueError(
                f"the None option is {NONE_LABEL}: it needs four options before it, not {len(self.options)}"
            )

    @property
    def labelled_options(self) -> tuple[tuple[str, str], ...]:
        """Label and text of every option, the None option included."""
        texts = (*self.options, NONE_OPTION) if self.none_option else self.options
        return tuple(zip(ascii_uppercase, texts, strict=False))


def render_question(question: Question) -> str:
    """The question alone: what is asked, the papers by title, the options, what reachable means."""
    lines = [ASK[question.kind], "", SOURCE_LABEL + marked_title(question.source)]
    if question.target is not None:
        lines.append(TARGET_LABEL + marked_title(question.target))
    if question.options:
        lines += ["", OPTIONS_LABEL.rstrip("\n")]
        lines += [
            f"{label}. {marked_title(title)}" for label, title in zip(ascii_uppercase, question.options, strict=False)
        ]
        if question.none_option:
            lines.append(f"{NONE_LABEL}. {NONE_OPTION}")
    return "\n".join([*lines, "", REACHABILITY])


def frame(question: Question) -> tuple[str, str]:
    """Head and tail of a user prompt; blocks go between them, nothing else."""
    return HEAD_OPEN + render_question(question) + HEAD_CLOSE, TAIL[question.kind]


def render_prompt(question: Question, blocks: Iterable[str]) -> str:
    """A whole user prompt, from blocks made by `render_block` and `render_distractor`, in the order given."""
    head, tail = frame(question)
    return "".join((head, *blocks, tail))


def render_block(paper: Paper, references: Iterable[Paper]) -> str:
    """The block of a paper: title, authors, publication information, and what it cites, in APA order.

    Raises:
        ValueError: If it cites nothing (then it has no block), itself or one title twice; if a title is
            not clean.
    """
    cited = list(references)
    if len(cited) > 1:  # Most lists have one reference, and keys take time.
        cited.sort(key=reference_order)
    titles = {other.title for other in cited}
    if not cited or len(titles) != len(cited) or paper.title in titles:
        raise ValueError(f"block of {paper.title!r}: needs distinct references other than itself, got {sorted(titles)}")
    authors = author_list(author_names(paper))
    return "".join(
        (
            BLOCK_HEADING,
            f"{TITLE_LABEL}{marked_title(paper.title)}\n",
            f"{AUTHORS_LABEL}{authors}\n" if authors else "",
            f"{PUBLISHED_LABEL}{year_text(paper).rstrip('.')}. {publication(paper)}".rstrip() + "\n",
            REFERENCES_LABEL,
            *(f"{REFERENCE_MARK}{reference(other)}\n" for other in cited),
            "\n",
        )
    )


def render_distractor(text: str) -> str:
    """The block of a text of another kind: the same heading, the text without trailing white space."""
    return f"{BLOCK_HEADING}{text.rstrip()}\n\n"


_MARKS = (BLOCK_HEADING.strip(), TITLE_LABEL + TITLE_OPEN, HEAD_CLOSE.strip(), TAIL_OPEN.strip())
_DELIMITER = re.compile(
    rf"^[^\S\n]*{re.escape(BLOCK_HEADING.strip())}\b|^{re.escape(TITLE_LABEL + TITLE_OPEN)}"
    rf"|^{re.escape(HEAD_CLOSE.strip())}\s*$|^{re.escape(TAIL_OPEN.strip())}\s*$",
    re.MULTILINE,
)


def contains_delimiter(text: str) -> bool:
    """Whether a text holds a line that delimits blocks or parts of a prompt, and so may be no distractor."""
    return any(mark in text for mark in _MARKS) and _DELIMITER.search(text) is not None
