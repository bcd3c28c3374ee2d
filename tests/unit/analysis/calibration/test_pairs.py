from __future__ import annotations

import numpy as np
from tests.unit.analysis.graded import labels

from adjudge.analysis.calibration.pairs import pair
from adjudge.analysis.scores import CriterionScores
from adjudge.core.label import Label
from adjudge.core.scale import Category, Integer, Scale
from adjudge.stats.people import People, people_of

ITEMS = {f"i{n}": n for n in range(6)}
RATING, WINNER = Integer(1, 5), Category(("a", "b", "tie"))


def people(given: list[Label], scale: Scale = RATING, name: str = "rating") -> People:
    return people_of(given, ITEMS, {name: scale}).people[name]


class TestPair:
    def scored(self, values: list[float], places: list[int] | None = None) -> CriterionScores:
        at = np.array(places or range(len(values)))
        return CriterionScores("rating", RATING, at, np.array(values), len(values), 0)

    def test_row_by_row(self) -> None:
        scored = self.scored([1, np.nan, 3, 4])
        found = pair(scored, people(labels([5, 5, None, 2])), np.array([7, 7, 8, 8]))
        assert found.judge.tolist() == [1, 4]
        assert found.human.tolist() == [5, 2]
        assert found.others.tolist() == [3]
        assert found.lost == 1
        assert found.groups is not None
        assert found.groups.tolist() == [7, 8]
        assert found.groups_of_others is not None
        assert found.groups_of_others.tolist() == [8]

    def test_a_label_of_an_item_that_this_judge_has_not_seen(self) -> None:
        scored = self.scored([2, 3], places=[0, 2])
        found = pair(scored, people(labels([1, 1, 1, None, None, 1])), None)
        assert found.judge.tolist() == [2, 3]
        assert found.lost == 0

    def test_a_divided_item_is_neither_labelled_nor_without_a_label(self) -> None:
        given = [
            *labels(["a", "a"], rater="x", criterion="winner"),
            *labels(["b", "a"], rater="y", criterion="winner"),
        ]
        scored = CriterionScores("winner", WINNER, np.arange(3), np.array([0.0, 1.0, 2.0]), 3, 0)
        found = pair(scored, people(given, WINNER, "winner"), None)
        assert found.judge.tolist() == [1]
        assert found.others.tolist() == [2]
