from __future__ import annotations

import pytest

from adjudge.stats.bootstrap import Resampling
from adjudge.stats.kappa import cohen_kappa
from adjudge.stats.position_bias import position_bias


def test_a_judge_that_always_takes_the_first(few_rounds: Resampling) -> None:
    found = position_bias([1] * 30, [-1] * 30, None, few_rounds)
    assert found.first.value == 1
    assert found.agreement.value == 0
    assert (found.disagreed, found.reversed) == (30, 30)


def test_a_judge_that_never_looks_at_the_place(few_rounds: Resampling) -> None:
    won = [1, -1, 0, 1, 1, -1] * 5
    found = position_bias(won, won, None, few_rounds)
    assert found.first.value == 0.5  # what wins first in one order comes second in the other
    assert found.agreement.value == 1
    assert found.kappa.value == 1
    assert found.disagreed == 0


def test_counts_and_kappa(few_rounds: Resampling) -> None:
    ab = [1, 1, 1, -1, 0, -1, 1, 0]
    ba = [1, -1, 0, -1, 0, 1, 1, -1]
    found = position_bias(ab, ba, None, few_rounds)
    assert (found.n, found.disagreed, found.reversed) == (8, 4, 2)
    assert found.agreement.value == 0.5
    assert found.kappa.value == pytest.approx(cohen_kappa(ab, ba))
    assert found.first.value == pytest.approx((4 + 3) / 12)  # of 6 and 6 decided


def test_only_ties_show_no_bias(few_rounds: Resampling) -> None:
    found = position_bias([0, 0], [0, 0], None, few_rounds)
    assert (found.first.value, str(found.first.why)) == (None, "only ties")


def test_pairs_on_one_question_count_less(few_rounds: Resampling) -> None:
    ab, ba = [1, 1, 1, 1, -1, -1, -1, -1] * 4, [-1, -1, -1, -1, -1, -1, -1, 1] * 4
    alone = position_bias(ab, ba, None, few_rounds).first
    grouped = position_bias(ab, ba, [at // 4 for at in range(32)], few_rounds).first
    assert alone.low is not None
    assert grouped.low is not None
    assert grouped.low < alone.low
