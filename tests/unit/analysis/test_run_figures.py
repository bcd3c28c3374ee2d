from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.unit.analysis.graded import SCALES, Graded, labels
from tests.unit.analysis.test_calibrate import JUDGE, PEOPLE, calibrated

from adjudge.analysis.gates import Judged, parse_gates
from adjudge.analysis.run_figures import judge_run


@pytest.fixture
def graded(tmp_path: Path) -> Iterator[Graded]:
    made = Graded(tmp_path)
    yield made
    made.close()


def judged(graded: Graded, *texts: str) -> list[Judged]:
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


def test_nothing_scored_fails(graded: Graded) -> None:
    graded.add(rating=[None, None])
    (one,) = judged(graded, "rating.mean>=1")
    assert not one.passed
    assert one.measured.why == "no rows"


def test_an_empty_run_fails(graded: Graded) -> None:
    (one,) = judged(graded, "rating.mean>=1")
    assert not one.passed


def test_every_model_must_pass(graded: Graded) -> None:
    graded.add(rating=[5, 5], model="one")
    graded.add(rating=[1, 1], model="two")
    found = judged(graded, "rating.mean>=3")
    assert [each.passed for each in found] == [True, False]
    assert found[1].measured.where == "graded by two"


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

    def test_of_another_model(self, graded: Graded) -> None:
        graded.add(rating=JUDGE, model="one")
        calibrated(graded, labels(PEOPLE))
        graded.add(rating=JUDGE, model="two")
        found = judged(graded, "rating.corrected>=1")
        assert [each.passed for each in found] == [True, False]
        assert "no calibration" in str(found[1].measured.why)
