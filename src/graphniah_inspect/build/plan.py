"""Which examples stand in which lists at which slots: planned whole, before anything is built.

Lists are round-robin over the varied values, slots gapless. What a list does not vary is drawn for each entry; labels
come in shuffled rounds for each value and format, so that they balance in every prefix. Entries of different lists with
the same variables and replicate are one example.
"""

import zlib
from collections import Counter
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import msgspec

from graphniah_inspect.build.backbone import backbone_length
from graphniah_inspect.build.draws import Draws
from graphniah_inspect.build.settings import (
    FORMATS,
    GENERATOR_VERSION,
    TOKENIZER,
    Settings,
)

LABELS: dict[str, tuple[str | None, ...]] = {
    "reachability-yesno": ("YES", "NO"),
    "reachability-multiple": tuple("ABCD"),
    "reachability-counting": (None,),
}
_NONE_PREFIX = "question-format/none-option/"


@dataclass(frozen=True)
class Variables:
    """What the experiments vary or draw: with ``replicate`` all that tells examples of one build apart.

    Attributes:
        question_format: One of ``FORMATS``.
        question_depth: Papers of the true path.
        component_node_count: Papers of s's component.
        distractor_type: What fills the context.
        context_length: Target in tokens.
        answer_condition: The planned label; None for counting.
        replicate: How many earlier entries of the same list had the same variables.
    """

    question_format: str
    question_depth: int
    component_node_count: int
    distractor_type: str
    context_length: int
    answer_condition: str | None
    replicate: int = 0


@dataclass
class Job:
    """An example to build.

    Attributes:
        qid: Its id, from its variables, the construction settings and the data it is made from.
        variables: What to build.
        entries: The ``experiments`` of its row.
        none_qid: Id of its None variant; empty when there is none.
        none_entries: The ``experiments`` of that row.
    """

    qid: str
    variables: Variables
    entries: list[dict[str, Any]] = field(default_factory=list)
    none_qid: str = ""
    none_entries: list[dict[str, Any]] = field(default_factory=list)

    @property
    def rows(self) -> int:
        """Rows that it becomes."""
        return 2 if self.none_qid else 1


@dataclass(frozen=True)
class ExperimentList:
    """An ordered list of examples.

    Attributes:
        name: ``experiments[].name``.
        context_length: Of all its examples.
        path: The list's file, as in the published archive.
        qids: The examples in slot order.
        values: What each slot varies; empty for lists that vary nothing.
    """

    name: str
    context_length: int
    path: str
    qids: list[str]
    values: list[Any]


@dataclass(frozen=True)
class Plan:
    """All jobs, in the order in which they are built and written, and all lists."""

    jobs: list[Job]
    lists: list[ExperimentList]

    @property
    def rows(self) -> int:
        """Rows of ``examples.jsonl``."""
        return sum(job.rows for job in self.jobs)


def length_name(tokens: int) -> str:
    """A context length as archive paths write it: 200000 is ``200k``."""
    return f"{tokens // 1000}k" if tokens % 1000 == 0 else str(tokens)


def identity(settings: Settings, variables: Variables, materials: dict[str, Any]) -> str:
    """The ``qid``: SHA-256 over the canonical JSON of everything that an example depends on."""
    whole = {
        "variables": variables.__dict__,
        "settings": settings.construction(),
        "materials": materials,
        "tokenizer": TOKENIZER,
        "generator_version": GENERATOR_VERSION,
    }
    return sha256(msgspec.json.encode(whole, order="deterministic")).hexdigest()


