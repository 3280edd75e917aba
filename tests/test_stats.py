"""Every statistic against an independent computation, and what its promise is worth by simulation."""

import math

import numpy as np
import pytest
import statsmodels.api as sm
from inspect_ai.scorer import SampleScore, Score, ci_wilson
from numpy.typing import NDArray
from scipy import optimize, stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from graphniah_inspect.report.stats import (
    accuracy_interval,
    cluster_codes,
    holm,
    mcnemar_p,
    paired_difference,
    sign_flip_p,
    smallest_difference,
    tango_interval,
)

Floats = NDArray[np.float64]
RUNS = 2000
Z = 1.959963984540054


def joint(p: float, q: float, correlation: float) -> Floats | None:
    """Probabilities of (both, only first, only second, neither) right; None where there is no such pair."""
    both = p * q + correlation * math.sqrt(p * (1 - p) * q * (1 - q))
    cells = np.array([both, p - both, q - both, 1 - p - q + both])
    return cells if (cells >= 0).all() else None


def scores(cells: Floats, n: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    kinds = rng.choice(4, size=n, p=cells)
    return (kinds <= 1).astype(float), (kinds % 2 == 0).astype(float)


# ---- against other implementations ----


@pytest.mark.parametrize(("right", "n"), [(0, 1), (1, 1), (0, 20), (20, 20), (7, 20), (288, 400)])
def test_wilson_equals_statsmodels(right: int, n: int) -> None:
    found = accuracy_interval(np.repeat([1.0, 0.0], [right, n - right]), np.arange(n))
    assert (found.low, found.high) == pytest.approx(proportion_confint(right, n, method="wilson"), abs=1e-12)


@pytest.mark.parametrize("alike", [True, False])
def test_clustered_wilson_equals_inspect(alike: bool) -> None:
    """Also where clusters cancel by chance, which must not make the interval narrower than independence would."""
    rng = np.random.default_rng(3)
    codes = np.repeat(np.arange(20), 5)
    values = (rng.random(100) < rng.random(20)[codes]).astype(float)
    if not alike:
        values = np.tile([1.0, 0.0, 1.0, 0.0, 1.0], 20)
        values[0] = 0.0
    samples = [
        SampleScore(score=Score(value=v), sample_id=str(i), sample_metadata={"c": int(c)})
        for i, (v, c) in enumerate(zip(values, codes, strict=True))
    ]
    expected = ci_wilson(cluster="c")(samples)  # type: ignore[arg-type]
    found = accuracy_interval(values, codes)
    assert expected == pytest.approx({"lower": found.low, "upper": found.high}, abs=1e-9)


@pytest.mark.parametrize("size", [1, 4])
def test_standard_error_equals_statsmodels(size: int) -> None:
    rng = np.random.default_rng(5)
    codes = rng.permutation(np.repeat(np.arange(30), size))
    first, second = rng.integers(0, 2, (2, len(codes))).astype(float) + rng.random((2, 30))[:, codes] / 9
    found = paired_difference(first, second, codes)
    model = sm.OLS(first - second, np.ones(len(codes)))
    fit = model.fit(cov_type="cluster", cov_kwds={"groups": codes}) if size > 1 else model.fit()
    assert found.estimate == pytest.approx(fit.params[0])
    assert found.standard_error == pytest.approx(fit.bse[0])


@pytest.mark.parametrize(
    ("gains", "losses", "n"), [(0, 0, 40), (9, 2, 50), (30, 31, 100), (7, 0, 20), (20, 0, 20), (1, 0, 1)]
)
def test_tango_equals_a_numerical_score_test(gains: int, losses: int, n: int) -> None:
    """The bounds are where the score statistic, at the likeliest loss rate by a search, is z."""
    low, high = tango_interval(np.array(gains / n), np.array(losses / n), np.array(float(n)), Z)

    def squared_statistic(delta: float) -> float:
        def unlikely(loss: float) -> float:
            rates = (loss + delta, loss, 1 - 2 * loss - delta)
            counts = (gains, losses, n - gains - losses)
            return -float(sum(c * math.log(max(r, 1e-300)) for c, r in zip(counts, rates, strict=True) if c))

        bounds = (max(0.0, -delta), (1 - delta) / 2)
        loss = optimize.minimize_scalar(unlikely, bounds=bounds, method="bounded", options={"xatol": 1e-12}).x
        return float((gains - losses - n * delta) ** 2 / (n * (2 * loss + delta - delta**2)))

    for bound in (float(low), float(high)):
        if abs(bound) < 1 - 1e-6:
            assert squared_statistic(bound) == pytest.approx(Z**2, rel=1e-3)
    assert low <= (gains - losses) / n <= high


@pytest.mark.parametrize(("b", "c"), [(0, 0), (1, 0), (5, 5), (12, 3), (40, 61)])
def test_mcnemar_equals_statsmodels_and_sign_flips(b: int, c: int) -> None:
    expected = mcnemar([[3, b], [c, 4]], exact=True).pvalue if b + c else 1.0
    difference = np.repeat([1.0, -1.0, 0.0], [b, c, 7])
    assert mcnemar_p(b, c) == pytest.approx(expected)
    assert sign_flip_p(difference, np.arange(len(difference))) == pytest.approx(expected)


def test_sign_flips_of_clusters_equal_scipys_permutations() -> None:
    rng = np.random.default_rng(8)
    codes = np.repeat(np.arange(9), 3)
    difference = rng.integers(-2, 3, 27) / 2
    totals = np.bincount(codes, weights=difference)
    test = stats.permutation_test(
        (totals, np.zeros(9)), lambda x, y: np.sum(x - y), permutation_type="samples", n_resamples=np.inf
    )
    assert sign_flip_p(difference, codes, epochs=2) == pytest.approx(test.pvalue)
    jittered = totals[codes] / 3 + 1e-3  # no multiples of anything: flips are drawn at random
    assert sign_flip_p(jittered, codes) == pytest.approx(test.pvalue, abs=0.02)


def test_holm_equals_statsmodels() -> None:
    p = [0.04, 0.001, 0.6, 0.02, 0.02, 0.9]
    assert holm(p) == pytest.approx(multipletests(p, method="holm")[1])
    assert holm([]) == []


# ---- degenerate inputs ----


def test_identical_answers_still_have_a_width() -> None:
    same = np.ones(100)
    found = paired_difference(same, same, np.arange(100))
    assert found.estimate == found.standard_error == 0
    assert found.interval.low == pytest.approx(-(Z**2) / (100 + Z**2), abs=1e-6)
    assert found.interval.high == pytest.approx(Z**2 / (100 + Z**2), abs=1e-6)
    clustered = paired_difference(same, same, np.repeat(np.arange(10), 10))
    t = float(stats.t.ppf(0.975, 9))
    assert clustered.interval.high == pytest.approx(t**2 / (10 + t**2), abs=1e-6), "ten clusters, not a hundred samples"


def test_one_sample_or_one_cluster_claims_nothing() -> None:
    one = paired_difference(np.ones(1), np.zeros(1), np.zeros(1, dtype=np.intp))
    assert math.isnan(one.standard_error)
    assert one.interval.low < 0 < one.interval.high
    cluster = np.zeros(8, dtype=np.intp)
    found = paired_difference(np.ones(8), np.zeros(8), cluster)
    assert (found.interval.low, found.interval.high) == (-1.0, 1.0)
    assert accuracy_interval(np.ones(8), cluster).low == 0
    assert sign_flip_p(np.ones(8), cluster) == 1.0


def test_cluster_codes_follow_first_appearance() -> None:
    assert cluster_codes(["b", "a", "b", ("a",), None]).tolist() == [0, 1, 0, 2, 3]


# ---- by simulation ----


@pytest.mark.parametrize("n", [100, 400])
def test_interval_of_the_difference_covers(n: int) -> None:
    """93 to 97 % of 2,000 runs, for accuracies 0.3 to 0.8, independent and correlated answers."""
    rng = np.random.default_rng(11)
    tried = 0
    for p in np.arange(0.3, 0.81, 0.1):
        for q in np.arange(0.3, 0.81, 0.1):
            for correlation in (0.0, 0.3, 0.6):
                cells = joint(p, q, correlation)
                if cells is None:
                    continue
                counts = rng.multinomial(n, cells, size=RUNS) / n
                low, high = tango_interval(counts[:, 1], counts[:, 2], np.full(RUNS, float(n)), Z)
                covered = ((low <= p - q) & (p - q <= high)).mean()
                assert 0.93 <= covered <= 0.97, (n, p, q, correlation, covered)
                tried += 1
    assert tried > 90


@pytest.mark.parametrize("n", [100, 400])
@pytest.mark.parametrize("p", [0.3, 0.4, 0.5, 0.6, 0.7, 0.8])
def test_wilson_covers(n: int, p: float) -> None:
    right = np.random.default_rng(12).binomial(n, p, size=RUNS)
    bounds = {}
    for count in set(right.tolist()):
        bounds[count] = accuracy_interval(np.repeat([1.0, 0.0], [count, n - count]), np.arange(n))
    covered = np.mean([bounds[count].low <= p <= bounds[count].high for count in right.tolist()])
    assert 0.93 <= covered <= 0.97


@pytest.mark.parametrize(("clusters", "size", "p", "q"), [(25, 4, 0.5, 0.5), (100, 4, 0.3, 0.6), (50, 2, 0.8, 0.7)])
def test_clustered_interval_covers_where_independence_would_not(clusters: int, size: int, p: float, q: float) -> None:
    rng = np.random.default_rng(13)
    codes = np.repeat(np.arange(clusters), size)
    covered = naive = 0
    for _ in range(RUNS):
        first, second = (
            np.where(
                rng.random(len(codes)) < 0.6,
                (rng.random(clusters) < rate)[codes],
                rng.random(len(codes)) < rate,
            )
            for rate in (p, q)
        )
        found = paired_difference(first.astype(float), second.astype(float), codes).interval
        covered += found.low <= p - q <= found.high
        difference = first.astype(float) - second
        naive += abs(difference.mean() - p + q) <= Z * difference.std() / math.sqrt(len(codes))
    assert 0.93 <= covered / RUNS <= 0.97
    assert naive / RUNS < 0.93 or size == 2


@pytest.mark.parametrize(("n", "epochs"), [(100, 3), (400, 2)])
def test_interval_over_epochs_covers(n: int, epochs: int) -> None:
    rng = np.random.default_rng(14)
    covered = wrong = 0
    for _ in range(RUNS // 2):
        easy = rng.beta(1, 1, n)
        first, second = rng.binomial(epochs, easy) / epochs, rng.binomial(epochs, easy) / epochs
        found = paired_difference(first, second, np.arange(n)).interval
        covered += found.low <= 0 <= found.high
        wrong += sign_flip_p(first - second, np.arange(n), epochs) <= 0.05
    assert 0.93 <= covered / (RUNS // 2) <= 0.97
    assert wrong / (RUNS // 2) <= 0.06  # 0.05 and its own simulation error


@pytest.mark.parametrize("n", [100, 400])
@pytest.mark.parametrize("p", [0.3, 0.5, 0.8])
@pytest.mark.parametrize("correlation", [0.0, 0.5])
def test_mcnemar_rarely_tells_identical_models_apart(n: int, p: float, correlation: float) -> None:
    cells = joint(p, p, correlation)
    assert cells is not None
    counts = np.random.default_rng(15).multinomial(n, cells, size=RUNS)
    called = np.mean([mcnemar_p(int(row[1]), int(row[2])) <= 0.05 for row in counts])
    assert 0 < called <= 0.05


def test_sign_flips_hold_their_level_in_clusters_where_mcnemar_does_not() -> None:
    rng = np.random.default_rng(16)
    codes = np.repeat(np.arange(50), 4)
    flips = single = 0
    for _ in range(RUNS // 2):
        first, second = ((rng.random(50) < 0.5)[codes].astype(float) for _ in range(2))
        flips += sign_flip_p(first - second, codes) <= 0.05
        single += mcnemar_p(int((first > second).sum()), int((second > first).sum())) <= 0.05
    assert flips / (RUNS // 2) <= 0.055
    assert single / (RUNS // 2) > 0.15


@pytest.mark.parametrize(("n", "discordant"), [(50, 0.0), (100, 0.1), (100, 0.3), (400, 0.3)])
def test_smallest_difference_is_found_four_times_in_five(n: int, discordant: float) -> None:
    delta = smallest_difference(n, discordant)
    assert delta is not None
    share = max(discordant, delta)
    rng = np.random.default_rng(17)
    total = rng.binomial(n, share, RUNS)
    gains = rng.binomial(total, (1 + delta / share) / 2)
    found = np.mean([mcnemar_p(int(b), int(t - b)) <= 0.05 for b, t in zip(gains, total, strict=True)])
    assert found == pytest.approx(0.8, abs=0.03)


def test_five_pairs_can_show_nothing_and_six_barely() -> None:
    assert smallest_difference(5, 0.4) is None
    assert smallest_difference(0.5, 0.4) is None
    six = smallest_difference(6, 0.4)
    assert six is not None
    assert six > 0.9
