"""The judge's score as the score that people give on average: a map that never falls."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from adjudge.core.reason import Reason
from adjudge.errors import UsageError
from adjudge.stats.arrays import Floats, Ints, number_pair, numbers
from adjudge.stats.clusters import Groups, clusters


@dataclass(frozen=True, slots=True)
class IsotonicMap:
    """Straight lines between the judge's values that were seen, flat beyond them."""

    judge: Floats
    human: Floats

    def __call__(self, scores: npt.ArrayLike) -> Floats:
        return np.interp(numbers(scores), self.judge, self.human)


def isotonic(judge: npt.ArrayLike, human: npt.ArrayLike) -> IsotonicMap:
    """The rising map with the least squared error; needs a row."""
    scores, labels = number_pair(judge, human)
    if not len(scores):
        raise UsageError(Reason("labels.none_to_learn"))
    seen, places = np.unique(scores, return_inverse=True)
    counts = np.bincount(places)
    means = np.bincount(places, labels) / counts
    return IsotonicMap(seen, scipy.optimize.isotonic_regression(means, weights=counts).x)


def folds_of(groups: Groups, rows: int, folds: int, seed: int) -> Ints:
    """The fold of each row, by lot and of even size, groups kept whole; at most one per group."""
    if folds < 2:
        raise UsageError(Reason("stats.folds", folds=folds))
    within = clusters(groups, rows)
    if within.count < 2:
        raise UsageError(Reason("labels.no_folds"))
    lot = np.random.default_rng(seed).permutation(within.count) % folds
    return np.asarray(lot[within.of], dtype=np.intp)


def cross_fitted(
    judge: npt.ArrayLike,
    human: npt.ArrayLike,
    groups: Groups = None,
    *,
    folds: int = 10,
    seed: int = 0,
) -> Floats:
    """Each labelled row mapped by what the other folds taught: fair to hold against its label."""
    scores, labels = number_pair(judge, human)
    fold = folds_of(groups, len(scores), folds, seed)
    mapped = np.empty_like(labels)
    for out in np.unique(fold):
        here = fold == out
        mapped[here] = isotonic(scores[~here], labels[~here])(scores[here])
    return mapped
