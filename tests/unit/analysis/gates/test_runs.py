from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.unit.analysis.calibration.test_calibrate import JUDGE, PEOPLE, calibrated
from tests.unit.analysis.graded import FINGERPRINT, SCALES, Graded, labels

from adjudge.analysis.gates import GateResult, parse_gates
from adjudge.analysis.gates.figures import judge_run


@pytest.fixture
def graded(tmp_path: Path) -> Iterator[Graded]:
    made = Graded(tmp_path)
    yield made
    made.close()


def judged(graded: Graded, *texts: str) -> list[GateResult]:
    return list(judge_run(parse_gates(texts), graded.record, graded.store))


def value(graded: Graded, figure: str) -> float | None:
    return judged(graded, f"{figure}>=0")[0].measured.value


def test_means_and_ends(graded: Graded) -> None:
    graded.add(rating=[2, 4, 4, None])
    assert value(graded, "rating.mean") == pytest.approx(10 / 3)
    low, high = value(graded, "rating.lower"), value(graded, "rating.upper")
    assert low is not None
    assert high is not None
    assert low < 10 / 3 < high


def test_unscored(graded: Graded) -> None:
    graded.add(rating=[2, None, 3, 3])
    assert value(graded, "unscored") == 0.25
    assert value(graded, "rating.unscored") == 0.25


def test_shares(tmp_path: Path) -> None:
    graded = Graded(tmp_path, **SCALES)
    graded.add(rating=[1, 3, 5, 5], polite=[True, True, True, False], winner=["a", "b", "b", "tie"])
    found = {
        figure: value(graded, figure)
        for figure in (
            "rating.share(>=3)",
            "rating.share(=5)",
            "winner.share(=B)",
            "polite.share(=yes)",
        )
    }
    graded.close()
    assert list(found.values()) == [0.75, 0.5, 0.5, 0.75]


def test_likelihoods_of_names(tmp_path: Path) -> None:
    graded = Graded(tmp_path, method="likelihood", winner=SCALES["winner"])
    graded.add(winner=[-2.0, -1.0, None])
    assert value(graded, "winner.mean") == -1.5
    (one,) = judged(graded, "winner.share(=a)>=10%")
    graded.close()
    assert (one.passed, one.measured.value) == (False, None)
    assert "on no scale" in str(one.measured.why)


def test_nothing_scored_fails(graded: Graded) -> None:
    graded.add(rating=[None, None])
    (one,) = judged(graded, "rating.mean>=1")
    assert not one.passed
    assert str(one.measured.why) == "no rows"


def test_an_empty_run_fails(graded: Graded) -> None:
    (one,) = judged(graded, "rating.mean>=1")
    assert not one.passed


def test_every_model_must_pass(graded: Graded) -> None:
    graded.add(rating=[5, 5], model="one")
    graded.add(rating=[1, 1], model="two")
    found = judged(graded, "rating.mean>=3")
    assert [each.passed for each in found] == [True, False]
    assert str(found[1].measured.where) == "graded by two"


class TestCorrected:
    def test_without_a_calibration(self, graded: Graded) -> None:
        graded.add(rating=JUDGE)
        (one,) = judged(graded, "rating.corrected>=1")
        assert not one.passed
        assert "adjudge calibrate" in str(one.measured.why)

    def test_of_this_very_run(self, graded: Graded) -> None:
        graded.add(rating=JUDGE)
        told = calibrated(graded, labels(PEOPLE[:60])).criteria["rating"].means.corrected.stat
        assert value(graded, "rating.corrected") == told.value
        assert value(graded, "rating.corrected.lower") == told.low

    def test_of_another_run(self, graded: Graded) -> None:
        graded.add(rating=JUDGE)
        calibrated(graded, labels(PEOPLE))
        graded.add(rating=[3] * 10, repeat=1)  # the mean of other scores, by the kept map
        graded.add(rating=[*JUDGE, 1])
        found = value(graded, "rating.corrected")
        assert found == pytest.approx(sum(PEOPLE) / len(PEOPLE), abs=0.2)
        assert (value(graded, "rating.corrected.lower") or 9) < found

    def test_with_a_stale_one(self, graded: Graded) -> None:
        graded.add(rating=JUDGE)
        calibrated(graded, labels(PEOPLE))
        graded.add(rating=JUDGE, fingerprint="e" * 16)  # read again by another reader
        (one,) = judged(graded, "rating.corrected>=1")
        assert not one.passed
        assert "stale" in str(one.measured.why)

    def test_one_of_another_fingerprint_displaces_none(self, graded: Graded) -> None:
        graded.add(rating=JUDGE)
        calibrated(graded, labels(PEOPLE))
        before = value(graded, "rating.corrected")
        graded.store.calibrations.keep("graded", "m", "e" * 16, {"run": "r", "criteria": {}})
        assert before is not None
        assert value(graded, "rating.corrected") == before

    @pytest.mark.parametrize("criteria", [{}, {"rating": {"why": "too few"}}])
    def test_a_later_one_without_a_map_hides_none(
        self, graded: Graded, criteria: dict[str, dict[str, str]]
    ) -> None:
        graded.add(rating=JUDGE)
        calibrated(graded, labels(PEOPLE))
        before = value(graded, "rating.corrected")
        content = {"run": "r", "criteria": criteria}
        graded.store.calibrations.keep("graded", "m", FINGERPRINT, content)
        assert before is not None
        assert value(graded, "rating.corrected") == before

    def test_of_another_model(self, graded: Graded) -> None:
        graded.add(rating=JUDGE, model="one")
        calibrated(graded, labels(PEOPLE))
        graded.add(rating=JUDGE, model="two")
        found = judged(graded, "rating.corrected>=1")
        assert [each.passed for each in found] == [True, False]
        assert "no calibration" in str(found[1].measured.why)
