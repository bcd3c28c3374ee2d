from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.unit.analysis.graded import FINGERPRINT, SCALES, Graded, labels, source

from adjudge.analysis.calibration import (
    CalibrateOptions,
    Calibration,
    CriterionCalibration,
    Slicing,
    calibrate_run,
)
from adjudge.analysis.calibration.agreement import measure_of
from adjudge.analysis.gates import parse_gates
from adjudge.core.label import Label
from adjudge.core.reason import Reason
from adjudge.core.scale import Binary, Integer, Number
from adjudge.errors import DataError, UsageError
from adjudge.stats.agreement import agreement
from adjudge.stats.bootstrap import Resampling
from adjudge.stats.measure import NAMES

QUICK = CalibrateOptions(rounds=200)
CHANCE = np.random.default_rng(11)
HUMAN = CHANCE.integers(1, 6, 120)
JUDGE = [int(each) for each in np.clip(HUMAN + CHANCE.choice([0, 0, 1], 120), 1, 5)]
PEOPLE = [float(each) for each in HUMAN]
TOPICS = [n // 4 for n in range(120)]


@pytest.fixture
def graded(tmp_path: Path) -> Iterator[Graded]:
    made = Graded(tmp_path)
    yield made
    made.close()


def calibrated(
    graded: Graded, given: list[Label], options: CalibrateOptions = QUICK
) -> Calibration:
    return calibrate_run(graded.record, graded.store, source(given), options)


def rating(
    graded: Graded, given: list[Label], options: CalibrateOptions = QUICK
) -> CriterionCalibration:
    return calibrated(graded, given, options).criteria["rating"]


def test_the_statistics_are_those_of_the_pairs(graded: Graded) -> None:
    graded.add(rating=[*JUDGE[:119], None])
    found = rating(graded, labels(PEOPLE))
    expected = agreement(
        [float(each) for each in JUDGE[:119]], PEOPLE[:119], resampling=Resampling(rounds=200)
    )
    assert all(getattr(found, name) == getattr(expected, name) for name in ("n", *NAMES))
    assert (found.n, found.items, found.unscored, found.lost) == (119, 120, 1, 1)
    assert found.alphas["ordinal"] == expected.alpha
    assert set(found.alphas) == {"nominal", "ordinal", "interval"}
    assert found.chance is None


def test_groups(graded: Graded) -> None:
    graded.add(rating=JUDGE, topics=TOPICS)
    options = CalibrateOptions(rounds=200, group="topic")
    alone, grouped = rating(graded, labels(PEOPLE)), rating(graded, labels(PEOPLE), options)
    assert alone.by_group is None
    assert grouped.by_group is not None
    assert grouped.by_group.groups + grouped.by_group.left_out == 30
    assert alone.spearman.value == grouped.spearman.value
    assert alone.spearman.low != grouped.spearman.low


def test_the_same_seed_gives_the_same(graded: Graded) -> None:
    graded.add(rating=JUDGE)
    one, same = (rating(graded, labels(PEOPLE)).spearman for _ in range(2))
    other = rating(graded, labels(PEOPLE), CalibrateOptions(rounds=200, seed=1)).spearman
    assert one == same
    assert one != other


def test_names(tmp_path: Path) -> None:
    graded = Graded(tmp_path, winner=SCALES["winner"])
    names = ["a", "b", "tie"] * 20
    graded.add(winner=names)
    found = calibrated(graded, labels([*names[:50], *["a"] * 10], criterion="winner"))
    graded.close()
    winner = found.criteria["winner"]
    assert winner.kappa.value == pytest.approx(0.83, abs=0.1)
    assert winner.pearson.value is None
    assert str(winner.means.raw.why) == "names have no mean"
    assert winner.confusion is not None
    assert winner.confusion.labels == ("a", "b", "tie")
    assert winner.score_map == Reason("no_map")


def test_yes_and_no(tmp_path: Path) -> None:
    graded = Graded(tmp_path, polite=SCALES["polite"])
    graded.add(polite=[n % 3 > 0 for n in range(90)])
    found = calibrated(
        graded, labels([float((n + (n % 9 == 0)) % 3 > 0) for n in range(60)], criterion="polite")
    )
    graded.close()
    polite = found.criteria["polite"]
    assert polite.kappa.value is not None
    assert polite.adjacent == polite.exact
    assert polite.means.by_errors is not None
    assert polite.means.by_errors.stat.value is not None


def test_several_raters(graded: Graded) -> None:
    graded.add(rating=JUDGE)
    given = [
        *labels(PEOPLE, rater="x"),
        *labels([min(5.0, each + (n % 3 == 0)) for n, each in enumerate(PEOPLE)], rater="y"),
        *labels([max(1.0, each - (n % 4 == 0)) for n, each in enumerate(PEOPLE)], rater="z"),
    ]
    found = rating(graded, given).raters
    assert found is not None
    assert found.names == ("x", "y", "z")
    assert found.items == 120
    assert found.ceiling.pairwise["spearman"].value is not None
    assert found.stands_in.passed is not None
    assert [each.n for each in found.judge] == [120] * 3


def test_raters_are_compared_on_what_they_are_divided_on(tmp_path: Path) -> None:
    graded = Graded(tmp_path, winner=SCALES["winner"])
    names = ["a", "b", "tie"] * 20
    graded.add(winner=[*names[:59], None])
    other = ["b" if n % 4 == 0 and name == "a" else name for n, name in enumerate(names)]
    given = [
        *labels(names, rater="x", criterion="winner"),
        *labels(other, rater="y", criterion="winner"),
    ]
    winner = calibrated(graded, given).criteria["winner"]
    graded.close()
    assert (winner.split, winner.n) == (5, 54)
    found = winner.raters
    assert found is not None
    assert found.items == 60
    assert found.ceiling.pairwise["exact"].value == pytest.approx(55 / 60)
    assert found.alpha.value is not None
    assert found.alpha.value < 1
    assert [each.n for each in found.judge] == [59, 59]
    assert found.judge[1].exact.value == pytest.approx(54 / 59)
    assert [each.n for each in found.stands_in.raters] == [59, 59]


def test_likelihoods_are_beside_each_rater_in_order_alone(tmp_path: Path) -> None:
    graded = Graded(tmp_path, method="likelihood", rating=SCALES["rating"])
    graded.add(rating=[each / 10 - 3 for each in JUDGE])
    found = rating(graded, [*labels(PEOPLE, rater="x"), *labels(PEOPLE, rater="y")]).raters
    graded.close()
    assert found is not None
    assert found.judge[0].spearman.value is not None
    assert str(found.judge[0].kappa.why) == "likelihoods are not on a scale that people use"
    assert found.stands_in.passed is None
    assert len(found.stands_in.raters) == 2


def test_raters_who_share_no_item_tell_nothing(graded: Graded) -> None:
    graded.add(rating=JUDGE)
    given = [*labels(PEOPLE[:60], rater="x")]
    given += [Label(f"i{n}", "y", "rating", PEOPLE[n]) for n in range(60, 120)]
    found = rating(graded, given)
    assert found.raters is None
    assert found.n == 120


def test_a_judge_that_guesses_is_refused(graded: Graded) -> None:
    graded.add(rating=[int(each) for each in CHANCE.integers(1, 6, 120)])
    found = rating(graded, labels(PEOPLE[:80]))
    assert "better than chance" in str(found.chance)
    assert found.means.corrected.stat.value is None
    assert isinstance(found.score_map, Reason)


def test_a_judge_that_always_says_the_same_is_refused(graded: Graded) -> None:
    graded.add(rating=[3] * 120)
    found = rating(graded, labels(PEOPLE[:80]))
    assert str(found.spearman.why) == "the judge gave every row the same value"
    assert "same value" in str(found.means.corrected.stat.why)


class TestSeveral:
    def test_a_part_for_each_model(self, graded: Graded) -> None:
        for model in ("one", "two"):
            graded.add(rating=JUDGE, model=model)
        found = calibrated(graded, labels(PEOPLE))
        assert [each.grader.model for each in found.graders] == ["one", "two"]
        with pytest.raises(UsageError, match="graded by one, graded by two"):
            _ = found.criteria

    def test_one_can_be_picked(self, graded: Graded) -> None:
        for model in ("one", "two"):
            graded.add(rating=JUDGE, model=model)
        found = calibrated(graded, labels(PEOPLE), CalibrateOptions(rounds=200, model="two"))
        assert found.criteria["rating"].n == 120


class TestKept:
    def test_for_the_judge_and_the_model(self, graded: Graded) -> None:
        graded.add(rating=JUDGE)
        calibrated(graded, labels(PEOPLE))
        kept = graded.store.calibrations.latest("graded", "m")
        assert kept is not None
        assert kept.fingerprint == FINGERPRINT
        assert len(kept.content["criteria"]["rating"]["judge"]) == 120

    def test_a_refusal_is_kept_too(self, graded: Graded) -> None:
        graded.add(rating=JUDGE)
        calibrated(graded, labels(PEOPLE))
        calibrated(graded, labels(PEOPLE[:3]))
        kept = graded.store.calibrations.latest("graded", "m")
        assert kept is not None
        assert "why" in kept.content["criteria"]["rating"]

    def test_not_for_a_run_of_two_readers(self, graded: Graded) -> None:
        graded.add(rating=JUDGE)
        graded.add(rating=JUDGE[:5], repeat=1, fingerprint="e" * 16)
        found = calibrated(graded, labels(PEOPLE))
        assert "reread" in str(found.graders[0].not_kept)
        assert graded.store.calibrations.latest("graded", "m") is None


class TestWrong:
    def test_no_labels(self, graded: Graded) -> None:
        graded.add(rating=JUDGE)
        with pytest.raises(DataError, match="--labels"):
            calibrated(graded, [])

    def test_no_verdicts(self, graded: Graded) -> None:
        with pytest.raises(DataError, match="no verdicts"):
            calibrated(graded, labels(PEOPLE))

    @pytest.mark.parametrize("wrong", [{"confidence": 1.5}, {"rounds": 3}, {"width": 0.0}])
    def test_figures(self, wrong: dict[str, float]) -> None:
        with pytest.raises(UsageError):
            CalibrateOptions(**wrong)  # type: ignore[arg-type]

    def test_a_gate_is_checked_first(self, graded: Graded) -> None:
        graded.add(rating=JUDGE)
        options = CalibrateOptions(gates=parse_gates(["tone.kappa>=0.2"]))
        with pytest.raises(UsageError, match="there are rating"):
            calibrated(graded, [], options)


class TestGates:
    @pytest.mark.parametrize(
        ("text", "passed"),
        [
            ("rating.spearman>=0.4", True),
            ("rating.kappa.lower>=0.99", False),
            ("rating.n>=120", True),
            ("rating.mean>=1", True),
            ("rating.corrected.upper<=5", True),
            ("rating.share(>=1)>=100%", True),
            ("rating.unscored<=0%", True),
            ("unscored<=0%", True),
            ("rating.group_kendall>=0", False),  # no groups
            ("rating.n.lower>=1", False),  # a count has no interval
        ],
    )
    def test_figures(self, graded: Graded, text: str, passed: bool) -> None:
        graded.add(rating=JUDGE)
        options = CalibrateOptions(rounds=200, gates=parse_gates([text]))
        (judged,) = calibrated(graded, labels(PEOPLE), options).gates
        assert judged.passed is passed, judged

    def test_names_have_no_order_in_a_group(self, tmp_path: Path) -> None:
        graded = Graded(tmp_path, winner=SCALES["winner"])
        names = ["a", "b", "tie"] * 20
        graded.add(winner=names, topics=TOPICS[:60])
        gates = parse_gates(["winner.group_kendall>=0"])
        options = CalibrateOptions(rounds=200, group="topic", gates=gates)
        (judged,) = calibrated(graded, labels(names, criterion="winner"), options).gates
        graded.close()
        assert str(judged.measured.why) == "the values are names without an order"

    def test_a_criterion_without_labels(self, tmp_path: Path) -> None:
        graded = Graded(tmp_path, rating=SCALES["rating"], polite=SCALES["polite"])
        graded.add(rating=JUDGE, polite=[True] * 120)
        gates = parse_gates(["polite.mean>=0.5", "polite.kappa>=0"])
        found = calibrated(graded, labels(PEOPLE), CalibrateOptions(rounds=200, gates=gates))
        graded.close()
        mean, kappa = found.gates
        assert mean.passed
        assert str(kappa.measured.why) == "there are no labels for it"
        assert found.graders[0].unlabelled == ("polite",)


def test_adjacent_is_one_level_or_a_tenth() -> None:
    assert measure_of(Integer(1, 5)).tolerance == 1
    assert measure_of(Number(0, 10)).tolerance == 1
    assert measure_of(Number(0, 1)).tolerance == pytest.approx(0.1)
    assert measure_of(Binary()).tolerance == 0


class TestSlices:
    """The judge follows people on `fees`, and guesses on `times`; `rest` has three labels."""

    def sliced(self, tmp_path: Path) -> Slicing:
        chance = np.random.default_rng(8)
        people = chance.integers(1, 6, 83)
        judge = [*people[:40], *chance.permutation(people[40:80]), 3, 3, 3]
        topics = ["fees"] * 40 + ["times"] * 40 + ["rest"] * 3
        graded = Graded(tmp_path).add(rating=[int(value) for value in judge], topics=topics)
        chosen = CalibrateOptions(slices=("topic",), rounds=200)
        given = source(labels(people.tolist()))
        found = calibrate_run(graded.record, graded.store, given, chosen).criteria["rating"]
        graded.close()
        assert found.by_slice is not None
        return found.by_slice

    def test_each_has_its_own_figures(self, tmp_path: Path) -> None:
        fees, times, rest = self.sliced(tmp_path).slices
        assert [one.value for one in (fees, times, rest)] == ["fees", "times", "rest"]
        assert (fees.items, fees.n, fees.agreement.value) == (40, 40, pytest.approx(1))
        assert times.agreement.value is not None
        assert times.agreement.value < 0.4
        assert (rest.items, rest.n) == (3, 3)
        for stat in (rest.agreement, rest.bias, rest.raw, rest.corrected):
            assert stat.value is None
            assert "3 independent labels are too few" in str(stat.why)

    def test_intervals_hold_at_once(self, tmp_path: Path) -> None:
        """Two slices have enough labels: each interval is of 97.5%, Student's of 40 rows."""
        found = self.sliced(tmp_path)
        assert found.confidence == pytest.approx(0.975)
        raw = found.slices[0].raw
        assert raw.value is not None
        assert raw.high is not None
        values = np.random.default_rng(8).integers(1, 6, 83)[:40]
        reach = 2.3313 * values.std(ddof=1) / 40**0.5  # t with 39 degrees of freedom, both sides
        assert raw.high - raw.value == pytest.approx(reach, rel=1e-3)

    def test_rare_values_are_counted(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("adjudge.analysis.calibration.slices._MOST", 2)
        found = self.sliced(tmp_path)
        assert (len(found.slices), found.left_out) == (2, 1)

    def test_a_column_that_is_not_there(self, graded: Graded) -> None:
        graded.add(rating=JUDGE)
        with pytest.raises(UsageError, match="--slice colour"):
            calibrated(graded, labels(PEOPLE), CalibrateOptions(slices=("colour",)))
