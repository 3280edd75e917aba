"""Which samples several runs share, and whether they may be compared at all."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphniah_inspect.errors import UserError
from graphniah_inspect.report.runs import DECISIVE, Run
from graphniah_inspect.report.stats import Codes, Floats, cluster_codes

CLUSTER_KEYS = ("component_id", "source_qid", "qid")
SHOWN = 5


@dataclass(frozen=True)
class Paired:
    """Scores of several runs on the samples that all of them have.

    Attributes:
        runs: The runs, in the order of the rows of `scores`.
        ids: Sample ids, sorted.
        scores: Mean score over epochs, [runs, samples].
        codes: Cluster of each sample, [samples].
        cluster_by: The metadata that the clusters are.
        epochs: Common multiple of the numbers of epochs behind the means; 1 where there is none of use.
        most_epochs: Most scores behind any mean.
        metadata: Of each sample.
        notes: What a reader must know: samples left out, conditions that differ.
    """

    runs: tuple[Run, ...]
    ids: tuple[str, ...]
    scores: Floats
    codes: Codes
    cluster_by: str
    epochs: int
    most_epochs: int
    metadata: tuple[Mapping[str, Any], ...]
    notes: tuple[str, ...]


def pair(runs: Sequence[Run], *, intersect: bool = False, cluster: str | None = None) -> Paired:
    """Pair runs by sample id and epoch.

    Args:
        runs: Two or more.
        intersect: Compare what all runs share instead of refusing runs whose samples or choices differ.
        cluster: Metadata key to cluster by; by default the first of `CLUSTER_KEYS` that a sample has.

    Raises:
        UserError: The runs differ in data, task version, scoring or context; in anything, unless `intersect`;
            or share nothing.
    """
    first = runs[0]
    notes: list[str] = []
    for other in runs[1:]:
        decisive, rest = _differences(first, other)
        if decisive or (rest and not intersect):
            advice = (
                "Such runs cannot be compared."
                if decisive
                else "Compare like with like, or only what they share with --intersect."
            )
            listed = "\n".join(f"  {line}" for line in decisive + rest)
            raise UserError(f"{first.file} and {other.file} do not match:\n{listed}\n{advice}")
        notes += [f"Not the same everywhere: {line}" for line in rest]
    gaps = [note for run in runs if (note := _gaps(run))]
    if gaps and not intersect:
        raise UserError(
            "Some samples have no score:\n"
            + "\n".join(f"  {gap}" for gap in gaps)
            + "\nFinish the run (`inspect eval-retry LOG`), or leave these samples out: --intersect."
        )
    notes += gaps
    shared = set(first.scores)
    for run in runs[1:]:
        shared &= set(run.scores)
    if not shared:
        raise UserError("The runs share no sample: " + "; ".join(f"{r.file}: {min(r.scores)[0]} ..." for r in runs))
    epochs_of: dict[str, list[int]] = {}
    for sample, epoch in sorted(shared):
        epochs_of.setdefault(sample, []).append(epoch)
    for other in runs[1:]:
        _check_same_samples(first, other, list(epochs_of))
    if intersect:
        notes.append(f"Compared on the {len(epochs_of)} samples that have a score in all {len(runs)} runs.")
    multiple = math.lcm(*(len(epochs) for epochs in epochs_of.values()))
    metadata = tuple(first.metadata[sample] for sample in epochs_of)
    codes, cluster_by = _clusters(tuple(epochs_of), metadata, cluster)
    return Paired(
        runs=tuple(runs),
        ids=tuple(epochs_of),
        scores=np.array(
            [
                [
                    float(np.mean([run.scores[sample, epoch] for epoch in epochs]))
                    for sample, epochs in epochs_of.items()
                ]
                for run in runs
            ]
        ),
        codes=codes,
        cluster_by=cluster_by,
        epochs=multiple if multiple <= 60 else 1,
        most_epochs=max(map(len, epochs_of.values())),
        metadata=metadata,
        notes=tuple(notes),
    )


def _differences(first: Run, other: Run) -> tuple[list[str], list[str]]:
    """What forbids comparing two runs, and what only `intersect` allows."""
    decisive: list[str] = []
    rest: list[str] = []
    for name in sorted(set(first.conditions) | set(other.conditions)):
        here, there = first.conditions.get(name, "not recorded"), other.conditions.get(name, "not recorded")
        if here != there:
            (decisive if name in DECISIVE else rest).append(f"{name}: {here} against {there}")
    samples, others = _planned(first), _planned(other)
    for name, mine, theirs in (
        ("samples", {key[0] for key in samples}, {key[0] for key in others}),
        ("epochs", {str(key[1]) for key in samples}, {str(key[1]) for key in others}),
    ):
        if mine != theirs:
            only = [
                f"{len(part)} only in the {which} ({_some(part)})"
                for which, part in (("first", mine - theirs), ("second", theirs - mine))
                if part
            ]
            rest.append(f"{name}: {', '.join(only)}")
    if not any(line.startswith(("samples", "epochs")) for line in rest) and samples != others:
        rest.append(f"epochs of some samples: {_some({f'{key[0]} ({key[1]})' for key in samples ^ others})}")
    return decisive, rest


def _planned(run: Run) -> set[tuple[str, int]]:
    return set(run.scores) | set(run.unscored)


def _gaps(run: Run) -> str | None:
    if not run.unscored:
        return None
    (sample, epoch), reason = min(run.unscored.items())
    total = len(_planned(run))
    return (
        f"{run.file} ({run.status}): {len(run.unscored)} of {total} without a score, "
        f"e.g. {sample} (epoch {epoch}): {reason}"
    )


def _check_same_samples(first: Run, other: Run, ids: Sequence[str]) -> None:
    """One id must be one example: same qid where recorded, same target."""
    for sample in ids:
        for name, here, there in (
            ("qid", first.metadata[sample].get("qid"), other.metadata[sample].get("qid")),
            ("target", first.targets[sample], other.targets[sample]),
        ):
            if here != there:
                raise UserError(
                    f"Sample {sample} is not the same example in {first.file} and {other.file}: "
                    f"{name} {here} against {there}. Such runs cannot be compared."
                )


def _clusters(ids: Sequence[str], metadata: Sequence[Mapping[str, Any]], wanted: str | None) -> tuple[Codes, str]:
    if wanted is not None:
        check_key(wanted, metadata)
    used: dict[str, None] = {}
    keys: list[object] = []
    for sample, facts in zip(ids, metadata, strict=True):
        names = (wanted,) if wanted is not None else CLUSTER_KEYS
        name = next((name for name in names if facts.get(name) is not None), None)
        used[name or "sample id"] = None
        # A converted example and the one it was made from are one cluster, under the original's qid.
        keys.append((name == "component_id", facts[name]) if name else ("id", sample))
    return cluster_codes(keys), " or ".join(used)


def check_key(key: str, metadata: Sequence[Mapping[str, Any]]) -> None:
    """Refuse a metadata key that no sample has, with the list of those there are."""
    known = sorted({name for facts in metadata for name in facts})
    if key not in known:
        raise UserError(f"No sample has the metadata {key!r}. There are: {', '.join(known) or 'none'}.")


def _some(items: set[str]) -> str:
    listed = sorted(items)
    return ", ".join(listed[:SHOWN]) + (", ..." if len(listed) > SHOWN else "")
