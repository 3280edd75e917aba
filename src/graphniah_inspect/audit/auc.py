"""The area under the ROC curve within strata, and labels permuted within strata.

A stratum is what is compared with itself: all examples of a yes-no data set, or the options of one question.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]


def ranks(scores: Floats, strata: Ints) -> Floats:
    """Rank of every score within its stratum, from 1, ties sharing their mean: shape [n]."""
    order = np.lexsort((scores, strata))
    sorted_scores, sorted_strata = scores[order], strata[order]
    starts_stratum = np.r_[True, sorted_strata[1:] != sorted_strata[:-1]]
    starts_tie = starts_stratum | np.r_[True, sorted_scores[1:] != sorted_scores[:-1]]
    tie = np.cumsum(starts_tie) - 1
    positions = np.arange(len(scores), dtype=float)
    mean_position = np.bincount(tie, weights=positions) / np.bincount(tie)
    first = positions[starts_stratum][np.cumsum(starts_stratum) - 1]
    ranked = np.empty(len(scores))
    ranked[order] = mean_position[tie] - first + 1
    return ranked


def weights(scores: Floats, labels: Ints, strata: Ints) -> Floats:
    """Numbers [n] whose sum over the positive labels is the mean AUC over strata.

    They depend on the labels only by how many of each stratum are positive, so they hold for every permutation
    within strata. Strata with labels of one kind count for nothing.
    """
    size = np.bincount(strata)
    positive = np.bincount(strata, weights=labels)
    pairs = positive * (size - positive)
    usable = pairs > 0
    scale = np.where(usable, 1 / np.maximum(pairs, 1), 0) / max(1, int(usable.sum()))
    return np.asarray((ranks(scores, strata) - (positive[strata] + 1) / 2) * scale[strata])


def mean_auc(scores: Floats, labels: Ints, strata: Ints) -> float:
    """Mean over strata of the chance that a positive scores higher than a negative, ties counting half."""
    return float(weights(scores, labels, strata) @ labels)


def permuted(labels: Ints, strata: Ints, rng: np.random.Generator) -> Ints:
    """The labels in random order within every stratum."""
    result = np.empty_like(labels)
    result[np.argsort(strata, kind="stable")] = labels[np.lexsort((rng.random(len(labels)), strata))]
    return result
