"""The best of several, and what it is worth once it is counted that it was chosen for being best.

Whoever tries eight judges on 30 labels and reports the best one's agreement reports luck too. What
each judge shows is its true agreement plus chance; the more the judges differ by chance alone, the
further the best one has to be moved towards their mean (James and Stein's shrinkage). How much they
truly differ is not known: all that is likely is averaged over.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy

from adjudge.core.reason import Reason
from adjudge.stats.arrays import Floats
from adjudge.stats.multiplicity import holm
from adjudge.stats.stat import Stat, undefined

FEWEST = 10  # items
# How much the candidates truly differ, as a standard deviation: from nothing to all of a scale. The
# prior is half of a Cauchy distribution as wide as chance itself.
_SPREADS = np.concatenate([[0.0], np.geomspace(0.002, 0.5, 50)])


@dataclass(frozen=True, slots=True)
class Chosen:
    """`best` is the place of the best candidate, `shown` what it shows, `corrected` what it is
    worth. `p` has, per candidate, that it is as good as the best, two-sided and adjusted by Holm's
    method; NaN for the best itself."""

    best: int
    shown: float
    corrected: Stat
    p: Floats


def choose(values: Floats, shown: Floats, confidence: float = 0.95) -> Chosen:
    """The best of the candidates: `values` has a row per item and a column per candidate, `shown`
    the figure of each, which is the mean of its column or nearly so (see `jackknife`)."""
    items, candidates = values.shape
    best = int(np.argmax(shown))
    p = holm(_as_good_as(values, best))
    if items < FEWEST:
        few = undefined(Reason("few_items", count=items))
        return Chosen(best, float(shown[best]), few, p)
    row_means = values.mean(axis=1)
    common = float(row_means.var(ddof=1)) / items
    if candidates == 1:
        corrected = _stat(float(shown[best]), np.sqrt(common), items, confidence)
        return Chosen(best, float(shown[best]), corrected, p)
    middle = float(shown.mean())
    rest = values - row_means[:, None] - values.mean(axis=0) + values.mean()
    chance = float((rest**2).sum()) / ((items - 1) * (candidates - 1)) / items
    if chance <= 0:  # all give the same of every item
        corrected = _stat(float(shown[best]), np.sqrt(common), items, confidence)
        return Chosen(best, float(shown[best]), corrected, p)
    total = _SPREADS**2 + chance
    apart = float(((shown - middle) ** 2).sum())
    likely = -(candidates - 1) / 2 * np.log(total) - apart / total / 2
    weights = np.exp(likely - likely.max()) * np.gradient(_SPREADS)
    weights /= 1 + _SPREADS**2 / chance
    weights /= weights.sum()
    kept = _SPREADS**2 / total
    means = middle + kept * (shown[best] - middle)
    variances = common + kept * chance * (1 - 1 / candidates)
    value = float(weights @ means)
    spread = float(np.sqrt(max(weights @ (variances + means**2) - value**2, 0.0)))
    return Chosen(best, float(shown[best]), _stat(value, spread, items, confidence), p)


def jackknife(
    statistic: Callable[[Floats, Floats], float | None], one: Floats, other: Floats
) -> Floats:
    """What each row adds to the statistic (pseudo-values): their mean is about the statistic, and
    their variance over the rows about its variance. NaN where it is undefined."""
    rows = len(one)
    whole = _number(statistic(one, other))
    values = np.empty(rows)
    rest = np.ones(rows, dtype=np.bool_)
    for row in range(rows):
        rest[row] = False
        values[row] = rows * whole - (rows - 1) * _number(statistic(one[rest], other[rest]))
        rest[row] = True
    return values


def _number(value: float | None) -> float:
    return np.nan if value is None else value


def _as_good_as(values: Floats, best: int) -> Floats:
    """Student's test of each candidate's difference from the best, item by item."""
    p = np.full(values.shape[1], np.nan)
    for at in range(values.shape[1]):
        gaps = values[:, best] - values[:, at]
        if at == best or len(gaps) < 2:
            continue
        spread = float(gaps.std(ddof=1)) / np.sqrt(len(gaps))
        if spread > 0:
            p[at] = 2 * scipy.stats.t.sf(abs(float(gaps.mean())) / spread, len(gaps) - 1)
        else:
            p[at] = 1.0 if not gaps.any() else 0.0
    return p


def _stat(value: float, spread: float, items: int, confidence: float) -> Stat:
    reach = float(scipy.stats.t.ppf((1 + confidence) / 2, items - 1)) * spread
    return Stat(value, value - reach, value + reach)
