from __future__ import annotations

import numpy as np
import ppi_py
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from adjudge.stats.mean import mean, share
from adjudge.stats.ppi import ppi_mean


def study(seed: int, labelled: int = 60, unlabelled: int = 600, skill: float = 1.0) -> list:
    chance = np.random.default_rng(seed)
    human = chance.normal(3, 1, labelled + unlabelled)
    judge = 0.5 + skill * human + chance.normal(0, 0.5, labelled + unlabelled)
    return [human[:labelled], judge[:labelled], judge[labelled:]]


@given(st.integers(0, 1000), st.integers(20, 200), st.integers(20, 2000))
def test_as_the_package_has_it(seed: int, labelled: int, unlabelled: int) -> None:
    """Theirs takes the normal quantile and divides by n; ours is t's with n - 2."""
    human, judge, others = study(seed, labelled, unlabelled)
    found = ppi_mean(human, judge, others, confidence=0.9)
    theirs = ppi_py.ppi_mean_pointestimate(human, judge, others, lam=found.weight)
    assert found.stat.value == pytest.approx(float(np.squeeze(theirs)))
    low, high = ppi_py.ppi_mean_ci(human, judge, others, alpha=0.1, lam=found.weight)
    factor = stats.t.ppf(0.95, labelled - 2) / stats.norm.ppf(0.95)
    width = (found.stat.high - found.stat.low) / factor / np.sqrt(labelled / (labelled - 2))  # type: ignore[operator]
    assert width == pytest.approx(float(np.squeeze(high - low)))


def test_the_weight_is_the_packages() -> None:
    human, judge, others = study(0, 5000, 20_000, skill=1.2)
    found = ppi_mean(human, judge, others)
    theirs = float(np.squeeze(ppi_py.ppi_mean_pointestimate(human, judge, others)))
    assert found.stat.value == pytest.approx(theirs, abs=1e-3)


@given(st.integers(0, 1000), st.floats(-1, 1))
def test_never_wider_than_the_labels_alone(seed: int, skill: float) -> None:
    found = ppi_mean(*study(seed, 30, 300, skill))
    width, classical = (
        each.high - each.low  # type: ignore[operator]
        for each in (found.stat, found.classical)
    )
    assert width <= classical
    assert found.weight is not None
    assert found.weight >= 0


def test_a_good_judge_narrows_it() -> None:
    found = ppi_mean(*study(1, 100, 5000))
    assert found.stat.high - found.stat.low < 0.6 * (found.classical.high - found.classical.low)  # type: ignore[operator]


@pytest.mark.parametrize("others", [[], [3.0] * 50])
def test_a_judge_that_adds_nothing_leaves_the_classical_mean(others: list[float]) -> None:
    human = np.arange(40.0)
    found = ppi_mean(human, np.full(40, 3.0), others)
    assert found.stat == mean(human)
    assert found.weight == 0


def test_too_few_labels_are_refused() -> None:
    found = ppi_mean(*study(0, 12))
    assert found.stat.value is None
    assert "12 independent labels are too few" in str(found.stat.why)
    assert found.classical.value is not None


def test_copies_in_groups_tell_no_more() -> None:
    human, judge, others = study(2, 50, 500)
    alone = ppi_mean(human, judge, others)
    copied = ppi_mean(
        *(np.repeat(side, 3) for side in (human, judge, others)),
        np.repeat(np.arange(50), 3),
        np.repeat(np.arange(50, 550), 3),
    )
    assert copied.stat.value == pytest.approx(alone.stat.value)
    assert copied.stat.low == pytest.approx(alone.stat.low)


def test_groups_may_reach_over_both() -> None:
    human, judge, others = study(2, 60, 60)
    apart = ppi_mean(human, judge, others, np.arange(60), np.arange(60, 120))
    shared = ppi_mean(human, judge, others, np.arange(60), np.arange(60))
    assert apart.stat == ppi_mean(human, judge, others, np.arange(60)).stat
    assert shared.stat != apart.stat


def test_labels_of_yes_and_no_are_a_share() -> None:
    human = np.repeat([1.0, 0.0], [45, 5])
    assert ppi_mean(human, np.ones(50), []).stat == share(human)
    certain = ppi_mean(np.ones(50), np.ones(50), [1.0] * 50).stat
    assert certain.value == 1
    assert certain.low == share(np.ones(50)).low


def test_labels_that_are_all_the_same_claim_no_certainty() -> None:
    found = ppi_mean(np.full(50, 4.0), np.arange(50.0), np.arange(90.0))
    assert (found.stat.value, found.stat.low) == (4.0, None)
    assert str(found.stat.why) == "no interval: every label is the same"
