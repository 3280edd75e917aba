"""Statistics for comparing two models on the same samples: pure functions of arrays of scores in 0..1.

Method. Scores are paired by sample; with several epochs a sample's score is its mean over epochs (Miller
2024, arXiv 2411.00640, sections 2 and 4). Samples that share a cluster key (one citation component, say) are
not independent: standard errors add up deviations within a cluster before squaring (same paper, appendix A),
times G / (G - 1) for G clusters.

Intervals invert score tests (Wilson for one accuracy, Tango 1998 for a paired difference) rather than add and
subtract 1.96 standard errors: the latter is too narrow when few pairs differ, and empty when none does.
Clusters and epochs enter as an effective number of pairs, the size at which independent right-or-wrong
samples would have the variance that was observed (Korn and Graubard 1998), and as Student's t with G - 1
degrees of freedom.

What none of this can claim: that the samples stand for others than those they were drawn from, or that the
cluster key catches every dependence.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Codes: TypeAlias = NDArray[np.intp]

_MONTE_CARLO_FLIPS = 20_000
_BISECTIONS = 50


@dataclass(frozen=True)
class Interval:
    """A two-sided interval, bounds included."""

    low: float
    high: float


@dataclass(frozen=True)
class PairedDifference:
    """Mean of `first - second` over samples, with its uncertainty; see the module for the method.

    Attributes:
        estimate: Mean difference, -1..1.
        standard_error: Clustered standard error of the mean; NaN with fewer than two clusters.
        interval: Score interval for the mean difference.
        effective_pairs: Number of independent right-or-wrong pairs that would be as informative.
        gain: Mean of the positive part of the differences; of right-or-wrong scores, the share of samples
            that only the first got right.
        loss: The same for the second.
    """

    estimate: float
    standard_error: float
    interval: Interval
    effective_pairs: float
    gain: float
    loss: float


def cluster_codes(keys: Sequence[object]) -> Codes:
    """Number the distinct keys from 0, in order of first appearance: shape [n], one code a sample."""
    numbers: dict[object, int] = {}
    return np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.intp)


def clustered_variance(values: Floats, codes: Codes) -> float:
    """Variance of the mean of `values` [n], samples of one cluster being correlated; NaN with one cluster."""
    groups = int(codes.max()) + 1
    if groups < 2:
        return float("nan")
    totals = np.bincount(codes, weights=values - values.mean())
    return float(totals @ totals) * groups / (groups - 1) / len(values) ** 2


def accuracy_interval(scores: Floats, codes: Codes, level: float = 0.95) -> Interval:
    """Wilson interval of the mean score; of clustered or graded scores, at their effective sample size."""
    mean = float(scores.mean())
    binary = bool(np.isin(scores, (0.0, 1.0)).all())
    n, z = _size_and_critical(scores, codes, mean * (1 - mean), binary, level)
    if not np.isfinite(z):
        return Interval(0.0, 1.0)
    center = (mean + z * z / (2 * n)) / (1 + z * z / n)
    half = z * np.sqrt(mean * (1 - mean) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return Interval(max(0.0, float(center - half)), min(1.0, float(center + half)))


def paired_difference(first: Floats, second: Floats, codes: Codes, level: float = 0.95) -> PairedDifference:
    """Mean difference of two models' scores [n] on the same samples, clustered by `codes` [n]."""
    difference = first - second
    estimate = float(difference.mean())
    gain, loss = float(np.maximum(difference, 0).mean()), float(np.maximum(-difference, 0).mean())
    binary = bool(np.isin(difference, (-1.0, 0.0, 1.0)).all())
    n, z = _size_and_critical(difference, codes, gain + loss - estimate**2, binary, level)
    low, high = tango_interval(np.array(gain), np.array(loss), np.array(n), z)
    return PairedDifference(
        estimate=estimate,
        standard_error=float(np.sqrt(clustered_variance(difference, codes))),
        interval=Interval(float(low), float(high)),
        effective_pairs=n,
        gain=gain,
        loss=loss,
    )


def _size_and_critical(
    values: Floats, codes: Codes, variance: float, binary: bool, level: float
) -> tuple[float, float]:
    """Effective sample size, and the critical value that goes with it.

    Args:
        values: Scores or differences, [n].
        codes: Cluster of each, [n].
        variance: What one value's variance would be if it were right-or-wrong with the same mean rates.
        binary: Whether it is, so that the variance need not be estimated.
        level: Coverage, 0..1.
    """
    from scipy import stats

    groups = int(codes.max()) + 1
    tail = (1 + level) / 2
    if binary and groups == len(values):
        return float(groups), float(stats.norm.ppf(tail))
    if groups < 2:
        return 1.0, float("inf")
    # Clusters that cancel by chance must not make an interval narrower than independent samples would.
    observed = max(clustered_variance(values, codes), float(values.var()) / len(values))
    size = variance / observed if observed > 1e-15 and variance > 1e-15 else float(groups)
    return size, float(stats.t.ppf(tail, groups - 1))


