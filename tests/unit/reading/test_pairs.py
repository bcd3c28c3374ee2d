from __future__ import annotations

from dataclasses import replace

import pytest

from adjudge.core.judge import Pair
from adjudge.core.reason import Reason
from adjudge.core.score import ORDERS_DISAGREE, Outcome
from adjudge.reading import CriterionReading, combine_orders, unswapped

PAIR = Pair(inputs=("answer_a", "answer_b"), values=("a", "b"), tie="tie")


def said(value: str) -> CriterionReading:
    return CriterionReading(
        outcome=Outcome.SCORED, value=value, raw=value, explanation=f"for {value}"
    )


@pytest.mark.parametrize(("shown", "meant"), [("a", "b"), ("b", "a"), ("tie", "tie")])
def test_positions_are_turned_back_into_answers(shown: str, meant: str) -> None:
    assert unswapped(PAIR, said(shown)).value == meant


@pytest.mark.parametrize(
    ("ab", "ba", "value", "mark"),
    [
        ("a", "a", "a", None),
        ("tie", "tie", "tie", None),
        ("a", "b", "tie", ORDERS_DISAGREE),
        ("a", "tie", "tie", ORDERS_DISAGREE),
    ],
)
def test_orders_that_disagree_are_a_marked_tie(
    ab: str, ba: str, value: str, mark: str | None
) -> None:
    found, seen = combine_orders(PAIR, said(ab), said(ba))
    assert (found.value, seen) == (value, mark)
    if mark:
        assert found.raw == f"{ab}|{ba}"


def test_one_order_without_an_answer_is_no_preference() -> None:
    failed = CriterionReading(outcome=Outcome.UNREADABLE, why=Reason.of("nothing there"))
    found, mark = combine_orders(PAIR, said("a"), failed)
    assert (found.outcome, found.value, mark) == (Outcome.UNREADABLE, None, None)
    assert str(found.why) == "order ba: nothing there"


def weighed(value: str, **shares: float) -> CriterionReading:
    return CriterionReading(
        outcome=Outcome.SCORED,
        value=value,
        raw=value,
        distribution=shares,
        confidence=max(shares.values()),
        mass=shares["a"],
    )


def test_a_distribution_is_turned_back_with_its_value() -> None:
    found = unswapped(PAIR, weighed("a", a=0.7, b=0.2, tie=0.1))
    assert found.distribution == {"b": 0.7, "a": 0.2, "tie": 0.1}


@pytest.mark.parametrize("value", ["a", "b"])
def test_both_orders_count_alike_in_the_distribution(value: str) -> None:
    found, _ = combine_orders(PAIR, weighed("a", a=0.75, b=0.25), weighed(value, a=0.25, tie=0.75))
    assert found.distribution == {"a": 0.5, "b": 0.125, "tie": 0.375}
    assert (found.confidence, found.mass) == (0.5, 0.25)


@pytest.mark.parametrize("sampled", [0, 1])
def test_samples_of_either_order_count_and_have_no_mass(sampled: int) -> None:
    orders = [weighed("a", a=0.75, b=0.25), weighed("a", a=0.25, tie=0.75)]
    orders[sampled] = replace(orders[sampled], mass=None)
    found, _ = combine_orders(PAIR, *orders)
    assert found.distribution == {"a": 0.5, "b": 0.125, "tie": 0.375}
    assert found.mass is None
