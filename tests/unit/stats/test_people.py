from __future__ import annotations

import numpy as np
import pytest
from tests.unit.analysis.graded import labels

from adjudge.core.label import Draw, Label
from adjudge.core.scale import Category, Integer, Scale
from adjudge.errors import DataError
from adjudge.stats.people import People, people_of

ITEMS = {f"i{n}": n for n in range(6)}
RATING, WINNER = Integer(1, 5), Category(("a", "b", "tie"))


def people(given: list[Label], scale: Scale = RATING, name: str = "rating") -> People:
    return people_of(given, ITEMS, {name: scale}).people[name]


def test_raters_are_averaged() -> None:
    found = people(labels([1, 4, None], rater="x") + labels([2, None, 5], rater="y"))
    assert found.raters == ("x", "y")
    np.testing.assert_array_equal(found.table, [[1, 2], [4, np.nan], [np.nan, 5]])
    assert found.values.tolist() == [1.5, 4, 5]


def test_most_raters_decide_on_names_and_a_tie_decides_nothing() -> None:
    given = [
        *labels(["a", "a", "b"], rater="x", criterion="winner"),
        *labels(["a", "b", "b"], rater="y", criterion="winner"),
        *labels(["tie", None, "a"], rater="z", criterion="winner"),
    ]
    found = people(given, WINNER, "winner")
    np.testing.assert_array_equal(found.values, [0, np.nan, 1])
    assert found.split == 1


def test_a_rater_who_labels_twice() -> None:
    assert people([*labels([1]), *labels([4])]).values.tolist() == [2.5]
    twice = [*labels(["a"], criterion="winner"), *labels(["tie"], criterion="winner")]
    assert people(twice, WINNER, "winner").values.tolist() == [2]


@pytest.mark.parametrize("draw", ["uncertain", "abstained"])
def test_what_was_picked_for_being_hard(draw: Draw) -> None:
    found = people([*labels([1, 2], draw="random"), *labels([3, 3, 3], rater="x", draw=draw)])
    assert found.uncertain.tolist() == [False, False, True]
    assert found.recorded


def test_a_draw_that_nobody_recorded() -> None:
    assert not people([*labels([1], draw="random"), *labels([None, 2])]).recorded


def test_labels_of_other_items_are_counted() -> None:
    found = people_of([*labels([1, 2]), Label("other", "", "rating", 3)], ITEMS, {"rating": RATING})
    assert found.elsewhere == 1
    assert len(found.people["rating"].values) == 2


def test_no_label_of_this_run() -> None:
    with pytest.raises(DataError, match=r"'other', the run like 'i0'"):
        people_of([Label("other", "", "rating", 3)], ITEMS, {"rating": RATING})


def test_too_many_raters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adjudge.stats.people._MOST_CELLS", 2)
    with pytest.raises(DataError, match="3 raters of 1 items"):
        people([Label("i0", str(n), "rating", 3) for n in range(3)])
