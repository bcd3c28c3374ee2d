from __future__ import annotations

from collections import Counter

from adjudge.analysis.queue import random_order, uncertain_order
from adjudge.core.scale import Integer
from adjudge.core.score import Outcome, Score
from adjudge.core.verdict import Verdict

ITEMS = [f"i{n}" for n in range(200)]


def verdict(item: str, value: int | None, judge: str = "j", model: str = "m") -> Verdict:
    if value is None:
        score = Score(outcome=Outcome.REFUSED)
    else:
        score = Score(outcome=Outcome.SCORED, value=value, unit=(value - 1) / 4)
    scores = {"fit": score}
    return Verdict(
        item=item, judge=judge, fingerprint="f", model=model, outcome=score.outcome, scores=scores
    )


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
    verdicts = [
        *(verdict("sure", 5), verdict("sure", 5, model="n")),
        *(verdict("middle", 3), verdict("middle", 3, model="n")),
        *(verdict("apart", 1), verdict("apart", 5, model="n"), verdict("apart", 3, "other")),
        *(verdict("half", None), verdict("half", 5, model="n")),
        *(verdict("near", 4), verdict("near", 4, model="n")),
        verdict("not ours", None, "other"),
    ]
    order = uncertain_order(verdicts, "j", {"fit": Integer(1, 5)}, 0)
    assert order[0] == "apart"
    assert set(order[1:3]) == {"half", "middle"}
    assert order[3:] == ["near", "sure"]


def test_equal_ones_are_in_random_order() -> None:
    verdicts = [verdict(item, 5) for item in ITEMS]
    assert uncertain_order(verdicts, "j", {"fit": Integer(1, 5)}, 3) == random_order(ITEMS, 3)
