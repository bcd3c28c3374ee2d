from __future__ import annotations

import pytest

from adjudge.core.judge import Pair
from adjudge.core.score import Outcome
from adjudge.reading.found import Found
from adjudge.reading.pairs import DISAGREE, combined, unswapped

PAIR = Pair(inputs=("answer_a", "answer_b"), values=("a", "b"), tie="tie")


def said(value: str) -> Found:
    return Found(outcome=Outcome.SCORED, value=value, given=value, explanation=f"for {value}")


@pytest.mark.parametrize(("shown", "meant"), [("a", "b"), ("b", "a"), ("tie", "tie")])
def test_positions_are_turned_back_into_answers(shown: str, meant: str) -> None:
    assert unswapped(PAIR, said(shown)).value == meant


@pytest.mark.parametrize(
    ("ab", "ba", "value", "mark"),
    [
        ("a", "a", "a", None),
        ("tie", "tie", "tie", None),
        ("a", "b", "tie", DISAGREE),
        ("a", "tie", "tie", DISAGREE),
    ],
)
def test_orders_that_disagree_are_a_marked_tie(
    ab: str, ba: str, value: str, mark: str | None
) -> None:
    found, seen = combined(PAIR, said(ab), said(ba))
    assert (found.value, seen) == (value, mark)
    if mark:
        assert found.given == f"{ab}|{ba}"


def test_one_order_without_an_answer_is_no_preference() -> None:
    failed = Found(outcome=Outcome.UNREADABLE, why="nothing there")
    found, mark = combined(PAIR, said("a"), failed)
    assert (found.outcome, found.value, mark) == (Outcome.UNREADABLE, None, None)
    assert found.why == "order ba: nothing there"
