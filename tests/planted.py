"""Small data sets for the audit's tests, written with the project's wording alone: sound ones, and leaking ones."""

import hashlib
import random
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Literal

import msgspec

from graphniah_inspect.citations.paper import Paper
from graphniah_inspect.citations.text import (
    SYSTEM_PROMPT,
    Question,
    render_block,
    render_distractor,
    render_prompt,
    render_question,
)

Leak = Literal["none", "topic", "year", "position", "length", "order"]
Row = dict[str, Any]
DEPTH = 4
SYLLABLES = ("ka", "lo", "mi", "ru", "te", "no", "va", "si", "du", "pe")
WORDS = [a + b + c for a in SYLLABLES for b in SYLLABLES for c in ("n", "r")]
PROSE = ["the", "river", "was", "wide", "and", "slow", "that", "year", "when", "boats", "came", "up"]


def tree(rng: random.Random, component: int, own: bool, leak: Leak, source: Paper | None) -> list[Paper]:
    """Papers of one component: the true path's four first, then three on either side of it, then four more.

    In a leaking data set the last paper on the source's own path is marked.
    """
    papers: list[Paper] = []
    for number in range(14):
        words = rng.sample(WORDS, 6)
        year = rng.randint(2012, 2026)
        family = rng.choice("BCDFGHKLMNPRSTVW") + rng.choice(WORDS)
        if own and number == DEPTH - 1:
            head = papers[0] if source is None else source
            if leak == "topic":
                words[:4] = head.title.lower().split()[:4]
            if leak == "year":
                year = head.year or year
            if leak == "order":
                family = "Aaron"
            if leak == "length":
                words += rng.sample(WORDS, 5)
        title = " ".join(words).capitalize()
        papers.append(Paper(100 * component + number, title, (f"Ann {family}",), year, venue="Annals"))
    return papers


def edges(papers: Sequence[Paper], rng: random.Random) -> list[tuple[Paper, Paper]]:
    """A path of ten papers, four more hanging from it; the third of the true path cites both its neighbours."""
    path = [*papers[6:3:-1], *papers[:DEPTH], *papers[7:10]]
    links = []
    for one, two in pairwise(path):
        into_third = papers[DEPTH - 2] in (one, two)
        forward = one is papers[DEPTH - 2] if into_third else rng.random() < 0.5
        links.append((one, two) if forward else (two, one))
    for number, paper in enumerate(papers[10:]):
        # One of them is cited beside the end of the path, so that the end has a place in a list of three.
        links.append((papers[DEPTH - 2] if number == 0 else rng.choice(path), paper))
    return links


def example(index: int, kind: str, leak: Leak = "none", seed: int = 0) -> Row:
    """One row in the published schema: four components of 14 papers, some prose."""
    rng = random.Random(f"{seed} {index} {kind}")
    components = [tree(rng, number, number == 0, leak, None) for number in range(4)]
    links = [edges(papers, rng) for papers in components]
    source = components[0][0]
    ends = [papers[DEPTH - 1] for papers in components]
    options: list[Paper] = []
    if kind == "yes-no":
        answer = "YES" if rng.random() < 0.5 else "NO"
        target = ends[0] if answer == "YES" else ends[rng.randint(1, 3)]
        question = Question("yes-no", source.title, target=target.title)
    elif kind == "multiple-choice":
        answer = rng.choice("ABCD")
        options = rng.sample(ends[1:], 3)
        options.insert("ABCD".index(answer), ends[0])
        target = ends[0]
        question = Question("multiple-choice", source.title, options=tuple(option.title for option in options))
    else:
        answer, target = str(len(components[0]) - 1), source
        question = Question("counting", source.title)
    blocks = []
    for component in links:
        cited: dict[str, list[Paper]] = {}
        by_title = {paper.title: paper for link in component for paper in link}
        for one, two in component:
            cited.setdefault(one.title, []).append(two)
        blocks += [render_block(by_title[title], papers) for title, papers in cited.items()]
    longer = 12 if leak == "length" and answer == "YES" else 0
    blocks += [
        render_distractor(" ".join(rng.choices(PROSE, k=30)).capitalize() + ".")
        for _ in range(rng.randint(10, 14) + longer)
    ]
    rng.shuffle(blocks)
    if leak == "position":
        told = ends[0] if kind == "multiple-choice" or answer == "YES" else source
        near = [block for block in blocks if f"“{source.title}”" in block or f"“{told.title}”" in block]
        blocks = [*(block for block in blocks if block not in near), *near]
    prompt = render_prompt(question, blocks)
    row: Row = {
        "qid": hashlib.sha256(f"{seed} {index} {kind} {leak}".encode()).hexdigest(),
        "reachability_task": kind,
        "system_prompt": SYSTEM_PROMPT,
        "user_prompt": prompt,
        "question": render_question(question),
        "answer": answer,
        "question_type": "reachability-" + {"yes-no": "yesno", "multiple-choice": "multiple"}.get(kind, kind),
        "config": {
            "question_depth": DEPTH,
            "component_node_count": 14,
            "num_components": 4,
            "context_length": 2000,
            "none_option": 0,
        },
        "token_counts": {},
        "experiments": [],
    }
    if options:
        row["options"] = [{"label": label, "text": text} for label, text in question.labelled_options]
    return row


def none_variant(row: Row) -> Row:
    """A multiple-choice row with option E."""
    question = Question(
        "multiple-choice",
        row["question"].split("Source paper: “")[1].split("”")[0],
        options=tuple(option["text"] for option in row["options"]),
        none_option=True,
    )
    text = render_question(question)
    return row | {
        "qid": hashlib.sha256(row["qid"].encode()).hexdigest(),
        "question": text,
        "user_prompt": row["user_prompt"].replace(row["question"], text),
        "options": [{"label": label, "text": option} for label, option in question.labelled_options],
        "config": row["config"] | {"none_option": 1, "source_qid": row["qid"]},
    }


def lines(rows: Sequence[Row]) -> bytes:
    """Rows as JSON Lines."""
    return b"".join(msgspec.json.encode(row) + b"\n" for row in rows)
