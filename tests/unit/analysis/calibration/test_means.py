from __future__ import annotations

import numpy as np
import pytest

from adjudge.analysis.calibration import Means
from adjudge.analysis.calibration.means import means, no_means
from adjudge.analysis.calibration.pairs import LabelledPairs
from adjudge.analysis.scores import CriterionScores
from adjudge.analysis.scores.intervals import mean_of
from adjudge.core.scale import Binary, Category, Integer, Number, Scale
from adjudge.stats.arrays import Bools, Floats

CHANCE = np.random.default_rng(7)


def pairs(
    judge: Floats,
    human: Floats,
    others: Floats,
    *,
    fit: Bools | None = None,
    recorded: bool = False,
) -> LabelledPairs:
    return LabelledPairs(
        judge=judge,
        human=human,
        fit=np.ones(len(judge), dtype=bool) if fit is None else fit,
        groups=None,
        others=others,
        groups_of_others=None,
        lost=0,
        recorded=recorded,
        places=np.arange(len(judge)),
    )


def told(
    given: LabelledPairs, scale: Scale, *, chance: str | None = None, width: float | None = None
) -> Means:
    values = np.concatenate([given.judge, given.others])
    scored = CriterionScores("rating", scale, np.arange(len(values)), values, len(values), 0)
    raw = mean_of(scored, None, 0.95)
    return means(scored, given, chance, raw, confidence=0.95, width=width)


@pytest.fixture(scope="module")
def biased() -> LabelledPairs:
    """A judge that follows people half a point too high: 80 labels of 2,000 items at random."""
    human = CHANCE.uniform(2, 8, 2000)
    judge = np.clip(human + 0.5 + CHANCE.normal(0, 0.5, 2000), 0, 10)
    return pairs(judge[:80], human[:80], judge[80:])


def test_the_bias_is_taken_out(biased: LabelledPairs) -> None:
    found = told(biased, Number(0, 10))
    corrected, raw, people = found.corrected.stat, found.raw, found.corrected.classical
    assert corrected.value is not None
    assert raw.value is not None
    assert corrected.low is not None
    assert corrected.high is not None
    assert people.low is not None
    assert people.high is not None
    assert raw.value - corrected.value == pytest.approx(0.5, abs=0.15)
    assert corrected.low < 5.0 < corrected.high
    assert corrected.high - corrected.low < (people.high - people.low) / 2
    assert found.draw.looks_random


def test_refused_without_skill(biased: LabelledPairs) -> None:
    found = told(biased, Number(0, 10), chance="no better than chance")
    assert found.corrected.stat.value is None
    assert str(found.corrected.stat.why) == "no better than chance"
    assert found.corrected.classical.value is not None


def test_refused_with_few_labels(biased: LabelledPairs) -> None:
    few = pairs(biased.judge[:12], biased.human[:12], biased.others)
    assert "label at least 20" in str(told(few, Number(0, 10)).corrected.stat.why)


def test_refused_where_the_labels_look_picked(biased: LabelledPairs) -> None:
    lowest = np.argsort(biased.judge)[:40]
    picked = pairs(biased.judge[lowest], biased.human[lowest], biased.others)
    found = told(picked, Number(0, 10))
    assert "not a random sample" in str(found.corrected.stat.why)
    assert found.draw.looks_random is False


def test_a_recorded_random_draw_is_believed(biased: LabelledPairs) -> None:
    lowest = np.argsort(biased.judge)[:40]
    drawn = pairs(biased.judge[lowest], biased.human[lowest], biased.others, recorded=True)
    assert told(drawn, Number(0, 10)).corrected.stat.value is not None


def test_items_picked_as_uncertain_count_as_unlabelled(biased: LabelledPairs) -> None:
    fit = np.arange(80) < 50
    found = told(pairs(biased.judge, biased.human, biased.others, fit=fit), Number(0, 10))
    assert (found.corrected.labelled, found.corrected.unlabelled) == (50, 1950)


