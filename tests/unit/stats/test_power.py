from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.power import TTestPower

from adjudge.errors import UsageError
from adjudge.stats.paired import pairs_needed, power_of


@given(st.integers(2, 2000), st.floats(0.02, 1.5), st.floats(0.001, 0.2))
def test_power_as_statsmodels_has_it(pairs: int, effect: float, alpha: float) -> None:
    theirs = TTestPower().power(effect, pairs, alpha)
    if math.isnan(theirs):  # far out, where the noncentral t cannot be had
        theirs = 1.0
    assert power_of(pairs, effect, 1.0, alpha) == pytest.approx(theirs, abs=1e-3)


@given(st.floats(0.02, 2), st.floats(0.3, 0.99))
def test_the_fewest_pairs(effect: float, power: float) -> None:
    pairs = pairs_needed(effect * 3, 3.0, power=power)
    assert pairs is not None
    assert power_of(pairs, effect, 1.0) >= power
    assert pairs == 2 or power_of(pairs - 1, effect, 1.0) < power


def test_known_sizes() -> None:
    assert pairs_needed(0.5, 1.0) == 34
    assert pairs_needed(-0.5, 1.0) == 34
    assert pairs_needed(0.001, 1.0) == pytest.approx(7_848_880, rel=1e-4)
    assert pairs_needed(0, 1.0) is None
    assert math.isclose(power_of(10**6, 0, 1.0), 0.05)


@pytest.mark.parametrize("wrong", [{"sd": 0}, {"alpha": 1}, {"power": 0.01}])
def test_wrong_input_is_named(wrong: dict) -> None:
    with pytest.raises(UsageError, match=next(iter(wrong)).replace("sd", "standard deviation")):
        pairs_needed(**({"difference": 1.0, "sd": 1.0} | wrong))
