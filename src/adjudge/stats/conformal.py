"""The judge's score as the score that people give on average, by a map that never falls; and a
range for what people would say of one row, with a stated coverage.

The range is CV+ (Barber, Candès, Ramdas and Tibshirani 2021, "Predictive inference with the
jackknife+") around the isotonic map: maps are learned with a fold left out, the labels left out
show how far they miss, and the range holds the values that miss no more. Over rows drawn like the
labelled ones it covers at least 1 - 2(1 - confidence) without further assumptions, and in practice
about `confidence`; it is no promise for each score by itself. With groups it holds for rows of
groups not yet seen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from adjudge.core.reason import Reason, check_share
from adjudge.errors import UsageError
from adjudge.stats.arrays import Floats, Ints, number_pair, numbers
from adjudge.stats.bootstrap import Groups, clusters
from adjudge.stats.ppi import FEWEST_LABELS

_CELLS = 4_000_000  # Values held in memory at a time.


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


@dataclass(frozen=True, slots=True)
class ScoreCalibration:
    """The map from all labelled rows, and for each fold the map without it and how far it missed.

    The misses of a fold are in order, lowest first. `residuals` has, for each labelled row, its
    label less what the other folds taught: a map is held against labels that it has not seen.
    """

    whole: IsotonicMap
    maps: tuple[IsotonicMap, ...]
    misses: tuple[Floats, ...]
    residuals: Floats
    seed: int

    def score(self, judge: npt.ArrayLike) -> Floats:
        """What people give on average where the judge gives this."""
        return self.whole(judge)

    def interval(
        self,
        judge: npt.ArrayLike,
        confidence: float = 0.9,
        levels: npt.ArrayLike | None = None,
        *,
        by_lot: bool = True,
    ) -> tuple[Floats, Floats]:
        """The lowest and highest value in range, for each score of the judge.

        With `levels`, all values that people can give, the ends are among them. Coverage then goes
        in steps; where a step would overshoot, a lot drawn with the seed decides whether a row
        gets the wider range. Without lots rows of one score have one range, at times too wide.
        """
        check_share("confidence", confidence, 0.9)
        scores = numbers(judge, "judge")
        if levels is None:
            return self._numbers(scores, 1 - confidence)
        chance = np.random.default_rng(self.seed)
        lots = chance.random(len(scores)) if by_lot else np.ones(len(scores))
        return self._levels(scores, 1 - confidence, np.unique(numbers(levels, "levels")), lots)

    def _levels(
        self, scores: Floats, miss: float, levels: Floats, lots: Floats
    ) -> tuple[Floats, Floats]:
        distinct, places = np.unique(scores, return_inverse=True)
        worse, tied = np.zeros((2, len(distinct), len(levels)))
        for fold_map, misses in zip(self.maps, self.misses, strict=True):
            apart = np.abs(levels - fold_map(distinct)[:, None])
            # What only rounding sets apart is a tie.
            above = np.searchsorted(misses, apart + 1e-9, side="right")
            below = np.searchsorted(misses, apart - 1e-9, side="left")
            worse += len(misses) - above
            tied += above - below
        total = sum(len(misses) for misses in self.misses) + 1
        p = (worse[places] + lots[:, None] * (tied[places] + 1)) / total
        inside = p > miss
        # Some value must be in range: else the one that fits best.
        inside[np.arange(len(p)), p.argmax(axis=1)] = True
        high = levels[len(levels) - 1 - inside[:, ::-1].argmax(axis=1)]
        return levels[inside.argmax(axis=1)], high

    def _numbers(self, scores: Floats, miss: float) -> tuple[Floats, Floats]:
        distinct, places = np.unique(scores, return_inverse=True)
        rows = sum(len(misses) for misses in self.misses)
        # A tenth of 50 is 5, also where 1 - 0.9 is a little less than a tenth.
        beyond = math.floor(miss * (rows + 1) + 1e-9)
        if beyond < 1:
            needed = math.ceil(1 / miss) - 1
            few = Reason("labels.no_range", count=rows, confidence=1 - miss, needed=needed)
            raise UsageError(few)
        ends = np.empty((2, len(distinct)))
        step = max(1, _CELLS // rows)
        for start in range(0, len(distinct), step):
            part = slice(start, start + step)
            mapped = [fold_map(distinct[part])[:, None] for fold_map in self.maps]
            folds = list(zip(mapped, self.misses, strict=True))
            low = np.concatenate([at - misses for at, misses in folds], axis=1)
            high = np.concatenate([at + misses for at, misses in folds], axis=1)
            ends[0, part] = np.partition(low, beyond - 1, axis=1)[:, beyond - 1]
            ends[1, part] = np.partition(high, rows - beyond, axis=1)[:, rows - beyond]
        return ends[0][places], ends[1][places]


def calibrate_scores(
    judge: npt.ArrayLike,
    human: npt.ArrayLike,
    groups: Groups = None,
    *,
    folds: int = 10,
    seed: int = 0,
) -> ScoreCalibration:
    """Learns the map and its misses from labelled rows, groups kept whole in a fold."""
    scores, labels = number_pair(judge, human)
    if len(scores) < FEWEST_LABELS:
        raise UsageError(Reason("too_few_labels", count=len(scores), least=FEWEST_LABELS))
    fold = folds_of(groups, len(scores), folds, seed)
    maps, misses, residuals = [], [], np.empty_like(labels)
    for out in np.unique(fold):
        here = fold == out
        maps.append(isotonic(scores[~here], labels[~here]))
        residuals[here] = labels[here] - maps[-1](scores[here])
        misses.append(np.sort(np.abs(residuals[here])))
    return ScoreCalibration(isotonic(scores, labels), tuple(maps), tuple(misses), residuals, seed)
