"""Runs on the same samples, compared two by two: what differs, how surely, and what n could have shown."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

import numpy as np

from graphniah_inspect.errors import UserError
from graphniah_inspect.report.pairing import Paired, check_key
from graphniah_inspect.report.stats import (
    Floats,
    Interval,
    accuracy_interval,
    cluster_codes,
    holm,
    mcnemar_p,
    paired_difference,
    sign_flip_p,
    smallest_difference,
)

LEVEL = 0.05
POWER = 0.8
EVERYTHING = "all"


@dataclass(frozen=True)
class Accuracy:
    """Mean score of one run on one group of samples; a share in 0..1, with its Wilson interval."""

    run: str
    group: str
    n: int
    accuracy: float
    interval: Interval


@dataclass(frozen=True)
class Comparison:
    """Two runs on one group of samples. Differences are first less second, as shares (-1..1).

    Attributes:
        group: Value of the metadata that samples are grouped by; `all` for all of them.
        n: Samples.
        clusters: Independent clusters of samples.
        first_better: Samples on which only the first was right (or scored higher).
        second_better: The same for the second; both together are the discordant pairs.
        mcnemar_p: Exact McNemar test over samples, as if all were independent.
        p: Exact sign-flip test over clusters; equals McNemar's where every sample is a cluster of its own.
        p_holm: `p` adjusted for all comparisons of the same family (all pairs; all pairs times groups).
        family: How many comparisons that is.
        smallest: Smallest difference shown with 80 % power at the 5 % level; None with too few pairs.
    """

    first: str
    second: str
    group: str
    n: int
    clusters: int
    difference: float
    standard_error: float
    interval: Interval
    first_better: int
    second_better: int
    mcnemar_p: float
    p: float
    p_holm: float
    family: int
    smallest: float | None

    @property
    def verdict(self) -> str:
        """The result as a sentence that may be quoted."""
        swapped = self.difference < 0
        low, high = (-self.interval.high, -self.interval.low) if swapped else (self.interval.low, self.interval.high)
        size = f"{abs(self.difference) * 100:.1f} points"
        bounds = f"95 % interval {low * 100:.1f} to {high * 100:.1f}"
        adjusted = f" after Holm over {self.family} comparisons" if self.family > 1 else ""
        if self.p_holm <= LEVEL:
            better, worse = (self.second, self.first) if swapped else (self.first, self.second)
            return f"{better} is better than {worse} by {size} ({bounds}; p = {self.p_holm:.2g}{adjusted})."
        if self.p <= LEVEL:
            adjusted += f", {self.p:.2g} without"
        limit = (
            f"{self.n} pairs are too few to show any difference with {POWER * 100:.0f} % power"
            if self.smallest is None
            else f"the smallest difference that n={self.n} pairs show with {POWER * 100:.0f} % power is "
            f"{self.smallest * 100:.1f} points"
        )
        return (
            f"{self.first} and {self.second} are not distinguishable at this n (difference "
            f"{self.difference * 100:.1f} points, 95 % interval {self.interval.low * 100:.1f} to "
            f"{self.interval.high * 100:.1f}; p = {self.p_holm:.2g}{adjusted}); {limit}."
        )


@dataclass(frozen=True)
class Report:
    """Everything that a page about the comparison states."""

    files: Mapping[str, str]
    n: int
    clusters: int
    cluster_by: str
    epochs: int
    by: str | None
    method: str
    notes: tuple[str, ...]
    accuracies: tuple[Accuracy, ...]
    comparisons: tuple[Comparison, ...]


def compare(paired: Paired, *, by: str | None = None, baseline: str | None = None) -> Report:
    """Compare all pairs of runs, over all samples and by a metadata key's values.

    Args:
        paired: The runs.
        by: Metadata key, e.g. `value` or `distractor_type`.
        baseline: Label or file of the run to compare the others with, instead of all pairs.

    Raises:
        UserError: Unknown key or baseline.
    """
    pairs = _pairs(paired, baseline)
    groups = [(EVERYTHING, np.arange(len(paired.ids)))]
    by_value = _groups(paired, by) if by is not None else []
    overall = _family(paired, pairs, groups)
    grouped = _family(paired, pairs, by_value)
    accuracies = [
        Accuracy(run.label, group, len(chosen), float(scores[chosen].mean()), _interval(paired, scores, chosen))
        for group, chosen in groups + by_value
        for run, scores in zip(paired.runs, paired.scores, strict=True)
    ]
    clusters = int(paired.codes.max()) + 1
    return Report(
        files={run.label: run.file for run in paired.runs},
        n=len(paired.ids),
        clusters=clusters,
        cluster_by=paired.cluster_by,
        epochs=paired.most_epochs,
        by=by,
        method=_method(paired, clusters),
        notes=paired.notes,
        accuracies=tuple(accuracies),
        comparisons=tuple(overall + grouped),
    )


def _pairs(paired: Paired, baseline: str | None) -> list[tuple[int, int]]:
    everyone = range(len(paired.runs))
    if baseline is None:
        return list(combinations(everyone, 2))
    place = Path(baseline).absolute()
    found = [i for i, run in enumerate(paired.runs) if baseline == run.label or place == Path(run.file).absolute()]
    if len(found) != 1:
        known = ", ".join(run.label for run in paired.runs)
        raise UserError(f"--baseline {baseline!r} is none of the runs. Known: {known}.")
    return [(other, found[0]) for other in everyone if other != found[0]]


def _groups(paired: Paired, by: str) -> list[tuple[str, np.ndarray]]:
    check_key(by, paired.metadata)
    held = [facts.get(by) for facts in paired.metadata]
    values = sorted(set(held), key=lambda v: (v is None, isinstance(v, str), v if v is not None else 0, str(v)))
    return [
        (f"{by}={value if value is not None else '(none)'}", np.flatnonzero([v == value for v in held]))
        for value in values
    ]


def _family(
    paired: Paired, pairs: Iterable[tuple[int, int]], groups: Iterable[tuple[str, np.ndarray]]
) -> list[Comparison]:
    """Comparisons that are adjusted together."""
    found = [_compare_two(paired, i, j, group, chosen) for group, chosen in groups for i, j in pairs]
    adjusted = holm([comparison.p for comparison in found])
    return [replace(comparison, p_holm=p, family=len(found)) for comparison, p in zip(found, adjusted, strict=True)]


def _compare_two(paired: Paired, i: int, j: int, group: str, chosen: np.ndarray) -> Comparison:
    first, second = paired.scores[i][chosen], paired.scores[j][chosen]
    codes = cluster_codes(paired.codes[chosen].tolist())
    result = paired_difference(first, second, codes)
    # Means over epochs that should be equal may differ in the last bit.
    better, worse = int((first - second > 1e-9).sum()), int((second - first > 1e-9).sum())
    return Comparison(
        first=paired.runs[i].label,
        second=paired.runs[j].label,
        group=group,
        n=len(chosen),
        clusters=int(codes.max()) + 1,
        difference=result.estimate,
        standard_error=result.standard_error,
        interval=result.interval,
        first_better=better,
        second_better=worse,
        mcnemar_p=mcnemar_p(better, worse),
        p=sign_flip_p(first - second, codes, paired.epochs),
        p_holm=1.0,
        family=1,
        smallest=smallest_difference(result.effective_pairs, result.gain + result.loss, POWER, LEVEL),
    )


def _interval(paired: Paired, scores: Floats, chosen: np.ndarray) -> Interval:
    return accuracy_interval(scores[chosen], cluster_codes(paired.codes[chosen].tolist()))


def _method(paired: Paired, clusters: int) -> str:
    independent = clusters == len(paired.ids)
    return (
        f"{len(paired.ids)} samples paired by id"
        + (f", each a mean over up to {paired.most_epochs} epochs" if paired.most_epochs > 1 else "")
        + f"; {clusters} clusters by {paired.cluster_by}"
        + (" (every sample its own)" if independent else "")
        + ". Accuracy: Wilson 95 % interval. Difference: clustered standard error (Miller 2024, arXiv "
        "2411.00640), Tango's 95 % score interval"
        + ("" if independent else " at the effective number of pairs, Student's t")
        + ". p: exact McNemar test"
        + ("" if independent else ", generalised to flips of whole clusters")
        + "; Holm-adjusted within all pairs, and within all pairs times groups. Intervals are not adjusted. "
        f"Smallest difference: exact, {POWER * 100:.0f} % power at the {LEVEL * 100:.0f} % level, one "
        "comparison, at the observed share of discordant pairs."
    )
