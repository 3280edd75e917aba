"""Can anything but the graph predict the answer? Classifiers on the numbers of `features`, against chance.

Two tests a format, both by permutation, so that they hold whatever the features' distribution:

- The *model*: the cross-validated AUC of a logistic regression against the same with labels permuted.
- The *strongest feature*: the largest deviation from 0.5 of a single feature's AUC, against that largest
  deviation under permutation, so that having many features does not raise the chance of a false alarm.

Each is held to half of `LEVEL`, so a data set without a shortcut is accused with a probability of at most `LEVEL`
a format. What is proven is called a shortcut from an AUC of `MATERIAL` on: who goes by it alone is then right in
55 % of yes-no questions instead of 50 % (by normal scores). Below that it is a trace, which is reported and fails
nothing: real papers that cite one another can be made to look almost like strangers, not quite.

In multiple choice everything happens within a question: features are differences from the mean of its options, the
right option is redrawn among them, and an AUC is the chance that the right option scores higher than a wrong one of
the same question.

What it cannot claim: that there is no shortcut outside these features, or none that is weaker than the upper
end of the interval. Features are used as they are and standardised; a leak that only an interaction of two
features shows may be missed.
"""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Literal

import numpy as np

from graphniah_inspect.audit.auc import Floats, Ints, mean_auc, permuted, weights
from graphniah_inspect.audit.features import FEATURES
from graphniah_inspect.errors import UserError

LEVEL = 0.01
MATERIAL = 0.57
FOLDS = 5
FEWEST = 40
FEATURE_PERMUTATIONS = 4_999
MODEL_PERMUTATIONS = 399
STOP_AFTER = 12
"""Permutations that beat the data after which no more are drawn: p is then far from any level (Besag and
Clifford 1991)."""
RESAMPLES = 100


@dataclass(frozen=True)
class Verdict:
    """What was found for one format.

    Attributes:
        format: `yes-no` or `multiple-choice`.
        examples: How many went in.
        auc: Cross-validated AUC of the model; None with too few examples, as all that follows.
        low: Lower end of its 95 % interval (bootstrap over examples, models trained anew).
        high: Upper end.
        p_model: Of the model's AUC.
        strongest: Name of the strongest feature.
        strongest_auc: Its AUC; below 0.5 where right answers have lower values.
        p_feature: Of the strongest feature, all features considered.
        found: What either test proves: nothing, a trace (an AUC below `MATERIAL`), a shortcut.
    """

    format: str
    examples: int
    auc: float | None = None
    low: float | None = None
    high: float | None = None
    p_model: float | None = None
    strongest: str = ""
    strongest_auc: float | None = None
    p_feature: float | None = None
    found: Literal["too few examples", "nothing", "a trace", "a shortcut"] = "too few examples"

    def __str__(self) -> str:
        if self.auc is None:
            return f"{self.format}: {self.examples} examples are too few to tell ({FEWEST} are needed)."
        says = {
            "nothing": "none found",
            "a trace": f"a trace, too weak to be of use (AUC below {MATERIAL})",
            "a shortcut": "SHORTCUT, the answer can be predicted without the graph",
        }
        return (
            f"{self.format}: {says[self.found]}. AUC {self.auc:.3f} (95 % interval {self.low:.3f} to {self.high:.3f}, "
            f"p = {self.p_model:.2g}) over {self.examples} examples; strongest feature: {self.strongest} "
            f"(AUC {self.strongest_auc:.3f}, p = {self.p_feature:.2g})."
        )


def find_shortcuts(
    format: str, features: Floats, labels: Ints, questions: Ints | None = None, *, seed: int = 0
) -> Verdict:
    """Test one format.

    Args:
        format: Its name.
        features: [rows, features], NaN where not stated; a row is an example, or an option of one.
        labels: 1 for YES or the right option, else 0: [rows].
        questions: Multiple choice only: the question that each option belongs to, numbered from 0: [rows].
        seed: Of folds, permutations and resamples.

    Raises:
        UserError: scikit-learn is not installed.
    """
    owners = np.arange(len(labels)) if questions is None else questions
    examples = int(owners.max()) + 1 if len(owners) else 0
    if examples < FEWEST or min(np.bincount(labels, minlength=2)) < FEWEST // 4:
        return Verdict(format, examples)
    values, names = _prepared(features, questions)
    if not names:
        return Verdict(format, examples)
    rng = np.random.default_rng(seed)
    strata = np.zeros(len(labels), dtype=np.intp) if questions is None else questions
    folds = (rng.permutation(examples) % FOLDS)[owners]
    compared = folds if questions is None else questions

    by_feature = np.stack([weights(column, labels, strata) for column in values.T], axis=1)
    single = labels @ by_feature
    p_feature = _p_strongest(by_feature, single, labels, strata, rng)
    best = int(np.abs(single - 0.5).argmax())

    with _one_thread():
        scores = _held_out_scores(values, labels, folds)
        auc = mean_auc(scores, labels, compared)
        p_model = _p_model(auc, values, labels, strata, folds, compared, rng)
        error = _standard_error(values, labels, owners, folds, questions is not None, seed)
    return Verdict(
        format=format,
        examples=examples,
        auc=auc,
        low=max(0.0, auc - 1.96 * error),
        high=min(1.0, auc + 1.96 * error),
        p_model=p_model,
        strongest=names[best],
        strongest_auc=float(single[best]),
        p_feature=p_feature,
        found=_found((auc, p_model), (abs(float(single[best]) - 0.5) + 0.5, p_feature)),
    )


