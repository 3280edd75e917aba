"""Metrics of one value of a score (F1, precision, ...): Inspect's own, repeatable and by group.

They average what the epochs of a sample average to, so every figure means the same with one epoch and with
several.
"""

from typing import cast

import numpy as np
from inspect_ai.scorer import Metric, MetricProtocol, SampleScore, Value, ci, grouped, mean, metric, stderr

SEED = 20260227


@metric
def bootstrap_ci() -> Metric:
    """Inspect's 95 % percentile bootstrap interval of the mean (`lower`, `upper`), with a fixed seed.

    Without the seed, scoring one log twice would give two intervals.
    """
    interval = cast(MetricProtocol, ci(level=0.95, method="bootstrap", num_samples=2000))

    def compute(scores: list[SampleScore]) -> Value:
        if not scores:
            return {"lower": float("nan"), "upper": float("nan")}
        state = np.random.get_state()
        np.random.seed(SEED)
        try:
            return interval(scores)
        finally:
            np.random.set_state(state)

    return compute


def _by(key: str) -> MetricProtocol:
    """Mean, standard error and interval of every group of samples that share a metadata value."""
    means = cast(MetricProtocol, grouped(mean(), key, all=False))
    errors = cast(MetricProtocol, grouped(stderr(), key, all=False, name_template="{group_name} stderr"))
    interval = cast(MetricProtocol, bootstrap_ci())

    def compute(scores: list[SampleScore]) -> Value:
        if not scores:
            return float("nan")
        groups: dict[str, list[SampleScore]] = {}
        for score in scores:
            groups.setdefault(str((score.sample_metadata or {}).get(key)), []).append(score)
        values: dict[str, float] = {}
        of_means = cast(dict[str, float], means(scores))
        of_errors = cast(dict[str, float], errors(scores))
        for name in sorted(groups, key=_natural):
            bounds = cast(dict[str, float], interval(groups[name]))
            values[name] = of_means[name]
            values[f"{name} stderr"] = of_errors[f"{name} stderr"]
            values[f"{name} lower"], values[f"{name} upper"] = bounds["lower"], bounds["upper"]
        return cast(Value, values)

    return compute


def _natural(name: str) -> tuple[float, str]:
    """Sizes in order: `2-9` before `10-99`, `256k` before `1m`."""
    digits = name.split("-")[0].rstrip("km+")
    return (float(digits) * (1000 if name.endswith("m") else 1) if digits.isdigit() else -1.0, name)


@metric
def by_type() -> Metric:
    """The mean with its standard error and interval for bfs and for parents."""
    return _by("problem_type")


@metric
def by_band() -> Metric:
    """The same for every length band."""
    return _by("band")


@metric
def by_truth_size() -> Metric:
    """The same for every class of the number of true nodes, `0` (empty) among them."""
    return _by("truth_size_band")
