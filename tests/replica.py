"""A stand-in for the published file: its lists, their sizes and its schema, around prompts of nothing.

The values vary round-robin in every list, rows are shared between lists, and the three None lists hold the
same examples: 9,800 entries, 8,686 rows, of which the paper's subsets hold 1,760. Where the card says nothing
(which rows are shared, the order of the values) this file chooses.
"""

import hashlib
import itertools
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

DEPTHS = (4, 8, 16, 32)
NODE_COUNTS = (100, 150, 200, 250)
FORMATS = ("reachability-yesno", "reachability-multiple", "reachability-counting")
DISTRACTORS = ("code", "essays", "books", "wikipedia", "disjoint-tree")
TASKS = dict(zip(FORMATS, ("yes-no", "multiple-choice", "counting"), strict=True))
NONE_MODELS = ("gpt-5.6-luna", "qwen3.5-35b-a3b", "gemini-3.8-flash")
NONE_OPTION = "None of these targets is reachable from the source."
TOKENS = {"gpt-5.4": 1.0, "qwen3.5-397b-a17b": 1.04, "gemma-4-31b": 0.97}

LISTS = {
    ("question-depth", 200_000): 2000,
    ("node-count", 200_000): 2000,
    ("question-format", 200_000): 1500,
    ("distractor-type", 200_000): 2500,
    ("reasoning_effort", 200_000): 500,
    ("context_length", 500_000): 500,
    ("context_length", 922_000): 500,
}
NONE_EXAMPLES = 100
TINY = 0.001
REAL = 4.2
"""Characters of prompt a token, for tiny files and for files of the published size (9.5 GB)."""

Row = dict[str, Any]


def write_replica(path: Path, *, characters_per_token: float = TINY, scale: float = 1.0) -> Path:
    """Writes a replica.

    Args:
        path: The file, replaced if it exists.
        characters_per_token: Size of the prompts: `TINY`, `REAL`, or anything else.
        scale: Share of every list to write, e.g. 0.1: the first tenth of its slots.
    """
    text = filler(random.Random(1), int(922_000 * characters_per_token) + 10_000)
    with path.open("wb") as file:
        for number, row in enumerate(rows(scale)):
            size = int(row["config"]["context_length"] * characters_per_token)
            start = (number * 37) % 10_000
            row["user_prompt"] = f"{row['question']}\n\n{text[start : start + size]}\n\n{row['question']}"
            file.write(msgspec.json.encode(row))
            file.write(b"\n")
    return path


def rows(scale: float = 1.0) -> list[Row]:
    """Returns every row, with a `user_prompt` still to be filled in, in no order of any list."""
    sizes = {key: round(size * scale) for key, size in LISTS.items()}
    lists: dict[tuple[str, int], list[Row]] = {}
    for (name, context_length), size in sizes.items():
        donors = _donors(name, lists)
        lists[name, context_length] = [
            _place(donors.get(slot) or _new(name, slot, context_length), name, slot, context_length)
            for slot in range(size)
        ]
    multiple = lists["question-format", 200_000][1::3]
    converted = [_with_none(row, slot) for slot, row in enumerate(multiple[: round(NONE_EXAMPLES * scale)])]
    unique = {row["qid"]: row for row in itertools.chain(*lists.values(), converted)}
    shuffled = list(unique.values())
    random.Random(1).shuffle(shuffled)
    return shuffled


def _donors(name: str, lists: dict[tuple[str, int], list[Row]]) -> dict[int, Row]:
    """Rows of the `question-depth` list that another list holds too, by its slots: 140 in both subsets."""
    depth = lists.get(("question-depth", 200_000), [])
    values: Sequence[int | str]
    if name == "node-count":
        key, values, ranges = "component_node_count", NODE_COUNTS, [(0, 140, 0, 400), (400, 800, 400, 2000)]
    elif name == "distractor-type":
        key, values, ranges = "distractor_type", DISTRACTORS, [(500, 874, 400, 2000)]
    else:
        return {}
    donors: dict[int, Row] = {}
    for first, last, begin, end in ranges:
        fitting = {value: iter([row for row in depth[begin:end] if row["config"][key] == value]) for value in values}
        for slot in range(first, last):
            if (row := next(fitting[values[slot % len(values)]], None)) is not None:
                donors[slot] = row
    return donors


