"""The best of several, and what it is worth once it is counted that it was chosen for being best.

Whoever tries eight judges on 30 labels and reports the best one's agreement reports luck too. Two
ways of taking it off are put together, because each errs where the other does not.

Shrinkage (James and Stein's): what each judge shows is its true agreement plus chance; the more the
judges differ by chance alone, the further the best one is moved towards their mean. How much they
truly differ is not known: all that is likely is averaged over. It is steady, but moves one that
truly stands out too far, and one among equals not far enough.

Halves: the best on a random half shows more there than on the other rows. That luck is measured, at
a quarter of the rows as well, which tells how it falls as they grow in number. Nothing is assumed
of how the judges differ, but the figure is less steady.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import stdtr

from adjudge.core.reason import Reason
from adjudge.stats.arrays import Floats
from adjudge.stats.bootstrap import Groups
from adjudge.stats.mean import mean, t_quantile
from adjudge.stats.multiplicity import holm
from adjudge.stats.stat import Stat, undefined

FEWEST = 10  # items
# How much the candidates truly differ, as a standard deviation: from nothing to all of a scale. The
# prior is half of a Cauchy distribution as wide as chance itself.
_SPREADS = np.concatenate([[0.0], np.geomspace(0.002, 0.5, 50)])
_SPLITS, _FEWEST_SPLITS = 400, 20
_CELLS = 8_000_000  # of the table of splits: of very many rows fewer splits say as much
_NEARLY = 0.99  # agreement above which Fisher's scale is too steep for few items
_SLOWEST = float(np.sqrt(0.5))  # how the luck falls from half of the rows to all among equals


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
    the figure of each. That is the mean of its column or nearly so: the mean of what `jackknife`
    makes of a rank correlation is without the bias that it has on few items."""
    items, candidates = values.shape
    best = int(np.argmax(shown))
    p = holm(_as_good_as(values, best))
    if items < FEWEST:
        few = undefined(Reason("few_items", count=items))
        return Chosen(best, float(shown[best]), few, p)
    worth = _shrunk(values, best, confidence)
    if candidates > 1:
        worth = _between(worth, _by_halves(values, best, confidence))
    return Chosen(best, float(shown[best]), worth, p)


def _shrunk(values: Floats, best: int, confidence: float) -> Stat:
    items, candidates = values.shape
    shown, row_means = values.mean(axis=0), values.mean(axis=1)
    common = float(row_means.var(ddof=1)) / items
    middle = float(shown.mean())
    rest = values - row_means[:, None] - shown + middle
    chance = float((rest**2).sum()) / ((items - 1) * max(candidates - 1, 1)) / items
    if chance <= 0:  # one alone, or all give the same of every item
        return _stat(float(shown[best]), np.sqrt(common), items, confidence)
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
    return _stat(value, spread, items, confidence)


def _by_halves(values: Floats, best: int, confidence: float) -> Stat:
    items = len(values)
    half, quarter = _luck(values, items // 2), _luck(values, items // 4)
    falls = min(half / quarter, _SLOWEST) if quarter > 0 else _SLOWEST
    own = values[:, best]
    value = float(own.mean()) - max(half, 0.0) * falls
    return _stat(value, float(own.std(ddof=1)) / np.sqrt(items), items, confidence)


def _luck(values: Floats, rows: int) -> float:
    """How much better the best of so many random rows looks on them than on all others."""
    items, inside = len(values), _random_parts(len(values), rows)
    sums = inside @ values
    shown, others = sums / rows, (values.sum(axis=0) - sums) / (items - rows)
    best = shown.argmax(axis=1)[:, None]
    apart = np.take_along_axis(shown, best, 1) - np.take_along_axis(others, best, 1)
    return float(apart.mean())


@lru_cache(maxsize=2)  # a bench asks for the same thousands of times
def _random_parts(items: int, rows: int) -> Floats:
    """A row per split: 1 for the items that are in it, `rows` of them."""
    draw = np.random.default_rng(0)
    splits = min(_SPLITS, max(_FEWEST_SPLITS, _CELLS // items))
    inside = np.zeros((splits, items))
    chosen = draw.random((splits, items)).argsort(axis=1)[:, :rows]
    np.put_along_axis(inside, chosen, 1.0, axis=1)
    return inside


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


def agreement_of(effects: Floats, groups: Groups, confidence: float) -> Stat:
    """The mean of what `jackknife` made of a correlation or of kappa: without the bias that these
    have on few items. Its interval is made on Fisher's scale, where it is as long at every height,
    so that it lies within -1 and 1."""
    plain = mean(effects, groups, confidence)
    if plain.value is None or plain.high is None:
        return plain
    inside = min(max(plain.value, -_NEARLY), _NEARLY)
    reach = (plain.high - plain.value) / (1 - inside**2)
    low, high = (math.tanh(math.atanh(inside) + end) for end in (-reach, reach))
    value = min(max(plain.value, -1.0), 1.0)
    return Stat(value, min(low, value), max(high, value))


def _number(value: float | None) -> float:
    return np.nan if value is None else value


def _as_good_as(values: Floats, best: int) -> Floats:
    """Student's test of each candidate's difference from the best, item by item."""
    gaps = values[:, [best]] - values
    if len(gaps) < 2:
        return np.full(values.shape[1], np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.abs(gaps.mean(axis=0)) / (gaps.std(axis=0, ddof=1) / np.sqrt(len(gaps)))
    p: Floats = 2 * stdtr(len(gaps) - 1, -np.where(gaps.any(axis=0), t, 0.0))
    p[best] = np.nan
    return p


def _stat(value: float, spread: float, items: int, confidence: float) -> Stat:
    return Stat.around(value, t_quantile(confidence, items - 1) * spread)


def _between(one: Stat, other: Stat) -> Stat:
    """The mean of both, ends included."""
    rows = np.array([[stat.value, stat.low, stat.high] for stat in (one, other)], dtype=np.float64)
    return Stat(*rows.mean(axis=0).tolist())