def make_plan(settings: Settings, cutoff: str, snapshot_id: str, pool_ids: dict[str, str]) -> Plan:
    """Plan every list of the chosen experiments.

    Args:
        settings: What to build.
        cutoff: The snapshot's cutoff date, for the lists' paths.
        snapshot_id: Identity of the citation data.
        pool_ids: Identity of each text pool, by distractor type.
    """
    jobs: dict[str, Job] = {}
    lists: list[ExperimentList] = []
    for name, length, varied in _lists(settings):
        path = _path(settings, cutoff, length, name)
        draws = Draws(settings.seed, zlib.crc32(f"{name}@{length}".encode()))
        rounds: dict[tuple[Any, str], list[str | None]] = {}
        earlier: Counter[Variables] = Counter()
        qids: list[str] = []
        values: list[Any] = []
        for slot in range(settings.per_value * len(varied)):
            value = varied[slot % len(varied)]
            drawn = _draw(settings, name, length, value, rounds, draws)
            variables = Variables(**{**drawn.__dict__, "replicate": earlier[drawn]})
            earlier[drawn] += 1
            pool = variables.distractor_type
            qid = identity(settings, variables, {"snapshot": snapshot_id, "pool": pool_ids.get(pool)})
            job = jobs.setdefault(qid, Job(qid, variables))
            job.entries.append(_entry(name, length, settings.seed, slot, path))
            qids.append(qid)
            values.append(value)
        lists.append(ExperimentList(name, length, path, qids, values if len(varied) > 1 else []))
    if "none-option" in settings.experiments:
        lists += _none_lists(settings, cutoff, jobs, next(x for x in lists if x.name == "question-format"))
    return Plan(list(jobs.values()), lists)


def _lists(settings: Settings) -> list[tuple[str, int, tuple[Any, ...]]]:
    """Name, length and varied values of every list."""
    base = settings.base_length
    varied: dict[str, tuple[Any, ...]] = {
        "question-depth": settings.depths,
        "node-count": settings.node_counts,
        "question-format": FORMATS,
        "distractor-type": settings.distractor_types,
        "reasoning_effort": (None,),
    }
    lists = [(name, base, values) for name, values in varied.items() if name in settings.experiments]
    if "context_length" in settings.experiments:
        lists += [("context_length", length, (None,)) for length in settings.context_lengths[1:]]
    return lists


def _draw(
    settings: Settings,
    name: str,
    length: int,
    value: Any,
    rounds: dict[tuple[Any, str], list[str | None]],
    draws: Draws,
) -> Variables:
    """The variables of one entry: the varied one as given, the others drawn, always in the same order."""
    fixed_size = value if name == "node-count" else None
    fitting = [d for d in settings.depths if fixed_size is None or backbone_length(d) <= fixed_size]
    depth = draws.choice(fitting)
    if name == "question-depth":
        depth = value
    low, high = settings.sizes(depth)
    size = low + draws.below(high - low + 1)
    kind = draws.choice(FORMATS)
    if name == "question-format":
        kind = value
    distractor = draws.choice(settings.distractor_types)
    if name == "distractor-type":
        distractor = value
    labels = rounds.setdefault((value, kind), [])
    if not labels:
        labels += LABELS[kind]
        draws.shuffle(labels)
    return Variables(
        question_format=kind,
        question_depth=depth,
        component_node_count=fixed_size or size,
        distractor_type=distractor,
        context_length=length,
        answer_condition=labels.pop(),
    )


def _none_lists(settings: Settings, cutoff: str, jobs: dict[str, Job], formats: ExperimentList) -> list[ExperimentList]:
    """The lists of None variants: the first multiple-choice examples of ``question-format``."""
    chosen = [jobs[q] for q in formats.qids if jobs[q].variables.question_format == "reachability-multiple"]
    chosen = chosen[: settings.none_count]
    for job in chosen:
        source = {"source_qid": job.qid, "none_option": 1, "generator_version": GENERATOR_VERSION}
        job.none_qid = sha256(msgspec.json.encode(source, order="deterministic")).hexdigest()
    lists = []
    for suffix in settings.none_lists:
        name = _NONE_PREFIX + suffix
        path = _path(settings, cutoff, formats.context_length, name)
        for slot, job in enumerate(chosen):
            job.none_entries.append(_entry(name, formats.context_length, settings.seed, slot, path))
        lists.append(ExperimentList(name, formats.context_length, path, [job.none_qid for job in chosen], []))
    return lists


def _entry(name: str, length: int, seed: int, slot: int, path: str) -> dict[str, Any]:
    return {"name": name, "context_length": length, "random_seed": seed, "slot": slot, "path": path}


def _path(settings: Settings, cutoff: str, length: int, name: str) -> str:
    hops = "-".join(str(backbone_length(depth)) for depth in settings.depths)
    return (
        f"output/experiments.v1/cutoff_date={cutoff}/hops={hops}/context_length={length_name(length)}/"
        f"seed={settings.seed}/alpha={settings.alpha:g}/vary={name}/experiment.jsonl"
    )