def _found(*tests: tuple[float, float]) -> Literal["nothing", "a trace", "a shortcut"]:
    """What some (AUC, p) prove together."""
    proven = [auc for auc, p in tests if p <= LEVEL / 2]
    if not proven:
        return "nothing"
    return "a shortcut" if max(proven) >= MATERIAL else "a trace"


def _prepared(features: Floats, questions: Ints | None) -> tuple[Floats, list[str]]:
    """Standardised features that vary, with their names; a missing value becomes the mean, and a feature."""
    names, columns = [], []
    for name, column in zip(FEATURES, features.T, strict=True):
        missing = np.isnan(column)
        if missing.all():
            continue
        names.append(name)
        columns.append(np.where(missing, column[~missing].mean(), column))
        if missing.any():
            names.append(f"{name} not stated")
            columns.append(missing.astype(float))
    values = np.stack(columns, axis=1)
    if questions is not None:
        size = np.bincount(questions)
        means = np.stack([np.bincount(questions, weights=column) / size for column in values.T], axis=1)
        values = values - means[questions]
    spread = values.std(axis=0)
    varied = spread > 1e-9
    values = (values[:, varied] - values[:, varied].mean(axis=0)) / spread[varied]
    return values, [name for name, kept in zip(names, varied, strict=True) if kept]


def _one_thread() -> AbstractContextManager[object]:
    """Thousands of tiny models: threads that share them out cost ten times what they save."""
    try:
        import sklearn  # noqa: F401 - loads the libraries whose threads are limited
        from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]
    except ImportError as error:
        raise UserError(
            "The test for shortcuts needs scikit-learn: pip install 'graphniah-inspect[audit]', or leave the "
            "test out with --no-shortcuts."
        ) from error
    limits: AbstractContextManager[object] = threadpool_limits(1)
    return limits


def _held_out_scores(values: Floats, labels: Ints, folds: Ints) -> Floats:
    """Score of every row by a model that has seen the other folds alone."""
    from sklearn.linear_model import LogisticRegression

    scores = np.empty(len(labels))
    for fold in range(FOLDS):
        held_out = folds == fold
        model = LogisticRegression(C=0.1).fit(values[~held_out], labels[~held_out])
        scores[held_out] = model.decision_function(values[held_out])
    return scores


def _p_strongest(by_feature: Floats, single: Floats, labels: Ints, strata: Ints, rng: np.random.Generator) -> float:
    observed = np.abs(single - 0.5).max()
    beaten = 0
    for _ in range(FEATURE_PERMUTATIONS):
        beaten += np.abs(permuted(labels, strata, rng) @ by_feature - 0.5).max() >= observed - 1e-12
    return float((1 + beaten) / (1 + FEATURE_PERMUTATIONS))


def _p_model(
    auc: float,
    values: Floats,
    labels: Ints,
    strata: Ints,
    folds: Ints,
    compared: Ints,
    rng: np.random.Generator,
) -> float:
    beaten = 0
    for drawn in range(1, MODEL_PERMUTATIONS + 1):
        shuffled = permuted(labels, strata, rng)
        beaten += mean_auc(_held_out_scores(values, shuffled, folds), shuffled, compared) >= auc - 1e-12
        if beaten == STOP_AFTER:
            return beaten / drawn
    return float((1 + beaten) / (1 + MODEL_PERMUTATIONS))


def _standard_error(values: Floats, labels: Ints, owners: Ints, folds: Ints, by_question: bool, seed: int) -> float:
    """Of the model's AUC, over resampled examples, models trained anew: what training adds counts, too.

    An example that is drawn twice stays in one fold, or the model would be tested on what it was trained on.
    """
    rng = np.random.default_rng(seed)
    rows = np.split(np.argsort(owners, kind="stable"), np.cumsum(np.bincount(owners))[:-1])
    aucs = []
    for _ in range(RESAMPLES):
        drawn = rng.integers(0, len(rows), len(rows))
        chosen = np.concatenate([rows[example] for example in drawn])
        held = folds[chosen]
        copies = np.repeat(np.arange(len(drawn)), [len(rows[example]) for example in drawn])
        scores = _held_out_scores(values[chosen], labels[chosen], held)
        aucs.append(mean_auc(scores, labels[chosen], copies if by_question else held))
    return float(np.std(aucs))
