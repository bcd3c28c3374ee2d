from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from adjudge.errors import UsageError
from adjudge.stats.alt_test import alternative_annotator_test
from adjudge.stats.multiplicity import benjamini_yekutieli


@pytest.fixture
def study() -> tuple[np.ndarray, np.ndarray]:
    """The truth of 100 items, 1 to 5, and four raters who miss it at times."""
    chance = np.random.default_rng(0)
    truth = chance.integers(1, 6, 100)
    missed = chance.choice([-1, 0, 0, 1], (100, 4))
    return truth.astype(float), np.clip(truth[:, None] + missed, 1, 5).astype(float)


def by_hand(judge: np.ndarray, ratings: np.ndarray, rater: int) -> list[tuple[int, int]]:
    """Item by item: does the judge, does the rater come at least as close to the others?"""
    wins = []
    for score, row in zip(judge, ratings, strict=True):
        others = np.delete(row, rater)
        others = others[np.isfinite(others)]
        if np.isnan(row[rater]) or not len(others):
            continue
        far = [round(np.sqrt(np.mean((others - one) ** 2)), 9) for one in (score, row[rater])]
        wins.append((int(far[0] <= far[1]), int(far[1] <= far[0])))
    return wins


def test_as_the_paper_has_it(study: tuple[np.ndarray, np.ndarray]) -> None:
    truth, ratings = study
    judge = np.clip(truth + np.random.default_rng(1).choice([-1, 0, 0, 1], 100), 1, 5)
    ratings[:30, 3] = np.nan
    found = alternative_annotator_test(judge, ratings, epsilon=0.15)
    p = []
    for rater, test in enumerate(found.raters):
        wins = np.array(by_hand(judge, ratings, rater))
        assert test.n == len(wins)
        assert (test.judge_wins, test.rater_wins) == tuple(wins.mean(axis=0))
        p.append(stats.ttest_1samp(wins[:, 1] - wins[:, 0], 0.15, alternative="less").pvalue)
    assert [test.p for test in found.raters] == pytest.approx(p)
    won = benjamini_yekutieli(p) <= 0.05
    assert [test.won for test in found.raters] == won.tolist()
    assert found.winning_rate.value == won.mean()
    assert found.passed is bool(won.mean() >= 0.5)
    assert found.advantage.value == pytest.approx(
        np.mean([test.judge_wins for test in found.raters])
    )


def test_a_judge_who_knows_the_truth_may_stand_in(study: tuple[np.ndarray, np.ndarray]) -> None:
    found = alternative_annotator_test(*study)
    assert found.passed
    assert found.winning_rate.value == 1
    assert found.advantage.low < found.advantage.value  # type: ignore[operator]


def test_a_judge_who_guesses_may_not(study: tuple[np.ndarray, np.ndarray]) -> None:
    guesses = np.random.default_rng(1).integers(1, 6, 100)
    found = alternative_annotator_test(guesses, study[1], epsilon=0.2)
    assert found.passed is False
    assert found.winning_rate.value == 0


def test_names_are_the_same_or_not(study: tuple[np.ndarray, np.ndarray]) -> None:
    truth, ratings = study
    found = alternative_annotator_test(truth, ratings, "nominal")
    agree = np.mean(ratings[:, 1:] == truth[:, None], axis=1)
    rater = np.mean(ratings[:, 1:] == ratings[:, :1], axis=1)
    assert found.raters[0].judge_wins == np.mean(agree >= rater)


def test_few_items_take_signed_ranks_and_fewer_none(
    study: tuple[np.ndarray, np.ndarray],
) -> None:
    truth, ratings = study
    found = alternative_annotator_test(truth[:20], ratings[:20])
    wins = np.array(by_hand(truth[:20], ratings[:20], 0))
    p = stats.wilcoxon(wins[:, 1] - wins[:, 0] - 0.1, alternative="less", method="asymptotic")
    assert found.raters[0].p == pytest.approx(p.pvalue)
    fewer = alternative_annotator_test(truth[:5], ratings[:5])
    assert fewer.passed is None
    assert str(fewer.raters[0].why) == "5 items shared with the others"
    assert "two annotators" in str(fewer.why)


def test_a_judge_that_always_ties_or_always_loses() -> None:
    same = np.tile([[1.0, 1.0]], (40, 1))
    assert alternative_annotator_test(np.ones(40), same).passed
    assert alternative_annotator_test(np.full(40, 5.0), same).passed is False


def test_values_must_fit_the_items() -> None:
    with pytest.raises(UsageError, match="1 values of the judge for 2 rated items"):
        alternative_annotator_test([1.0], [[1, 2], [1, 2]])
