from __future__ import annotations

import numpy as np
import pytest

from adjudge.errors import UsageError
from adjudge.stats.rogan_gladen import rogan_gladen


def labelled(true_yes: int, yes: int, true_no: int, no: int) -> tuple[np.ndarray, np.ndarray]:
    """Labels of `yes` and `no`, and a judge who has so many of each right."""
    human = np.repeat([1.0, 0.0], [yes, no])
    judge = np.repeat([1.0, 0.0, 0.0, 1.0], [true_yes, yes - true_yes, true_no, no - true_no])
    return human, judge


def test_the_share_is_freed_of_the_judges_errors() -> None:
    human, judge = labelled(80, 100, 180, 200)
    found = rogan_gladen(human, judge, np.repeat([1.0, 0.0], [380, 620]))
    assert found.stat.value == pytest.approx((0.38 + 0.9 - 1) / (0.8 + 0.9 - 1))
    assert found.sensitivity is not None
    assert found.specificity is not None
    assert (found.sensitivity.value, found.specificity.value) == (0.8, 0.9)
    assert found.classical.value == pytest.approx(1 / 3)


def test_the_interval_of_lang_and_reiczigel() -> None:
    """Their formulas written out for one study: z = 1.96, 1000 rows, 100 and 200 labels."""
    human, judge = labelled(80, 100, 180, 200)
    found = rogan_gladen(human, judge, np.repeat([1.0, 0.0], [380, 620])).stat
    z = 1.959963984540054
    sens, spec = 81 / 102, 181 / 202
    seen = (380 + z * z / 2) / (1000 + z * z)
    middle = (seen + spec - 1) / (sens + spec - 1)
    of_sens, of_spec = sens * (1 - sens) / 102, spec * (1 - spec) / 202
    moved = 2 * z * z * (middle * of_sens - (1 - middle) * of_spec)
    variance = seen * (1 - seen) / (1000 + z * z)
    variance += middle**2 * of_sens + (1 - middle) ** 2 * of_spec
    reach = z * np.sqrt(variance) / (sens + spec - 1)
    assert found.low == pytest.approx(middle + moved - reach)
    assert found.high == pytest.approx(middle + moved + reach)


def test_a_perfect_judge_leaves_its_share() -> None:
    human, judge = labelled(500, 500, 500, 500)
    found = rogan_gladen(human, judge, np.repeat([1.0, 0.0], [30, 70])).stat
    assert found.value == pytest.approx(0.3)


def test_a_share_stays_between_0_and_1() -> None:
    human, judge = labelled(40, 50, 40, 50)
    assert rogan_gladen(human, judge, np.zeros(100)).stat.value == 0
    assert rogan_gladen(human, judge, np.ones(100)).stat.high == 1


@pytest.mark.parametrize(
    ("rows", "others", "why"),
    [
        (labelled(50, 100, 50, 100), [0, 1], "not shown to be better than chance"),
        (labelled(6, 10, 7, 12), [0, 1], "not shown to be better than chance"),
        (labelled(3, 3, 40, 50), [0, 1], "only 3 labels of one kind"),
        (labelled(5, 5, 6, 6), [0, 1], "11 independent labels are too few"),
        (labelled(40, 50, 40, 50), [], "no unlabelled rows"),
    ],
)
def test_refused_with_the_reason(rows: tuple, others: list, why: str) -> None:
    stat = rogan_gladen(*rows, others).stat
    assert stat.value is None
    assert why in str(stat.why)


def test_copies_in_groups_tell_no_more() -> None:
    chance = np.random.default_rng(0)
    human = (chance.random(120) < 0.4).astype(float)
    judge = np.where(chance.random(120) < 0.85, human, 1 - human)
    others = (chance.random(300) < 0.4).astype(float)
    alone = rogan_gladen(human, judge, others).stat
    copied = rogan_gladen(
        *(np.repeat(side, 5) for side in (human, judge, others)),
        np.repeat(np.arange(120), 5),
        np.repeat(np.arange(300), 5),
    ).stat
    assert copied.value == pytest.approx(alone.value)
    assert copied.high - copied.low == pytest.approx(alone.high - alone.low, rel=0.05)  # type: ignore[operator]


def test_only_yes_and_no() -> None:
    with pytest.raises(UsageError, match=r"3\.0 is neither 0 nor 1"):
        rogan_gladen([1, 0], [1, 3], [1])
