"""Statistics of agreement over resampled clusters, all of them in one pass.

No round looks at the rows again. Sums over rows need the sums of each cluster; order statistics
need how often each pair of values occurs in it. Where there are more than 128 distinct values they
are put into at most 128 bins of equal frequency for this alone, and the spread of the binned
statistic is laid around the exact value: so a thousand Kendall's taus of a million numbers take
seconds.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import sparse

from adjudge.stats import moments, tables
from adjudge.stats.arrays import Floats, Ints, codes
from adjudge.stats.bootstrap import MOST, Resampling, weights
from adjudge.stats.clusters import Clusters
from adjudge.stats.measure import Measure

BINS = 128
Many = dict[str, Floats]


def replicates(
    judge: Floats, human: Floats, within: Clusters, measure: Measure, resampling: Resampling
) -> tuple[Many, Many]:
    """The statistics of the rows as they are (one each), and of every resampled set."""
    blocks = within.at_most(MOST, resampling.seed)
    by_tables = _of_tables(judge, human, blocks, measure)
    sums = blocks.sums(moments.addends(judge, human, measure.near(judge, human)))

    def statistics(drawn: Floats) -> Many:
        if not measure.ordered:
            return by_tables(drawn)
        # Both know an alpha: the tables that of the order, the sums that of the distances.
        both = by_tables(drawn), moments.statistics(drawn @ sums)
        return both[1] | both[0] if measure.level == "ordinal" else both[0] | both[1]

    plain = statistics(np.ones((1, blocks.count)))
    chunks = [statistics(drawn) for drawn in weights(blocks.count, resampling)]
    return plain, {name: np.concatenate([chunk[name] for chunk in chunks]) for name in plain}


def _of_tables(
    judge: Floats, human: Floats, blocks: Clusters, measure: Measure
) -> Callable[[Floats], Many]:
    size, rows, columns = _places(judge, human)
    cells = sparse.coo_array(
        (np.ones(len(rows)), (blocks.of, rows * size + columns)), shape=(blocks.count, size * size)
    ).tocsr()  # adds up equal cells
    statistics = tables.order_statistics if measure.ordered else tables.name_statistics

    def of(drawn: Floats) -> Many:
        counted = np.asarray(drawn @ cells)
        return statistics(counted.reshape(-1, size, size))

    return of


def _places(judge: Floats, human: Floats) -> tuple[int, Ints, Ints]:
    """Both sides as places among their common values, or among bins of them where they are many."""
    values, (rows, columns) = codes(judge, human)
    if len(values) <= BINS:
        return len(values), rows, columns
    pooled = np.concatenate([rows, columns])
    edges = np.quantile(pooled, np.arange(1, BINS) / BINS, method="inverted_cdf")
    edges = np.unique(edges)
    return len(edges) + 1, np.searchsorted(edges, rows), np.searchsorted(edges, columns)
