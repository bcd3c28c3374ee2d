from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.unit.analysis.graded import SCALES, Graded

from adjudge.analysis.scores.grader import GraderScores
from adjudge.analysis.scores.reader import groups_of, picked, read_scores
from adjudge.errors import UsageError


@pytest.fixture
def graded(tmp_path: Path) -> Iterator[Graded]:
    made = Graded(tmp_path, **SCALES)
    yield made
    made.close()


def only(graded: Graded) -> GraderScores:
    (grader,) = read_scores(graded.record, graded.store).graders
    return grader


def test_whatever_the_order_in_which_verdicts_came_they_stand_in_that_of_the_data(
    tmp_path: Path,
) -> None:
    """So that intervals, which draw items by their places, are the same too."""
    rng = np.random.default_rng(0)
    ratings = rng.integers(1, 5, 200).tolist()
    read = []
    for name, order in (("a", range(200)), ("b", rng.permutation(200).tolist())):
        (tmp_path / name).mkdir()
        graded = Graded(tmp_path / name, **SCALES)
        named = {"polite": [True] * 200, "winner": ["a"] * 200}
        graded.add(rating=ratings, **named, topics=[n % 7 for n in range(200)], order=order)
        scores = read_scores(graded.record, graded.store)
        groups = groups_of(graded.record, graded.store, scores.items, "topic")
        read.append((scores.graders[0].criteria, list(scores.items), groups.tolist()))
        graded.close()
    (first, items, groups), (second, again, same) = read
    assert (items, groups) == (again, same)
    for name, criterion in first.items():
        np.testing.assert_array_equal(criterion.values, second[name].values)


def test_values_of_every_kind(graded: Graded) -> None:
    graded.add(rating=[1, 5, None], polite=[True, False, None], winner=["tie", "a", None])
    criteria = only(graded).criteria
    np.testing.assert_array_equal(criteria["rating"].values, [1, 5, np.nan])
    np.testing.assert_array_equal(criteria["polite"].values, [1, 0, np.nan])
    np.testing.assert_array_equal(criteria["winner"].values, [2, 0, np.nan])


def test_repeats_are_averaged_over_the_scored_ones(graded: Graded) -> None:
    for repeat, (rating, winner) in enumerate([(1, "b"), (2, "a"), (None, "b"), (2, None)]):
        graded.add(rating=[rating], polite=[True], winner=[winner], repeat=repeat)
    criteria = only(graded).criteria
    assert criteria["rating"].values == pytest.approx([5 / 3])
    assert criteria["winner"].values.tolist() == [1]
    assert (criteria["rating"].scores, criteria["rating"].unscored) == (4, 1)
    assert criteria["rating"].unscored_items == 0


def test_likelihoods_are_plain_numbers_whatever_the_scale(tmp_path: Path) -> None:
    graded = Graded(tmp_path, method="likelihood", winner=SCALES["winner"])
    graded.add(winner=[-2.5, -0.25, None])
    graded.add(winner=[-1.5, None, None], repeat=1)
    winner = only(graded).criteria["winner"]
    graded.close()
    np.testing.assert_array_equal(winner.values, [-2.0, -0.25, np.nan])
    assert not winner.on_scale


def test_an_item_with_two_names_given_as_often_is_divided_and_not_unscored(graded: Graded) -> None:
    graded.add(rating=[1, 1, 1], polite=[True, True, True], winner=["tie", "a", None])
    graded.add(rating=[1, 1, 1], polite=[True, True, True], winner=["b", "a", None], repeat=1)
    winner = only(graded).criteria["winner"]
    np.testing.assert_array_equal(winner.values, [np.nan, 0, np.nan])
    assert (winner.divided_items, winner.unscored_items) == (1, 1)


def test_the_same_repeats_in_another_order_are_a_tie(tmp_path: Path) -> None:
    graded = Graded(tmp_path, rating={"type": "number", "min": 0, "max": 1})
    for repeat, pair in enumerate([(0.1, 0.7), (0.2, 0.1), (0.7, 0.2)]):
        graded.add(rating=pair, repeat=repeat)
    one, other = only(graded).criteria["rating"].values
    graded.close()
    assert one == other


def test_verdicts_are_counted(graded: Graded) -> None:
    graded.add(rating=[1, None], polite=[True, True], winner=["a", "a"])
    grader = only(graded)
    assert (grader.verdicts, grader.unscored) == (2, 1)
    assert grader.unsettled is None


def test_two_fingerprints_are_unsettled(graded: Graded) -> None:
    graded.add(rating=[1, 2], polite=[True, True], winner=["a", "a"])
    graded.add(rating=[1], polite=[True], winner=["a"], repeat=1, fingerprint="e" * 16)
    assert "reread" in str(only(graded).unsettled)


def test_nothing_scored_is_unsettled(graded: Graded) -> None:
    graded.add(rating=[None], polite=[None], winner=[None])
    assert str(only(graded).unsettled) == "nothing was scored"


class TestPicked:
    def test_by_model(self, graded: Graded) -> None:
        for model in ("one", "two"):
            graded.add(rating=[1], polite=[True], winner=["a"], model=model)
        scores = read_scores(graded.record, graded.store)
        assert len(picked(scores.graders, graded.record, [None], [None])) == 2
        assert [
            each.model for each in picked(scores.graders, graded.record, ["graded"], ["two"])
        ] == ["two"]
        with pytest.raises(UsageError, match="has only graded by one, graded by two"):
            picked(scores.graders, graded.record, [None], ["three"])


class TestGroups:
    def test_equal_values_share_one(self, graded: Graded) -> None:
        graded.add(
            rating=[1] * 5, polite=[True] * 5, winner=["a"] * 5, topics=["x", 7, "x", 7, None]
        )
        items = read_scores(graded.record, graded.store).items
        groups = groups_of(graded.record, graded.store, items, "topic").tolist()
        assert groups[0] == groups[2]
        assert groups[1] == groups[3]
        assert len(set(groups)) == 3

    def test_a_number_is_not_its_text(self, graded: Graded) -> None:
        graded.add(rating=[1] * 2, polite=[True] * 2, winner=["a"] * 2, topics=["7", 7])
        items = read_scores(graded.record, graded.store).items
        assert len(set(groups_of(graded.record, graded.store, items, "topic").tolist())) == 2

    def test_an_input_may_group(self, graded: Graded) -> None:
        graded.add(rating=[1] * 2, polite=[True] * 2, winner=["a"] * 2)
        items = read_scores(graded.record, graded.store).items
        assert groups_of(graded.record, graded.store, items, "answer").tolist() == [0, 0]

    def test_an_unknown_column(self, graded: Graded) -> None:
        graded.add(rating=[1], polite=[True], winner=["a"], topics=["x"])
        items = read_scores(graded.record, graded.store).items
        with pytest.raises(UsageError, match="The data have: topic, answer"):
            groups_of(graded.record, graded.store, items, "topik")
