from __future__ import annotations

import json

import numpy as np
import pytest
from tests.unit.analysis.calibration.test_means import pairs

from adjudge.analysis.calibration import ScoreMap
from adjudge.analysis.calibration.score_map import kept_map, learn_map
from adjudge.core.reason import Reason
from adjudge.core.scale import Category, Integer, Number, Scale
from adjudge.stats.arrays import Floats
from adjudge.stats.transport import Trait, transport
from adjudge.stores import KeptFinding

CHANCE = np.random.default_rng(3)
HUMAN = CHANCE.integers(1, 6, 400).astype(float)
JUDGE = np.clip(HUMAN + CHANCE.choice([0, 1], 400), 1, 5)
NONE = np.empty(0)


def learned(judge: Floats = JUDGE, human: Floats = HUMAN, scale: Scale | None = None) -> ScoreMap:
    found = learn_map(pairs(judge, human, NONE), scale or Integer(1, 5), 0)
    assert isinstance(found, ScoreMap)
    return found


def kept(fingerprint: str = "f", **criteria: object) -> KeptFinding:
    content = json.loads(json.dumps({"run": "r", "criteria": criteria}))
    return KeptFinding("j", "m", fingerprint, "2026-01-02T03:04:05Z", content)


def test_the_map_rises_and_stays_on_the_scale() -> None:
    shown = learned().shown()
    assert [each.judge for each in shown] == [1, 2, 3, 4, 5]
    people = [each.people for each in shown]
    assert people == sorted(people)
    assert people[2] == pytest.approx(2.5, abs=0.3)
    for each in shown:
        assert 1 <= each.low <= each.high <= 5


def test_ranges_end_on_levels_that_people_can_give() -> None:
    assert {each.low for each in learned().shown()} <= {1.0, 2.0, 3.0, 4.0, 5.0}


def test_means_of_raters_need_no_levels() -> None:
    found = learned(human=np.clip(HUMAN + 0.5, 1, 5))
    assert found.levels is None


def test_a_scale_of_numbers_is_shown_in_steps() -> None:
    judge = CHANCE.uniform(0, 10, 300)
    found = learned(judge, np.clip(judge - 1, 0, 10), Number(0, 10))
    assert len(found.shown()) <= 11
    assert all(0 <= each.low <= each.high <= 10 for each in found.shown())


def test_most_items_lie_in_their_range() -> None:
    found = learned(JUDGE[:200], HUMAN[:200])
    ranges = found.ranges(JUDGE[200:])
    inside = [
        each.low <= human <= each.high for each, human in zip(ranges, HUMAN[200:], strict=True)
    ]
    assert np.mean(inside) >= 0.87


def test_the_mean_of_other_items() -> None:
    """Another mix of items: people's mean is found again, the judge's is half a point off."""
    human = CHANCE.choice([3.0, 4.0], 2000)
    judge = human + CHANCE.choice([0, 1], 2000)
    stat = learned().mean(judge, 0.95)
    assert stat.value == pytest.approx(human.mean(), abs=0.2)
    assert stat.low is not None
    assert stat.high is not None
    assert stat.low < human.mean() < stat.high
    assert judge.mean() > stat.high


@pytest.mark.parametrize(
    "shares", [(0.1, 0.2, 0.3, 0.25, 0.15), (0.3, 0.3, 0.2, 0.1, 0.1), (0.5, 0.3, 0.1, 0.07, 0.03)]
)
def test_the_mean_of_other_items_is_covered(shares: tuple[float, ...]) -> None:
    """Sixty labels, and new items like the labelled ones, worse or much worse: of 150 intervals of
    95% nine in ten must hold the truth, or the interval is no good."""
    chance = np.random.default_rng(1)

    def drawn(n: int, shares: tuple[float, ...]) -> tuple[Floats, Floats]:
        judge = chance.choice(np.arange(1.0, 6.0), n, p=shares)
        return judge, np.clip(np.round(0.8 * judge + 0.2 + chance.normal(0, 0.8, n)), 1, 5)

    truth = drawn(200_000, shares)[1].mean()
    inside = 0
    for _ in range(150):
        judge, human = drawn(60, (0.1, 0.2, 0.3, 0.25, 0.15))
        new = drawn(1000, shares)[0]
        by = transport([Trait("score", judge.tolist(), new.tolist())], 60)
        stat = learned(judge, human).mean(new, 0.95, by if by.shifts else None)
        assert stat.low is not None
        assert stat.high is not None
        inside += stat.low <= truth <= stat.high
    assert inside >= 0.9 * 150


def test_few_labels_teach_nothing() -> None:
    found = learn_map(pairs(JUDGE[:12], HUMAN[:12], NONE), Integer(1, 5), 0)
    assert str(found) == "12 independent labels are too few; label at least 20 rows"


def test_names_have_no_map() -> None:
    assert learn_map(pairs(JUDGE, HUMAN, NONE), Category(("a", "b")), 0) == Reason("no_map")


def test_a_million_pairs_are_too_many_to_keep(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adjudge.analysis.calibration.score_map._MOST", 100)
    assert len(learned().content()["judge"]) == 100


class TestKept:
    def test_the_same_again(self) -> None:
        first = learned()
        again = kept_map(kept(rating=first.content()), "rating", "f")
        assert isinstance(again, ScoreMap)
        assert again.shown() == first.shown()

    @pytest.mark.parametrize(
        ("found", "says"),
        [
            (None, "no calibration yet"),
            (kept("e", rating={}), "stale: it is of the judge with fingerprint e, this is f"),
            (kept(tone={}), "of 2026-01-02 had no labels for rating"),
            (kept(rating={"why": "too few"}), "refused: too few"),
        ],
    )
    def test_why_not(self, found: KeptFinding | None, says: str) -> None:
        why = kept_map(found, "rating", "f")
        assert isinstance(why, Reason)
        assert says in str(why)
