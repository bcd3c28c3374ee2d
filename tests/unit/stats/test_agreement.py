from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix

from adjudge.core.reason import Reason
from adjudge.errors import UsageError
from adjudge.stats.agreement import agreement, alpha_between, confusion
from adjudge.stats.alpha import LEVELS, Level
from adjudge.stats.arrays import Floats
from adjudge.stats.bootstrap import Resampling
from adjudge.stats.measure import NAMES, Measure
from adjudge.stats.stat import Stat


def test_every_interval_holds_its_value(
    graded: tuple[Floats, Floats], few_rounds: Resampling
) -> None:
    found = agreement(*graded, resampling=few_rounds)
    assert found.n == 120
    for name in NAMES:
        stat: Stat = getattr(found, name)
        assert stat.why is None
        assert stat.low < stat.value < stat.high, name  # type: ignore[operator]


def test_the_same_again_is_the_same(graded: tuple[Floats, Floats], few_rounds: Resampling) -> None:
    assert agreement(*graded, resampling=few_rounds) == agreement(*graded, resampling=few_rounds)


def test_exact_and_adjacent() -> None:
    found = agreement([1, 2, 3, 4.3], [1, 3, 5, 3.3])
    assert (found.exact.value, found.adjacent.value) == (0.25, 0.75)
    assert found.bias.value == pytest.approx(-0.5)
    assert found.mae.value == pytest.approx(1)
    assert agreement([1, 2], [1, 4], measure=Measure(tolerance=2)).adjacent.value == 1


def test_copies_of_rows_in_groups_tell_no_more(
    graded: tuple[Floats, Floats], few_rounds: Resampling
) -> None:
    judge, human = graded
    alone = agreement(judge, human, resampling=few_rounds)
    copied = agreement(
        np.repeat(judge, 4),
        np.repeat(human, 4),
        np.repeat(np.arange(120), 4),
        resampling=few_rounds,
    )
    for name in ("kendall", "kappa", "bias", "exact"):
        widths = [getattr(each, name).high - getattr(each, name).low for each in (alone, copied)]
        assert widths[1] == pytest.approx(widths[0], rel=0.05), name


def test_names_have_no_order(few_rounds: Resampling) -> None:
    judge = ["A", "B", "tie", "A", "B", "A", "A"]
    found = agreement(judge, ["A", "B", "B", "A", "A", "A", "tie"], measure=Measure("nominal"))
    assert found.spearman.value is None
    assert (
        str(found.spearman.why)
        == str(found.adjacent.why)
        == "the values are names without an order"
    )
    assert found.exact.value == pytest.approx(4 / 7)
    assert found.kappa.value is not None
    assert found.alpha.value is not None


def test_a_constant_side_is_said_not_scored_0() -> None:
    found = agreement([3] * 10, [1, 2, 3, 4, 5] * 2)
    assert found.pearson == Stat(None, why=Reason("judge_constant"))
    assert str(agreement([1, 2, 3, 4, 5] * 2, [3] * 10).kendall.why) == (
        "people gave every row the same value"
    )
    assert found.kappa.value == pytest.approx(0)


def test_perfect_agreement_claims_no_interval_but_its_share_has_one() -> None:
    found = agreement([1, 2, 3, 4, 5] * 4, [1, 2, 3, 4, 5] * 4)
    assert found.kappa.value == 1
    assert found.kappa.low is None
    assert found.exact.low == pytest.approx(0.839, abs=1e-3)


@pytest.mark.parametrize("rows", [0, 1, 2, 4])
def test_few_rows_say_why(rows: int) -> None:
    found = agreement(list(range(rows)), list(range(rows)))
    for field in dataclasses.fields(found)[1:]:
        stat = getattr(found, field.name)
        assert stat.low is not None or stat.why


def test_wrong_levels_and_tolerances_are_refused() -> None:
    with pytest.raises(UsageError, match="nominal, ordinal, interval"):
        Measure("ratio")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="tolerance -1"):
        Measure(tolerance=-1)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("size", [1, 5])
def test_alpha_alone_is_that_of_all(
    graded: tuple[Floats, Floats], level: Level, size: int, few_rounds: Resampling
) -> None:
    judge, human = graded
    groups = np.arange(len(judge)) // size
    alone = alpha_between(judge, human, groups, measure=Measure(level), resampling=few_rounds)
    assert (
        alone
        == agreement(judge, human, groups, measure=Measure(level), resampling=few_rounds).alpha
    )


def test_alpha_alone_says_why_not(few_rounds: Resampling) -> None:
    none = alpha_between([], [], measure=Measure("ordinal"))
    assert none.why == agreement([], []).alpha.why
    same = alpha_between([2, 2, 2], [2, 2, 2], measure=Measure("interval"))
    assert same.why == agreement([2, 2, 2], [2, 2, 2], measure=Measure("interval")).alpha.why
    few = alpha_between([1, 2, 3], [1, 2, 4], measure=Measure("interval"), resampling=few_rounds)
    assert (
        few
        == agreement([1, 2, 3], [1, 2, 4], measure=Measure("interval"), resampling=few_rounds).alpha
    )


def test_rows_are_the_judges_columns_the_peoples() -> None:
    judge, human = [1, 1, 2, 5, 2], [1, 2, 2, 5, 1]
    found = confusion(judge, human)
    assert found.labels == (1, 2, 5)
    assert found.counts.tolist() == confusion_matrix(judge, human).tolist()


def test_names() -> None:
    assert confusion(["B"], ["A"]).counts.tolist() == [[0, 0], [1, 0]]


def test_a_mean_of_raters_is_the_level_next_to_it() -> None:
    """Three raters give 3.67 and 4.33 where a judge of whole numbers can only say 4."""
    people = [3.67, 4.33, 3.5, 2.67, 5.0]
    levels = agreement([4, 4, 4, 4, 5], people, measure=Measure(step=1.0))
    assert (levels.exact.value, levels.adjacent.value) == (0.6, 0.8)
    assert agreement([4, 4, 4, 4, 5], people).exact.value == 0.2  # of any number
    yes_or_no = Measure(tolerance=0.0, step=1.0)
    found = agreement([1, 1, 0], [2 / 3, 1 / 3, 1 / 3], measure=yes_or_no)
    assert found.exact.value == found.adjacent.value == pytest.approx(2 / 3)