def _new(name: str, slot: int, context_length: int) -> Row:
    """A row of one list, its free variables drawn at random, the varied one by the slot."""
    rng = random.Random(f"{name}/{context_length}/{slot}")
    depth, nodes = rng.choice(DEPTHS), rng.choice(NODE_COUNTS)
    form, distractor = rng.choice(FORMATS), rng.choice(DISTRACTORS)
    if name == "question-depth":
        depth = DEPTHS[slot % 4]
    elif name == "node-count":
        nodes = NODE_COUNTS[slot % 4]
    elif name == "question-format":
        form = FORMATS[slot % 3]
    elif name == "distractor-type":
        distractor = DISTRACTORS[slot % 5]
    config: Row = {
        "question_depth": depth,
        "component_node_count": nodes,
        "question_format": form,
        "distractor_type": distractor,
        "context_length": context_length,
        "none_option": 0,
        "alpha": 0.1,
        "cutoff_date": "2026-04-01",
        "traversal_mode": "undirected",
        "needle_type": "citation",
        "num_options": 4,
    }
    row: Row = {
        "qid": hashlib.sha256(f"{name}/{context_length}/{slot}".encode("ascii")).hexdigest(),
        "reachability_task": TASKS[form],
        "system_prompt": "You answer questions about a citation graph.",
        "user_prompt": "",
        "question_type": form,
        "generator_version": "create_dataset.v1:4",
        "config": config,
        "token_counts": {key: int(context_length * share) - rng.randrange(900) for key, share in TOKENS.items()},
        "experiments": [],
    }
    source, target = filler(rng, 60), filler(rng, 60)
    if form == "reachability-yesno":
        row["question"] = f"Is the paper “{target}” reachable from the paper “{source}”?"
        row["answer"] = config["answer_condition"] = rng.choice(("YES", "NO"))
        config["yes_ratio"] = 0.5
    elif form == "reachability-multiple":
        row["options"] = [{"label": label, "text": filler(rng, 60)} for label in "ABCD"]
        row["question"] = _multiple_choice(source, row["options"])
        row["answer"] = config["answer_condition"] = rng.choice("ABCD")
    else:
        row["question"] = f"How many distinct papers are reachable from the paper “{source}”, not counting itself?"
        row["answer"] = str(nodes - 1)
    row["answer_type"] = form.replace("-", "_").upper()
    return row


def _place(row: Row, name: str, slot: int, context_length: int) -> Row:
    """Enters a row into a list."""
    row["experiments"].append(
        {
            "name": name,
            "context_length": context_length,
            "random_seed": 1,
            "slot": slot,
            "path": f"context_length={context_length // 1000}k/seed=1/alpha=0.1/vary={name}/experiment.jsonl",
        }
    )
    return row


def _with_none(row: Row, slot: int) -> Row:
    """A multiple-choice row with the None option appended, in the lists of three models."""
    options = [*row["options"], {"label": "E", "text": NONE_OPTION}]
    converted = row | {
        "qid": hashlib.sha256(f"none/{row['qid']}".encode("ascii")).hexdigest(),
        "options": options,
        "question": _multiple_choice("the same source", options),
        "config": row["config"] | {"none_option": 1, "source_qid": row["qid"]},
        "experiments": [],
    }
    for model in NONE_MODELS:
        name = f"question-format/none-option/reasoning_effort=low/model={model}"
        _place(converted, name, slot, row["config"]["context_length"])
    return converted


def _multiple_choice(source: str, options: list[dict[str, str]]) -> str:
    listed = "\n".join(f"{option['label']}. {option['text']}" for option in options)
    return f"Which paper is reachable from the paper “{source}”?\n{listed}"


def filler(rng: random.Random, characters: int) -> str:
    """Words without meaning, about as rich in quotes, line breaks and accents as references and prose are."""
    syllables = ("ka", "le", "mi", "no", "ru", "se", "ta", "vo", "xi", "o")
    words: Iterator[str] = ("".join(rng.choices(syllables, k=rng.randint(1, 4))) for _ in itertools.count())
    pieces: list[str] = []
    size = 0
    while size < characters:
        after = rng.choices((" ", ". ", ", ", '" "', "\n", "é ", " “", "” "), (800, 80, 80, 10, 25, 15, 10, 10))[0]
        pieces.append(next(words) + after)
        size += len(pieces[-1])
    return "".join(pieces)[:characters].strip()
