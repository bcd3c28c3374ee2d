from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.stats.mean import mean
from adjudge.stats.transport import Trait, transport, weighted_mean


def names(labelled: dict[str, int], others: dict[str, int]) -> Trait:
    sides = ([name for name, n in side.items() for _ in range(n)] for side in (labelled, others))
    return Trait("language", *sides, named=True)


def test_rows_that_are_alike_keep_their_weight() -> None:
    found = transport([Trait("score", [1.0, 2.0, 3.0] * 20, [1.0, 2.0, 3.0] * 100)], 60)
    assert found.shifts == ()
    assert found.weights.tolist() == [1.0] * 60
    assert (found.effective, found.uncovered) == (60, 0)


def test_weights_by_hand() -> None:
    """Half English, half Korean; of the others one in ten is English: weights 0.2 and 1.8, which
    are worth 40² / (20 · 0.04 + 20 · 3.24) rows."""
    found = transport([names({"en": 20, "ko": 20}, {"en": 20, "ko": 180})], 40)
    assert found.weights == pytest.approx([0.2] * 20 + [1.8] * 20)
    assert found.effective == pytest.approx(1600 / 65.6)
    (shift,) = found.shifts
    assert (shift.then, shift.now, shift.uncovered) == (("en", "ko"), ("ko", "en"), 0)


def test_numbers_are_weighed_too() -> None:
    found = transport([Trait("score", [1.0] * 30 + [5.0] * 30, [1.0] * 90 + [5.0] * 10)], 60)
    assert found.weights == pytest.approx([1.8] * 30 + [0.2] * 30)
    assert (found.shifts[0].then, found.shifts[0].now) == (3, pytest.approx(1.4))


def test_what_no_labelled_row_is_like() -> None:
    found = transport([names({"en": 30}, {"en": 80, "vi": 20})], 30)
    assert found.uncovered == pytest.approx(0.2)
    assert found.weights.tolist() == [1.0] * 30


def test_ten_rows_of_another_language_are_enough_to_tell() -> None:
    assert transport([names({"en": 30}, {"ko": 10})], 30).uncovered == 1


def test_a_few_rows_beyond_the_labelled_ones_are_chance() -> None:
    """Of a thousand like numbers some lie beyond the ends of forty."""
    chance = np.random.default_rng(5)
    found = transport([Trait("length", chance.normal(size=40), chance.normal(size=1000))], 40)
    assert found.shifts == ()


def test_two_traits_are_met_at_once() -> None:
    chance = np.random.default_rng(2)
    language = [str(name) for name in chance.choice(["en", "ko"], 200)]
    score = chance.integers(1, 4, 200).astype(float)
    now = Trait("score", score.tolist(), [1.0] * 60 + [2.0] * 30 + [3.0] * 10)
    found = transport([now, Trait("language", language, ["en"] * 20 + ["ko"] * 80, True)], 200)
    shares = [found.weights[score == level].sum() / 200 for level in (1, 2, 3)]
    assert shares == pytest.approx([0.6, 0.3, 0.1], abs=1e-6)
    assert found.weights[np.array(language) == "ko"].sum() / 200 == pytest.approx(0.8, abs=1e-6)


def test_what_is_not_known_moves_nothing() -> None:
    unknown = Trait("language", [None] * 30, ["ko"] * 30, named=True)
    assert transport([unknown, Trait("length", [float("nan")] * 30, [1.0] * 30)], 30).shifts == ()


@given(st.lists(st.floats(-9, 9), min_size=2, max_size=30), st.floats(0.1, 9))
def test_equal_weights_give_the_plain_mean(values: list[float], weight: float) -> None:
    rows = np.array(values)
    found, plain = weighted_mean(rows, np.full(len(rows), weight), None, 0.9), mean(rows, None, 0.9)
    assert (found.value, found.low, found.high) == pytest.approx(
        (plain.value, plain.low, plain.high), abs=1e-6
    )


@given(st.integers(1, 99), st.integers(1, 99))
def test_weights_never_make_more_of_the_labels(english: int, korean: int) -> None:
    found = transport([names({"en": 25, "ko": 25}, {"en": english, "ko": korean})], 50)
    assert found.effective <= 50 + 1e-9
    assert found.weights.mean() == pytest.approx(1)
