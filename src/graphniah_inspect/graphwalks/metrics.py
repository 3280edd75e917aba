"""Metrics over a score's dictionary of values: intervals, and everything by group.

Inspect's own mean, standard error and bootstrap, applied to one value at a time. They get what the epochs of
a sample average to, so every figure means the same with one epoch and with several.
"""

from collections.abc import Iterable
from typing import cast

import numpy as np
from inspect_ai.scorer import Metric, MetricProtocol, SampleScore, Score, Value, ci, mean, metric, stderr

from graphniah_inspect.truncation import PROMPT_TRUNCATED

GRADES = ("f1", "exact", "precision", "recall")
SEED = 20260227
RESAMPLES = 2000


@metric
def bootstrap_ci() -> Metric:
    """95 % percentile bootstrap intervals of the means, with a fixed seed: `f1 lower`, `f1 upper`, and so on.

    Without the seed, scoring one log twice would give two intervals.
    """

    def compute(scores: list[SampleScore]) -> Value:
        values: dict[str, float] = {}
        for name in GRADES if scores else ():
            values[f"{name} lower"], values[f"{name} upper"] = _interval(_values(scores, name))
        return cast(Value, values)

    return compute


@metric
def prompt_truncated() -> Metric:
    """The share of prompts that a server cut without a word, by the input tokens that it reports."""

    def compute(scores: list[SampleScore]) -> Value:
        return cast(Value, {PROMPT_TRUNCATED: _applied(mean(), _values(scores, PROMPT_TRUNCATED))} if scores else {})

    return compute


@metric
def by_type() -> Metric:
    """For `bfs` and `parents`: mean F1, ` stderr`, ` lower` and ` upper`, mean ` exact`, ` precision`, ` recall`."""
    return _by("problem_type")


@metric
def by_band() -> Metric:
    """The same for every length band."""
    return _by("band")


@metric
def by_truth_size() -> Metric:
    """The same for every class of the number of true nodes, `truth 0` (the empty set) among them."""
    return _by("truth_size_band", "truth ")


def _by(key: str, prefix: str = "") -> MetricProtocol:
    def compute(scores: list[SampleScore]) -> Value:
        groups: dict[str, list[SampleScore]] = {}
        for score in scores:
            if score.sample_metadata is None or key not in score.sample_metadata:
                raise ValueError(f"Sample {score.sample_id} has no {key} metadata: it is not of a GraphWalks task.")
            groups.setdefault(str(score.sample_metadata[key]), []).append(score)
        values: dict[str, float] = {}
        for group in sorted(groups, key=natural):
            name = prefix + group
            f1 = _values(groups[group], "f1")
            values[name] = _applied(mean(), f1)
            values[f"{name} stderr"] = _applied(stderr(), f1)
            values[f"{name} lower"], values[f"{name} upper"] = _interval(f1)
            for grade in GRADES[1:]:
                values[f"{name} {grade}"] = _applied(mean(), _values(groups[group], grade))
        return cast(Value, values)

    return compute


def natural(name: str) -> tuple[float, str]:
    """A sorting key that puts `2-9` before `10-99` and `256k` before `1m`."""
    digits = name.split("-")[0].rstrip("km+")
    return (float(digits) * (1000 if name.endswith("m") else 1) if digits.isdigit() else -1.0, name)


def _values(scores: Iterable[SampleScore], name: str) -> list[SampleScore]:
    """One value of each score, as Inspect's metrics take them."""
    return [SampleScore(score=Score(value=score.score.as_dict()[name] or 0.0)) for score in scores]


def _applied(of: Metric, scores: list[SampleScore]) -> float:
    return float(cast(float, cast(MetricProtocol, of)(scores)))


def _interval(scores: list[SampleScore]) -> tuple[float, float]:
    state = np.random.get_state()
    np.random.seed(SEED)
    try:
        interval = cast(MetricProtocol, ci(level=0.95, method="bootstrap", num_samples=RESAMPLES))
        bounds = cast(dict[str, float], interval(scores))
    finally:
        np.random.set_state(state)
    return bounds["lower"], bounds["upper"]
