"""Rows of ``examples.jsonl`` in the published schema, and of ``pool.jsonl`` with what lies behind them."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from graphniah_inspect.build.question import ANSWER_TYPES, KINDS
from graphniah_inspect.build.settings import GENERATOR_VERSION, OPTIONS, TOKENIZER_NAME
from graphniah_inspect.citations.text import SYSTEM_PROMPT, frame, render_question

if TYPE_CHECKING:
    from graphniah_inspect.build.example import Example
    from graphniah_inspect.build.materials import Materials

_DIGITS = 6


def example_row(
    materials: Materials, example: Example, qid: str, source_qid: str | None, entries: list[dict[str, Any]]
) -> dict[str, Any]:
    """A row of ``examples.jsonl``.

    Args:
        materials: What it was made from.
        example: The example.
        qid: Its id.
        source_qid: The example that it was converted from, for a None variant.
        entries: The lists that hold it.
    """
    variables, user_prompt = example.variables, example.user_prompt
    counts = {name: count(SYSTEM_PROMPT) + count(user_prompt) for name, count in materials.counters.items()}
    row: dict[str, Any] = {
        "qid": qid,
        "reachability_task": KINDS[variables.question_format],
        "system_prompt": SYSTEM_PROMPT,
        "user_prompt": user_prompt,
        "question": render_question(example.question),
        "answer": example.answer,
        "question_type": variables.question_format,
        "answer_type": ANSWER_TYPES[variables.question_format],
    }
    if example.question.options:
        labelled = example.question.labelled_options
        row["options"] = [{"label": label, "text": text} for label, text in labelled]
    row["config"] = _config(materials, example, source_qid, len(user_prompt))
    row["token_counts"] = {TOKENIZER_NAME: example.tokens, **counts}
    row["generator_version"] = GENERATOR_VERSION
    row["experiments"] = entries
    return row


def _config(materials: Materials, example: Example, source_qid: str | None, characters: int) -> dict[str, Any]:
    variables, settings = example.variables, materials.settings
    config: dict[str, Any] = {
        "question_depth": variables.question_depth,
        "component_node_count": variables.component_node_count,
        "question_format": variables.question_format,
        "distractor_type": variables.distractor_type,
        "context_length": variables.context_length,
    }
    if variables.answer_condition:
        config["answer_condition"] = variables.answer_condition
    config["none_option"] = int(source_qid is not None)
    if source_qid:
        config["source_qid"] = source_qid
    own = example.subgraph.components[example.subgraph.cast.source_component]
    corpus_ids = materials.snapshot.corpus_ids
    config |= {
        "alpha": settings.alpha,
        "cutoff_date": materials.cutoff,
        "traversal_mode": "undirected",
        "needle_type": "papers-only",
        "needle_order": "shuffled",
        "num_options": OPTIONS,
        "yes_ratio": 0.5,
        "num_components": settings.components,
        "num_fill_components": example.fill_components,
        "component_sizes": [len(component.papers) for component in example.subgraph.components],
        "equal_sizes": settings.equal_sizes,
        "any_date_growth": settings.any_date_growth,
        "balance": settings.balance,
        "seed_hops": settings.seed_hops,
        "allow_repeats": settings.allow_repeats,
        "piece_size": settings.piece_size,
        "random_seed": settings.seed,
        "replicate": variables.replicate,
        "component_id": component_id(corpus_ids[list(own.papers)].tolist()),
        **positions(example, characters),
    }
    return config


def component_id(papers: list[int]) -> str:
    """16 hexadecimal digits that name a set of papers."""
    return sha256(",".join(map(str, sorted(papers))).encode()).hexdigest()[:16]


def positions(example: Example, characters: int) -> dict[str, float]:
    """Where s, t and the true path stand, as fractions of the user prompt's characters.

    ``source_position`` and ``target_position`` (not for counting) say where the paper's own block begins, or, for a
    paper without one, the first block that lists it; ``path_start`` and ``path_end`` bound the blocks in which the
    citations of the true path are written.
    """
    starts = block_starts(example)
    path = example.subgraph.path
    spans = [
        (start, start + len(block.text))
        for start, block in zip(starts, example.blocks, strict=True)
        if _on_path(block, path)
    ]
    found = {"source_position": _introduced(example, starts, path[0])}
    if example.target is not None:
        found["target_position"] = _introduced(example, starts, example.target)
    found["path_start"] = min(start for start, _ in spans)
    found["path_end"] = max(end for _, end in spans)
    return {name: round(place / characters, _DIGITS) for name, place in found.items()}


def block_starts(example: Example) -> list[int]:
    """The character of the user prompt at which each block begins."""
    place = len(frame(example.question)[0])
    starts = []
    for block in example.blocks:
        starts.append(place)
        place += len(block.text)
    return starts


def _introduced(example: Example, starts: list[int], paper: int) -> int:
    """Where a paper's own block begins, or else the first block that lists it."""
    listed = -1
    for start, block in zip(starts, example.blocks, strict=True):
        if block.citing == paper:
            return start
        if listed < 0 and paper in block.cited:
            listed = start
    return listed


def _on_path(block: Any, path: list[int]) -> bool:
    """Whether a block writes one of the citations of the path."""
    return block.citing in path and any(
        (block.citing == a and b in block.cited) or (block.citing == b and a in block.cited) for a, b in pairwise(path)
    )


def pool_row(materials: Materials, example: Example, row: dict[str, Any]) -> dict[str, Any]:
    """A row of ``pool.jsonl``: everything but the prompt, and what the prompt was made from.

    Papers are given as Semantic Scholar corpus ids.
    """
    ids = np.asarray(materials.snapshot.corpus_ids)

    def corpus(papers: Sequence[int]) -> list[int]:
        return [int(ids[paper]) for paper in papers]

    subgraph, characters = example.subgraph, len(row["user_prompt"])
    starts = block_starts(example)
    own = {paper for component in subgraph.components for paper in component.papers}
    blocks = list(zip(starts, example.blocks, strict=True))
    needles = [(start, block) for start, block in blocks if block.citing in own]
    return {
        **{name: value for name, value in row.items() if name not in ("user_prompt", "system_prompt")},
        "source": int(ids[subgraph.path[0]]),
        "target": None if example.target is None else int(ids[example.target]),
        "true_path": corpus(subgraph.path),
        "path_positions": [
            round(start / characters, _DIGITS) for start, block in needles if _on_path(block, subgraph.path)
        ],
        "seed_paper": int(ids[subgraph.seed]),
        "groups_drawn": subgraph.groups,
        "backbones": [corpus(component.backbone) for component in subgraph.components],
        "component_papers": [corpus(component.papers) for component in subgraph.components],
        "citations": [ids[np.array(component.citations)].tolist() for component in subgraph.components],
        "needles": [block.text for _, block in needles],
        "distractors": [
            block.source if block.citing is None else {"citing": int(ids[block.citing]), "cited": corpus(block.cited)}
            for _, block in blocks
            if block.citing not in own
        ],
    }
