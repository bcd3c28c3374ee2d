"""What is measured on pairs of values: its value, and its values over resampled clusters, all of
them in one pass.

No round looks at the rows again. Sums over rows need the sums of each cluster; order statistics
need how often each pair of values occurs in it. Where there are more than 32 distinct values they
are put into at most 32 bins of equal frequency for this alone, and the spread of the binned
statistic is laid around the exact value: that moves the ends of an interval by less than another
seed would, and a thousand Kendall's taus of a million numbers take a second.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy

from adjudge.core.reason import Reason
from adjudge.errors import UsageError
from adjudge.stats.alpha import (
    LEVELS,
    Level,
    alpha_of_pairs,
    interval_alphas,
    nominal_alphas,
    ordinal_alphas,
)
from adjudge.stats.arrays import Floats, Ints, codes
from adjudge.stats.bootstrap import MOST, Clusters, Resampling, weights
from adjudge.stats.correlation import kendall, kendalls, pearson, pearsons, spearman, spearmans
from adjudge.stats.kappa import cohen_kappa, cohen_kappas, quadratic_kappa, quadratic_kappas
from adjudge.stats.tables import PairSums, PairTables, addends

NAMES = ("exact", "adjacent", "bias", "mae", "pearson", "spearman", "kendall", "kappa", "alpha")
UNORDERED = Reason("unordered")
BINS = 32
MOST_NAMES = 128  # Names in bins would be other names.
Many = dict[str, Floats]


@dataclass(frozen=True, slots=True)
class Measure:
    """The level of the values, and how far apart two adjacent ones may lie, in their own units.

    `step` is the distance of two levels; 0 where any number is one, or names are compared.
    """

    level: Level = "ordinal"
    tolerance: float = 1.0
    step: float = 0.0

    def __post_init__(self) -> None:
        if self.level not in LEVELS:
            raise UsageError(Reason("stats.level", level=self.level, known=tuple(LEVELS)))
        if self.tolerance < 0:
            raise UsageError(Reason("stats.tolerance", tolerance=self.tolerance))

    @property
    def ordered(self) -> bool:
        return self.level != "nominal"

    def same(self, one: Floats, other: Floats) -> Floats:
        """1 for each row whose two values are the same, else 0.

        A mean of several raters lies between the levels: the level next to it is the same.
        """
        same = np.abs(one - other) < self.step / 2 - 1e-9 if self.step else one == other
        return np.asarray(same, dtype=np.float64)

    def near(self, one: Floats, other: Floats) -> Floats:
        """1 for each row whose two values are the same or adjacent, else 0."""
        # The distance of 4.3 and 3.3 is a little more than 1 in binary.
        close = np.abs(one - other) <= self.tolerance + 1e-9
        return np.asarray(np.maximum(close.astype(np.float64), self.same(one, other)))


ORDINAL = Measure()


def values(one: Floats, other: Floats, measure: Measure) -> dict[str, float | None]:
    """Every statistic in NAMES; None where it is undefined. Needs a row."""
    statistics: dict[str, float | None] = dict.fromkeys(NAMES)
    statistics["exact"] = float(np.mean(measure.same(one, other)))
    statistics["alpha"] = alpha_of_pairs(one, other, measure.level)
    if not measure.ordered:
        statistics["kappa"] = cohen_kappa(one, other)
        return statistics
    return statistics | {
        "adjacent": float(np.mean(measure.near(one, other))),
        "bias": float(np.mean(one - other)),
        "mae": float(np.mean(np.abs(one - other))),
        "pearson": pearson(one, other),
        "spearman": spearman(one, other),
        "kendall": kendall(one, other),
        "kappa": quadratic_kappa(one, other),
    }


def why_undefined(one: Floats, other: Floats, name: str, measure: Measure) -> Reason:
    """The reason why a statistic of these rows does not exist."""
    if not measure.ordered and name not in ("exact", "kappa", "alpha"):
        return UNORDERED
    if not len(one):
        return Reason("no_pairs")
    if len(one) == 1:
        return Reason("one_row")
    if np.ptp(one) == 0:
        return Reason("judge_constant")
    if np.ptp(other) == 0:
        return Reason("people_constant")
    return Reason("too_close")


def replicates(
    judge: Floats,
    human: Floats,
    within: Clusters,
    measure: Measure,
    resampling: Resampling,
    *,
    alpha_alone: bool = False,
) -> tuple[Many, Many]:
    """The statistics of the rows as they are (one each), and of every resampled set; alpha alone
    takes a part of the time."""
    blocks = within.at_most(MOST, resampling.seed)
    # Both know an alpha: the tables that of the order, the sums that of the distances.
    makers = [_of_tables, _of_sums] if measure.level == "interval" else [_of_sums, _of_tables]
    if alpha_alone or not measure.ordered:
        makers = makers[1:]
    parts = [make(judge, human, blocks, measure) for make in makers]

    def statistics(drawn: Floats) -> Many:
        return {name: values for part in parts for name, values in part(drawn).items()}

    plain = statistics(np.ones((1, blocks.count)))
    chunks = [statistics(drawn) for drawn in weights(blocks.count, resampling)]
    return plain, {name: np.concatenate([chunk[name] for chunk in chunks]) for name in plain}


def around_value(name: str, value: float, plain: Floats, many: Floats) -> Floats:
    """The replicates of a statistic laid around its exact value; alike except for rounding, unless
    values were binned."""
    around: Floats = many + (value - plain[0])
    return around if name in ("bias", "mae") else np.clip(around, -1, 1)


def _of_sums(
    judge: Floats, human: Floats, blocks: Clusters, measure: Measure
) -> Callable[[Floats], Many]:
    sums = blocks.sums(addends(judge, human, measure.near(judge, human)))

    def of(drawn: Floats) -> Many:
        return sum_statistics(PairSums(*(drawn @ sums).T))

    return of


def _of_tables(
    judge: Floats, human: Floats, blocks: Clusters, measure: Measure
) -> Callable[[Floats], Many]:
    size, rows, columns = _places(judge, human, measure)
    cells = scipy.sparse.coo_array(
        (np.ones(len(rows)), (blocks.of, rows * size + columns)), shape=(blocks.count, size * size)
    ).tocsr()  # adds up equal cells
    statistics = order_statistics if measure.ordered else name_statistics

    def of(drawn: Floats) -> Many:
        counted = np.asarray(drawn @ cells)
        return statistics(PairTables.of(counted.reshape(-1, size, size)))

    return of


def order_statistics(tables: PairTables) -> Many:
    """All that needs ranks; NaN where undefined."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return {
            "spearman": spearmans(tables),
            "kendall": kendalls(tables),
            "alpha": ordinal_alphas(tables),
        }


def name_statistics(tables: PairTables) -> Many:
    """All that names have; NaN where undefined."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return {
            "exact": tables.same / tables.n,
            "kappa": cohen_kappas(tables),
            "alpha": nominal_alphas(tables),
        }


def sum_statistics(sums: PairSums) -> Many:
    """All that needs no ranks; NaN where undefined."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return {
            "exact": sums.same / sums.n,
            "adjacent": sums.near / sums.n,
            "bias": (sums.x - sums.y) / sums.n,
            "mae": sums.apart / sums.n,
            "pearson": pearsons(sums),
            "kappa": quadratic_kappas(sums),
            "alpha": interval_alphas(sums),
        }


def _places(judge: Floats, human: Floats, measure: Measure) -> tuple[int, Ints, Ints]:
    """Both sides as places among their common values, or among bins of them where they are many."""
    values, (rows, columns) = codes(judge, human)
    most = BINS if measure.ordered else MOST_NAMES
    if len(values) <= most:
        return len(values), rows, columns
    pooled = np.concatenate([rows, columns])
    edges = np.quantile(pooled, np.arange(1, most) / most, method="inverted_cdf")
    edges = np.unique(edges)
    return len(edges) + 1, np.searchsorted(edges, rows), np.searchsorted(edges, columns)
