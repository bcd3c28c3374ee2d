"""A test that may be looked at after every check."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from adjudge.stats.sequential import detectable, level_of, reachable, sign_flip_p


def test_the_levels_of_all_checks_sum_to_alpha() -> None:
    spent = sum(level_of(check, 0.05) for check in range(1, 10_000))
    assert 0.0499 < spent < 0.05


@pytest.mark.parametrize("rows", [[1, 1, 1, 0], [2, -1, 1, 1, 0.5], [-3.0], [1, -1]])
def test_every_pattern_of_signs_is_counted(rows: list[float]) -> None:
    sums = [abs(np.dot(signs, np.abs(rows))) for signs in product([1, -1], repeat=len(rows))]
    exact = np.mean([total >= abs(sum(rows)) - 1e-9 for total in sums])
    assert sign_flip_p(rows) == pytest.approx(exact)


def test_nothing_that_differs_is_no_evidence() -> None:
    assert sign_flip_p([]) == sign_flip_p([0, 0, 0]) == 1.0


def test_more_items_find_smaller_shifts() -> None:
    whole, quarter = detectable(1.0, 400, 0.01), detectable(1.0, 100, 0.01)
    assert quarter is not None
    assert whole == pytest.approx(quarter / 2)


def test_what_few_or_equal_differences_can_show() -> None:
    """Seven differences of one sign have p = 1/64: no level below that can be reached."""
    assert (reachable(7, 1 / 64), reachable(7, 0.015), reachable(8, 0.015)) == (True, False, True)
    assert sign_flip_p([1.0] * 7) == pytest.approx(1 / 64)
    assert detectable(1.0, 7, 0.0125) is None
    assert detectable(0.0, 80, 0.0125) is None
    assert detectable(float("nan"), 1, 0.5) is None


def histories(count: int, checks: int, shift: float, seed: int) -> list[int | None]:
    """At which check after the first each history raises an alarm: 48 items on 1-5, two of ten
    replies differ by a point; from the first comparison on, `shift` of the items are a point up."""
    chance = np.random.default_rng(seed)
    found: list[int | None] = []
    for _ in range(count):
        base = chance.integers(2, 5, 48).astype(float)

        def check(moved: float, base: np.ndarray = base) -> np.ndarray:
            noise = chance.choice([-1, 0, 1], 48, p=[0.1, 0.8, 0.1])
            return base + noise + (chance.random(48) < moved)

        first = check(0.0)
        alarms = (
            number
            for number in range(1, checks + 1)
            if sign_flip_p(check(shift) - first) <= level_of(number, 0.05)
        )
        found.append(next(alarms, None))
    return found


def test_false_alarms_stay_within_the_rate_and_half_a_point_is_found() -> None:
    """bench/drift.py does the same with 1,000 histories."""
    false = [at for at in histories(100, 12, 0.0, seed=1) if at is not None]
    assert len(false) <= 5
    late = [at for at in histories(100, 3, 0.5, seed=2) if at is None]
    assert len(late) <= 5