def tango_interval(gain: Floats, loss: Floats, n: Floats, z: float) -> tuple[Floats, Floats]:
    """Score interval for a difference of two paired proportions (Tango 1998), elementwise.

    Args:
        gain: Share of pairs that only the first got right, any shape.
        loss: Share of pairs that only the second got right, same shape.
        n: Number of pairs, same shape, not necessarily whole.
        z: Critical value; infinite gives -1..1.
    """
    if not np.isfinite(z):
        return np.full_like(gain, -1.0), np.full_like(gain, 1.0)
    estimate = gain - loss

    def excess(delta: Floats) -> Floats:
        """Squared distance of the estimate from `delta`, less the z squared variances that are allowed."""
        b = (2 - gain + loss) * delta - gain - loss
        lost = (np.sqrt(np.maximum(b * b + 8 * loss * delta * (1 - delta), 0)) - b) / 4
        allowed = z * z * np.maximum(2 * lost + delta * (1 - delta), 0) / n
        return np.asarray((estimate - delta) ** 2 - allowed)

    bounds = []
    for end in (-1.0, 1.0):
        inside, outside = estimate.astype(float), np.full_like(estimate, end, dtype=float)
        for _ in range(_BISECTIONS):
            middle = (inside + outside) / 2
            accepted = excess(middle) <= 0
            inside, outside = np.where(accepted, middle, inside), np.where(accepted, outside, middle)
        bounds.append(outside)
    return bounds[0], bounds[1]


def mcnemar_p(first_only: int, second_only: int) -> float:
    """Exact two-sided McNemar test: are the discordant samples split evenly? 1.0 where there are none."""
    from scipy import stats

    discordant = first_only + second_only
    return float(stats.binomtest(first_only, discordant).pvalue) if discordant else 1.0


def sign_flip_p(difference: Floats, codes: Codes, epochs: int = 1, seed: int = 0) -> float:
    """Exact two-sided test that two models are exchangeable: flips the signs of whole clusters.

    With one sample a cluster and one right-or-wrong score a sample this is the exact McNemar test. Graded
    scores, for which totals are no whole numbers, are flipped at random, 20,000 times.

    Args:
        difference: First score less second, [n].
        codes: Cluster of each, [n].
        epochs: How many scores a sample's mean is over, so that right-or-wrong ones add up to whole numbers.
        seed: Of the random flips.
    """
    totals = np.bincount(codes, weights=difference) * epochs
    whole = np.rint(totals).astype(np.int64)
    if np.abs(totals - whole).max() > 1e-6:
        flips = np.random.default_rng(seed).choice((-1.0, 1.0), size=(_MONTE_CARLO_FLIPS, len(totals)))
        extreme = np.abs(flips @ totals) >= abs(totals.sum()) - 1e-9
        return float((1 + extreme.sum()) / (1 + _MONTE_CARLO_FLIPS))
    sizes = np.abs(whole[whole != 0])
    # Probability of every sum of signed sizes, built up one cluster at a time; index 0 is the smallest sum.
    probability = np.ones(1)
    for size in sizes:
        longer = np.zeros(len(probability) + 2 * size)
        longer[: len(probability)] += probability / 2
        longer[2 * size :] += probability / 2
        probability = longer
    sums = np.arange(len(probability)) - int(sizes.sum())
    return min(1.0, float(probability[np.abs(sums) >= abs(int(whole.sum()))].sum()))


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusted p-values by Holm's step-down method, in the order given."""
    adjusted = [0.0] * len(p_values)
    running = 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        running = max(running, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = running
    return adjusted


def smallest_difference(pairs: float, discordant_share: float, power: float = 0.8, alpha: float = 0.05) -> float | None:
    """Smallest true difference that the exact McNemar test finds with the given power; None where none is.

    The share of discordant pairs is taken as observed, or as large as the difference itself where that is
    more. Power is exact: over the binomial number of discordant pairs, and over their split.

    Args:
        pairs: Number of independent pairs (the effective one, rounded down; 20,000 where it is more).
        discordant_share: Share of pairs on which the two models differ.
        power: Probability of finding the difference.
        alpha: Level of the test.
    """
    from scipy import stats

    n = int(min(pairs, 20_000) + 1e-9)
    counts = np.arange(n + 1)
    critical = stats.binom.ppf(alpha / 2, counts, 0.5).astype(int)
    critical -= stats.binom.cdf(critical, counts, 0.5) > alpha / 2

    def power_at(difference: float) -> float:
        share = min(1.0, max(discordant_share, difference))
        chance = min(1.0, (1 + difference / share) / 2)
        found = stats.binom.cdf(critical, counts, chance) + stats.binom.sf(counts - critical - 1, counts, chance)
        return float(stats.binom.pmf(counts, n, share) @ np.where(critical < 0, 0.0, found))

    low, high = 0.0, 1.0
    if power_at(high) < power:
        return None
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (low, middle) if power_at(middle) >= power else (middle, high)
    return high
