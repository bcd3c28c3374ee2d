"""Agreement beyond chance between two raters.

The plain forms take the values; the fast ones, in the plural, many resampled sets at once.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from adjudge.stats.arrays import Floats, codes, number_pair, same_length
from adjudge.stats.tables import PairSums, PairTables, spread_or_nan


def cohen_kappa(first: npt.ArrayLike, second: npt.ArrayLike) -> float | None:
    """Cohen's kappa for names: 1 is perfect, 0 is chance, below 0 is worse than chance.

    None without rows, and where both sides give every row the same one name: chance alone then
    agrees perfectly.
    """
    labels, (one, other) = codes(first, second)
    same_length(one, other)
    if not len(one):
        return None
    shares = [np.bincount(side, minlength=len(labels)) / len(one) for side in (one, other)]
    chance = float(np.dot(*shares))
    return None if len(labels) == 1 else (float(np.mean(one == other)) - chance) / (1 - chance)


def cohen_kappas(tables: PairTables) -> Floats:
    """`cohen_kappa` of each set; NaN where undefined."""
    n = tables.n
    chance = np.sum(tables.rows * tables.columns, axis=1) / n**2
    return np.asarray((tables.same / n - chance) / (1 - chance))


def quadratic_kappa(first: npt.ArrayLike, second: npt.ArrayLike) -> float | None:
    """Cohen's kappa with weights that grow with the square of the distance between the values.

    The distance is taken between the values themselves, so that a level which nobody used keeps its
    place, and means of several raters may stand on a side; it is then Lin's concordance
    coefficient, which is the same number. -1 to 1; None without rows and where all values are one.
    """
    one, other = number_pair(first, second)
    if not len(one):
        return None
    middle = (one.mean() + other.mean()) / 2
    one, other = one - middle, other - middle
    apart = float(np.mean((one - other) ** 2))
    by_chance = float(one.var() + other.var() + (one.mean() - other.mean()) ** 2)
    return None if by_chance == 0 else 1 - apart / by_chance


def quadratic_kappas(sums: PairSums) -> Floats:
    """`quadratic_kappa` of each set; NaN where undefined."""
    var_x, var_y = sums.variances
    by_chance = spread_or_nan(var_x + var_y + ((sums.x - sums.y) / sums.n) ** 2)
    return np.asarray(1 - sums.squared / by_chance)