def test_nothing_but_uncertain_ones_is_refused(biased: LabelledPairs) -> None:
    fit = np.zeros(80, dtype=bool)
    given = pairs(biased.judge, biased.human, biased.others, fit=fit, recorded=True)
    found = told(given, Number(0, 10))
    assert found.corrected.stat.value is None
    assert str(found.corrected.stat.why) == (
        "all 80 labelled items were picked as uncertain; only items drawn at random can correct a"
        " mean: adjudge label --pick random"
    )
    assert found.draw.looks_random is False


def test_too_few_but_uncertain_ones_is_refused(biased: LabelledPairs) -> None:
    fit = np.arange(80) < 10
    given = pairs(biased.judge, biased.human, biased.others, fit=fit, recorded=True)
    why = told(given, Number(0, 10)).corrected.stat.why
    assert str(why).startswith("70 of 80 labelled items were picked as uncertain")


def test_where_every_item_is_labelled_the_labels_are_the_answer(biased: LabelledPairs) -> None:
    found = told(pairs(biased.judge, biased.human, np.empty(0)), Number(0, 10), chance="none")
    assert found.corrected.stat == found.corrected.classical


def test_further_labels(biased: LabelledPairs) -> None:
    narrow, wide = (told(biased, Number(0, 10), width=width).needed for width in (0.2, 1.0))
    assert narrow is not None
    assert wide is not None
    assert (narrow.further or 0) > 20
    assert wide.further == 0


def test_yes_and_no_from_the_judges_errors() -> None:
    human = (CHANCE.random(3000) < 0.3).astype(float)
    judge = np.where(CHANCE.random(3000) < 0.9, human, 1 - human)
    found = told(pairs(judge[:300], human[:300], judge[300:]), Binary())
    assert found.by_errors is not None
    assert found.by_errors.stat.value == pytest.approx(0.3, abs=0.05)
    assert found.raw.value == pytest.approx(0.34, abs=0.03)


def test_divided_repeats_have_no_error_rates() -> None:
    judge = np.array([0.5, 1.0] * 20)
    found = told(pairs(judge, np.round(judge), judge), Binary())
    assert found.by_errors is not None
    assert "divided" in str(found.by_errors.stat.why)


def test_likelihoods_have_no_error_rates() -> None:
    judge = np.linspace(-3, -1, 60)
    given = pairs(judge[:40], (judge[:40] > -2).astype(float), judge[40:])
    scored = CriterionScores("r", Binary(), np.arange(60), judge, 60, 0, on_scale=False)
    raw = mean_of(scored, None, 0.95)
    found = means(scored, given, None, raw, confidence=0.95, width=None)
    assert found.by_errors is not None
    assert str(found.by_errors.stat.why) == "likelihoods are not on a scale that people use"


class TestRaw:
    def test_unscored_items_widen_the_bounds(self) -> None:
        values = np.array([2.0, 4.0, np.nan, np.nan])
        stat, bounds = mean_of(
            CriterionScores("r", Integer(1, 5), np.arange(4), values, 4, 2), None, 0.95
        )
        assert stat.value == 3
        assert bounds is not None
        assert (bounds.worst, bounds.best) == (2, 4)

    def test_yes_and_no_stay_within_0_and_1(self) -> None:
        scored = CriterionScores("r", Binary(), np.arange(9), np.ones(9), 9, 0)
        stat, _ = mean_of(scored, None, 0.95)
        assert (stat.value, stat.high) == (1, 1)
        assert stat.low is not None
        assert 0.5 < stat.low < 1

    def test_shares_of_samples_stay_within_0_and_1(self) -> None:
        """The mean of 1, 1, … 2/3 with a t interval would reach beyond 1."""
        values = np.array([1.0] * 7 + [1 / 3])
        stat, _ = mean_of(CriterionScores("r", Binary(), np.arange(8), values, 24, 0), None, 0.95)
        assert stat.value == pytest.approx(11 / 12)
        assert stat.low is not None
        assert stat.high is not None
        assert 0 < stat.low < 11 / 12 < stat.high <= 1

    def test_names_have_none(self) -> None:
        scored = CriterionScores("r", Category(("a", "b")), np.arange(2), np.zeros(2), 2, 0)
        assert mean_of(scored, None, 0.95)[0].value is None
        assert str(no_means().corrected.stat.why) == "names have no mean"
