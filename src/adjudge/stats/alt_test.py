"""May this judge stand in for one of the annotators?

Each annotator in turn is left out, and on each item the judge and that annotator are compared by
how well they agree with the remaining ones. The judge wins against an annotator when it is not
worse by `epsilon` or more, at a false discovery rate of `q` over all annotators; it may stand in
when it wins against half of them or more (Calderon, Reichart and Dror 2025, "The Alternative
Annotator Test").
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import scipy

from adjudge.core.reason import Reason
from adjudge.errors import UsageError
from adjudge.stats.alpha import Level
from adjudge.stats.arrays import Floats, numbers, rating_table
from adjudge.stats.mean import t_quantile
from adjudge.stats.multiplicity import benjamini_yekutieli
from adjudge.stats.stat import Stat, undefined, without_interval

NORMAL = 30  # Items from which the t-test is taken; Wilcoxon's signed ranks below.
FEWEST_ITEMS = 10
_LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class RaterTest:
    """The judge against one annotator over `n` items.

    `judge_wins` is the share of items where the judge agrees with the others at least as well as
    the annotator, `rater_wins` the other way round; ties count for both. `won` when the adjusted
    p is at most 0.05. Too few items: no p, and `why` says so.
    """

    n: int
    judge_wins: float | None
    rater_wins: float | None
    p: float | None
    won: bool
    why: Reason | None = None


@dataclass(frozen=True, slots=True)
class AltTest:
    """The verdict, None where it cannot be given; `why` then says the reason.

    `winning_rate` is the share of annotators that the judge won against, 0-1; `advantage` the mean
    of `judge_wins` over them, which compares judges with each other.
    """

    passed: bool | None
    winning_rate: Stat
    advantage: Stat
    raters: tuple[RaterTest, ...]
    why: Reason | None = None


def alternative_annotator_test(
    judge: npt.ArrayLike,
    ratings: npt.ArrayLike,
    level: Level = "ordinal",
    *,
    epsilon: float = 0.1,
) -> AltTest:
    """The test of a judge's values against a table items by raters, NaN where nothing was given.

    Agreement with the others is, for names, the share of them who say the same, else minus the root
    mean squared distance. The authors advise an epsilon of 0.2 for experts, 0.15 for trained people
    and 0.1 for crowd workers, and three annotators with 50 items each.
    """
    table, scores = rating_table(ratings), numbers(judge, "judge")
    if len(scores) != len(table):
        raise UsageError(Reason("stats.judge_values", values=len(scores), items=len(table)))
    wins = [_wins(scores, table, rater, level) for rater in range(table.shape[1])]
    tests = [_test(*pair, epsilon) for pair in wins]
    adjusted = benjamini_yekutieli([test.p for test in tests])
    tests = [replace(test, won=bool(p <= _LEVEL)) for test, p in zip(tests, adjusted, strict=True)]
    made = [place for place, test in enumerate(tests) if test.p is not None]
    if len(made) < 2:
        why = Reason("two_annotators", count=FEWEST_ITEMS)
        return AltTest(None, undefined(why), undefined(why), tuple(tests), why)
    rate = sum(tests[place].won for place in made) / len(made)
    return AltTest(
        rate >= 0.5,
        without_interval(rate, Reason("of_tests")),
        _advantage([wins[place][0] for place in made]),
        tuple(tests),
    )


def _wins(judge: Floats, table: Floats, rater: int, level: Level) -> tuple[Floats, Floats]:
    """Whether the judge, and whether the rater, is at least as good on each item; NaN: no test."""
    rest = np.delete(table, rater, axis=1)
    shared = np.isfinite(table[:, rater]) & np.isfinite(rest).any(axis=1)
    of_judge, of_rater = (_alignment(side, rest, level) for side in (judge, table[:, rater]))
    # What only rounding sets apart is equal.
    close = np.isclose(of_judge, of_rater, rtol=0, atol=1e-9)
    return (
        np.where(shared, (of_judge > of_rater) | close, np.nan),
        np.where(shared, (of_rater > of_judge) | close, np.nan),
    )


def _alignment(side: Floats, rest: Floats, level: Level) -> Floats:
    here = np.isfinite(rest)
    if level == "nominal":
        terms = (rest == side[:, None]).astype(np.float64)
    else:
        terms = np.where(here, rest - side[:, None], 0.0) ** 2
    total: Floats = terms.sum(axis=1) / np.maximum(here.sum(axis=1), 1)
    return total if level == "nominal" else -np.sqrt(total)


def _test(judge_wins: Floats, rater_wins: Floats, epsilon: float) -> RaterTest:
    made = np.isfinite(judge_wins)
    n = int(made.sum())
    if n < FEWEST_ITEMS:
        return RaterTest(n, None, None, None, won=False, why=Reason("few_shared", n=n))
    wins, losses = judge_wins[made], rater_wins[made]
    p = _p(losses - wins - epsilon)
    return RaterTest(n, float(wins.mean()), float(losses.mean()), p, won=False)


def _p(lead: Floats) -> float:
    """One-sided: the chance of so low a lead of the annotator if it is 0 or more."""
    if np.ptp(lead) == 0:
        return 0.0 if lead[0] < 0 else 1.0
    test = scipy.stats.ttest_1samp(lead, 0, alternative="less")
    if len(lead) < NORMAL:
        # Ties are the rule here, so the exact distribution does not hold.
        test = scipy.stats.wilcoxon(lead, alternative="less", method="asymptotic")
    return float(test.pvalue)


def _advantage(wins: list[Floats]) -> Stat:
    """The mean over raters of their mean over items; what varies from sample to sample is items."""
    table = np.stack(wins, axis=1)
    means = np.nanmean(table, axis=0)
    counts = np.isfinite(table).sum(axis=0)
    value = float(means.mean())
    by_item = np.nansum((table - means) / counts, axis=1) / len(wins)
    items = int(np.isfinite(table).any(axis=1).sum())
    spread = math.sqrt(items / (items - 1) * float(np.dot(by_item, by_item)))
    reach = t_quantile(0.95, items - 1) * spread
    return Stat(value, max(0.0, value - reach), min(1.0, value + reach))
