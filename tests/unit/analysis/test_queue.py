from __future__ import annotations

from collections import Counter

import numpy as np

from adjudge.analysis.queue import random_order, uncertain_order
from adjudge.analysis.uncertainty import Uncertain

ITEMS = [f"i{n}" for n in range(200)]


def doubts(*rated: tuple[float, float] | None) -> Uncertain:
    """The largest and the mean of each item; None where the judge did not judge it."""
    here = np.array([each is not None for each in rated])
    figures = np.array([each or (0.0, 0.0) for each in rated])
    return Uncertain(here, figures[:, 0], figures[:, 1])


def test_a_random_order_depends_on_ids_and_seed_alone() -> None:
    order = random_order(ITEMS, 7)
    assert sorted(order) == sorted(ITEMS)
    assert order == random_order(reversed(ITEMS), 7)
    assert order != random_order(ITEMS, 8)
    assert order != ITEMS


def test_new_items_do_not_move_the_old_ones() -> None:
    before = random_order(ITEMS[:100], 0)
    after = [item for item in random_order(ITEMS, 0) if item in set(before)]
    assert before == after


def test_every_item_is_drawn_as_often() -> None:
    drawn = Counter(item for seed in range(2000) for item in random_order(ITEMS[:10], seed)[:3])
    assert len(drawn) == 10
    assert all(480 < times < 720 for times in drawn.values())  # 600 expected, sd 20.5


def test_half_a_character_in_an_id() -> None:
    assert len(random_order(["\ud800", "a"], 0)) == 2


def test_the_least_certain_first() -> None:
    items = ["sure", "middle", "apart", "half", "not ours"]
    found = doubts((0.0, 0.0), (0.5, 0.1), (1.0, 0.2), (0.5, 0.3), None)
    assert uncertain_order(items, found, 0) == ["apart", "half", "middle", "sure"]


def test_equal_ones_are_in_random_order() -> None:
    found = doubts(*[(0.5, 0.5)] * len(ITEMS))
    assert uncertain_order(ITEMS, found, 3) == random_order(ITEMS, 3)
