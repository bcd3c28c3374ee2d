"""Calibrations as pages and in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.unit.analysis.calibration.test_calibrate import HUMAN, JUDGE, PEOPLE, calibrated
from tests.unit.analysis.graded import SCALES, Graded, labels

from adjudge.analysis.calibration import CalibrateOptions, Calibration
from adjudge.core.label import Label
from adjudge.reports.encode import encode
from adjudge.reports.findings.calibration import SHAPES, calibrated_rows, calibration
from adjudge.reports.findings.trust import FAIR, GOOD, standing, trust_lines
from adjudge.reports.renderers.markdown import as_markdown
from adjudge.reports.renderers.terminal import as_text
from adjudge.reports.words import command_line
from adjudge.stats.stat import Stat

CHANCE = np.random.default_rng(5)
GUESSES = [int(each) for each in CHANCE.integers(1, 6, 120)]


def following(noise: float) -> list[int]:
    """Scores that follow people more or less."""
    return [
        int(each) for each in np.clip(np.round(HUMAN + CHANCE.normal(0, noise, len(HUMAN))), 1, 5)
    ]


@pytest.fixture
def graded(tmp_path: Path) -> Iterator[Graded]:
    made = Graded(tmp_path)
    yield made
    made.close()


def words(found: Calibration) -> list[str]:
    return [str(line) for line in trust_lines(found.run, found.graders[0], command_line())]


def kind(graded: Graded, scores: Sequence[Any], given: list[Label]) -> str:
    graded.add(rating=scores)
    return standing(calibrated(graded, given).criteria["rating"])


class TestWords:
    def test_good_but_generous(self, graded: Graded) -> None:
        graded.add(rating=JUDGE)
        said = words(calibrated(graded, labels(PEOPLE[:60])))
        assert 3 <= len(said) <= 5
        assert said[0].startswith("Yes for rating: the judge orders answers much as people do")
        assert "higher than people, report the corrected mean" in said[1]
        assert said[-1].startswith("Next: check later runs")
        assert "--gate 'rating.corrected>=" in said[-1]

    def test_no_bias(self, graded: Graded) -> None:
        graded.add(rating=PEOPLE)
        assert "No bias shows" in words(calibrated(graded, labels(PEOPLE[:60])))[1]

    def test_a_guess(self, graded: Graded) -> None:
        graded.add(rating=GUESSES)
        said = words(calibrated(graded, labels(PEOPLE[:60])))
        assert said[0].startswith("No for rating")
        assert "stronger model" in said[-1]

    def test_an_interval_that_holds_yes_and_no_cannot_tell_yet(self, graded: Graded) -> None:
        """Twenty labels, every third at random: Spearman is some 0.4, with a wide interval."""
        graded.add(rating=[GUESSES[n] if n % 2 else score for n, score in enumerate(PEOPLE[:40])])
        found = calibrated(graded, labels(PEOPLE[:20]))
        stat = found.criteria["rating"].spearman
        assert stat.low is not None
        assert stat.high is not None
        assert stat.low < FAIR
        assert stat.high >= GOOD
        said = words(found)
        assert said[0].startswith("Cannot tell yet for rating: ")
        assert not any(line.startswith("No for") for line in said)
        assert "label about " in said[-1]
        plain: Any = encode(found, SHAPES)
        assert plain["criteria"]["rating"]["standing"] == "unsure"
        assert f"label about {plain['criteria']['rating']['labels_to_tell']} more" in said[-1]

    def test_where_all_items_have_labels_more_are_to_be_judged(self, graded: Graded) -> None:
        graded.add(rating=[GUESSES[n] if n % 2 else score for n, score in enumerate(PEOPLE[:20])])
        found = calibrated(graded, labels(PEOPLE[:20]))
        said = words(found)
        assert said[0].startswith("Cannot tell yet for rating: ")
        assert "Judge about " in said[-1]
        assert "--pick" not in said[-1]
        plain: Any = encode(found, SHAPES)
        assert plain["criteria"]["rating"]["labels_to_tell"] == 0

    def test_a_figure_that_may_be_chance_is_no_rough_yes(self, graded: Graded) -> None:
        """Spearman 0.5 from 0 to 0.9 cannot tell, also where the values speak against chance."""
        graded.add(rating=PEOPLE[:40])
        found = calibrated(graded, labels(PEOPLE[:20])).criteria["rating"]
        for low, high, kind in (
            (-0.03, 0.92, "unsure"),
            (0.05, 0.92, "fair"),
            (-0.03, 0.5, "fair"),
        ):
            assert standing(replace(found, spearman=Stat(0.53, low, high))) == kind

    def test_few_labels(self, graded: Graded) -> None:
        graded.add(rating=JUDGE)
        said = words(calibrated(graded, labels(PEOPLE[:8])))
        assert said[0] == "Not known yet for rating: too few labels to tell (8 labels)."
        assert "adjudge label" in said[-1]

    @pytest.mark.parametrize(
        ("scores", "people", "why", "remedy"),
        [
            ([3] * 120, PEOPLE, "the judge gave every row the same value", "adjudge show"),
            (JUDGE, [4.0] * 120, "people gave every row the same value", "until they differ"),
        ],
    )
    def test_a_constant_side(
        self, graded: Graded, scores: list[int], people: list[float], why: str, remedy: str
    ) -> None:
        graded.add(rating=scores)
        said = words(calibrated(graded, labels(people[:60])))
        assert said[0].startswith("Not known yet for rating")
        assert why in said[0]
        assert remedy in said[-1]
        assert "--pick random" in said[-1]

    def test_likelihoods_rest_on_their_order(self, tmp_path: Path) -> None:
        graded = Graded(tmp_path, method="likelihood", rating=SCALES["rating"])
        graded.add(rating=[each / 10 - 3 for each in JUDGE])
        said = words(calibrated(graded, labels(PEOPLE[:60])))
        graded.close()
        assert said[0].startswith("Yes for rating")
        assert "Spearman 0." in said[0]
        assert said[1].startswith("The corrected mean to report: rating")
        assert "bias" not in " ".join(said)

    @pytest.mark.parametrize(("random", "share"), [(0, "All 60"), (10, "50 of 60")])
    def test_labels_that_were_picked_as_uncertain(
        self, graded: Graded, random: int, share: str
    ) -> None:
        graded.add(rating=JUDGE)
        drawn = labels(PEOPLE[:random], draw="random")
        given = [*drawn, *labels(PEOPLE[:60], draw="uncertain")[random:]]
        said = words(calibrated(graded, given))
        assert said[0].startswith("Yes")
        assert f"{share} labelled items for rating were picked as uncertain" in said[1]
        assert "--pick random" in said[-1]

    def test_a_judge_of_names_is_no_person_for_easy_items(self, tmp_path: Path) -> None:
        """Where raters agree the judge is fair; where they are divided it sides with neither."""
        graded = Graded(tmp_path, winner=SCALES["winner"])
        first = ["a", "b"] * 60
        second = ["b" if n % 4 == 0 else name for n, name in enumerate(first)]
        judged = [{"a": "b", "b": "a"}[x] if n % 9 in (0, 4) else x for n, x in enumerate(first)]
        triples = zip(judged, first, second, strict=True)
        graded.add(winner=[mine if one == other else "tie" for mine, one, other in triples])
        given = [
            *labels(first, rater="x", criterion="winner"),
            *labels(second, rater="y", criterion="winner"),
        ]
        found = calibrated(graded, given).criteria["winner"]
        graded.close()
        assert found.raters is not None
        among = found.raters.ceiling.leave_one_out["kappa"].value
        assert among is not None
        assert found.kappa.value is not None
        assert found.kappa.value >= among
        assert standing(found) in ("fair", "weak")

    def test_labels_that_were_picked(self, graded: Graded) -> None:
        graded.add(rating=JUDGE)
        low = [people if score <= 2 else None for people, score in zip(PEOPLE, JUDGE, strict=True)]
        said = words(calibrated(graded, labels(low)))
        assert "not a random sample" in said[-1]

    def test_many_unscored(self, graded: Graded) -> None:
        graded.add(rating=[*[None] * 12, *JUDGE[12:]])
        said = " ".join(words(calibrated(graded, labels(PEOPLE))))
        assert "12 of 120 items have no score for rating: its mean could lie anywhere" in said

    def test_standings(self, graded: Graded) -> None:
        assert kind(graded, following(0.3), labels(PEOPLE)) == "good"
        assert kind(graded, following(2.2), labels(PEOPLE)) in ("fair", "weak")
        assert kind(graded, GUESSES, labels(PEOPLE)) == "chance"

    def test_as_close_as_a_person(self, graded: Graded) -> None:
        given = [
            *labels([float(each) for each in following(1.9)], rater="x"),
            *labels([float(each) for each in following(1.9)], rater="y"),
        ]
        assert kind(graded, following(1.0), given) == "person"


class TestPage:
    def test_every_kind_of_scale(self, tmp_path: Path) -> None:
        graded = Graded(tmp_path, **SCALES)
        winners = ["a", "b", "tie"] * 40
        graded.add(rating=JUDGE, polite=[n % 2 == 0 for n in range(120)], winner=winners)
        given = [
            *labels(PEOPLE),
            *labels([float(n % 2 == 0 or n % 7 == 0) for n in range(60)], criterion="polite"),
            *labels([*winners[:100], *["a"] * 20], criterion="winner"),
        ]
        found = calibrated(graded, given, CalibrateOptions(rounds=200, width=0.2, confidence=0.9))
        graded.close()
        text = as_text(calibration(found, command_line()))
        for part in (
            "Intervals have a confidence of 90%",
            "people tie",
            "judge no",
            "Rogan–Gladen",
            "names have no order to map",
            "the values are names without an order",
            "further labels for an interval of the width asked for",
        ):
            assert part in text
        assert as_markdown(calibration(found, command_line())).count("## ") >= 5

    def test_raters(self, graded: Graded, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("adjudge.reports.findings.raters._MOST_RATERS", 12)
        graded.add(rating=JUDGE)
        given = [label for n in range(14) for label in labels(PEOPLE[:40], rater=f"r{n:02}")]
        text = " ".join(as_text(calibration(calibrated(graded, given), command_line())).split())
        assert "14 raters share 40 items" in text
        assert "Raters not shown: 2." in text
        assert "The judge is not shown to be able to replace one of them" in text
        assert "is not shown to do as well as any of the raters, with a margin of 0.1" in text

    def test_strays_are_named_and_do_not_drown_the_others(self, graded: Graded) -> None:
        graded.add(rating=JUDGE)
        two = [*labels(PEOPLE[:40], rater="x"), *labels([*following(0.5)][:40], rater="y")]
        alone = calibrated(graded, two).criteria["rating"].raters
        strays = [*labels([1.0], rater="passer-by"), *labels([5.0], rater="guest")]
        found = calibrated(graded, [*two, *strays])
        raters = found.criteria["rating"].raters
        assert alone is not None
        assert raters is not None
        assert raters.names == ("x", "y")
        assert raters.strays == ("guest", "passer-by")
        kappa = raters.ceiling.pairwise["kappa"]
        assert kappa == alone.ceiling.pairwise["kappa"]
        assert kappa.low is not None
        text = " ".join(as_text(calibration(found, command_line())).split())
        assert "fewer than 5 labelled items with others: guest, passer-by." in text

    def test_the_matrix_has_the_levels_of_the_scale(self, graded: Graded) -> None:
        """Raters who say 1 and 2 gave two levels; 1.5 is none."""
        graded.add(rating=PEOPLE)
        other = [max(1.0, value - 1) if n % 2 else value for n, value in enumerate(PEOPLE)]
        found = calibrated(graded, [*labels(PEOPLE, rater="x"), *labels(other, rater="y")])
        rating = found.criteria["rating"]
        assert rating.confusion is not None
        assert set(rating.confusion.labels) <= {1.0, 2.0, 3.0, 4.0, 5.0}
        assert rating.confusion.counts.sum() == 2 * len(PEOPLE)
        same = sum(value == told for value, told in zip(PEOPLE, other, strict=True))
        assert rating.exact.value == pytest.approx((1 + same / len(PEOPLE)) / 2)

    def test_a_judge_that_may_stand_in(self, graded: Graded) -> None:
        graded.add(rating=PEOPLE)
        given = [
            label
            for n in range(3)
            for label in labels([float(each) for each in following(0.9)], rater=f"r{n}")
        ]
        found = calibrated(graded, given)
        text = " ".join(as_text(calibration(found, command_line())).split())
        assert "The judge can replace one of them" in text
        assert "is shown to do no worse than 100% of the raters, with a margin of 0.1" in text
        plain: Any = encode(found, SHAPES)
        test = plain["criteria"]["rating"]["raters"]["alternative_annotator_test"]
        assert test["epsilon"] == 0.1

    def test_what_is_odd_is_said(self, tmp_path: Path) -> None:
        graded = Graded(tmp_path, winner=SCALES["winner"], rating=SCALES["rating"])
        graded.add(winner=["a", "b", "a", None], rating=[1, 2, 3, 4])
        given = [
            *labels(["a", "b", "a", "a"], rater="x", criterion="winner"),
            *labels(["a", "a"], rater="y", criterion="winner"),
            Label("elsewhere", "x", "winner", "a"),
        ]
        text = as_text(calibration(calibrated(graded, given), command_line()))
        graded.close()
        for part in (
            "Labels about items that this run does not have: 1",
            "Without labels, and not looked at: rating",
            "winner: labelled items without a score, not compared: 1",
            "winner: items that people are divided on, not compared: 1",
        ):
            assert part in text

    def test_hostile_names(self, graded: Graded) -> None:
        graded.add(rating=JUDGE, model="m\x1b[2J")
        text = as_text(calibration(calibrated(graded, labels(PEOPLE)), command_line()))
        assert "\x1b" not in text


def test_plain_values_of_raters(graded: Graded) -> None:
    graded.add(rating=JUDGE)
    given = [*labels(PEOPLE, rater="x"), *labels(PEOPLE[:50], rater="y")]
    found: Any = encode(calibrated(graded, given), SHAPES)
    raters = found["criteria"]["rating"]["raters"]
    assert list(raters["raters"]) == ["x", "y"]
    assert raters["raters"]["y"]["n"] == 50
    assert raters["pairwise"]["exact"]["value"] == 1
    assert raters["alternative_annotator_test"]["passed"] is not None


def test_names_have_no_order_in_a_group(tmp_path: Path) -> None:
    graded = Graded(tmp_path, winner=SCALES["winner"])
    names = ["a", "b", "tie"] * 20
    graded.add(winner=names, topics=[n // 4 for n in range(60)])
    options = CalibrateOptions(rounds=200, group="topic")
    found: Any = encode(calibrated(graded, labels(names, criterion="winner"), options), SHAPES)
    graded.close()
    by_group = found["criteria"]["winner"]["by_group"]
    assert by_group["kendall"]["why"] == "the values are names without an order"


def test_slices(graded: Graded) -> None:
    graded.add(rating=JUDGE, topics=["fees"] * 60 + ["times"] * 50 + ["rest"] * 10)
    options = CalibrateOptions(rounds=200, slices=("topic",))
    found = calibrated(graded, labels(PEOPLE), options)
    text = " ".join(as_text(calibration(found, command_line())).split())
    assert "Agreement by slice" in text
    assert "each interval holds at 0.975" in text
    assert "topic: rest: 10 independent labels are too few; label at least 20 rows." in text
    plain: Any = encode(found, SHAPES)
    slices = plain["criteria"]["rating"]["by_slice"]["slices"]
    assert [(one["value"], one["n"]) for one in slices] == [
        ("fees", 60),
        ("times", 50),
        ("rest", 10),
    ]
    assert slices[0]["corrected"]["value"] is not None


class TestRows:
    def test_scores_as_people_would_give_them(self, graded: Graded) -> None:
        graded.add(rating=[*JUDGE[:119], None])
        rows = list(calibrated_rows(calibrated(graded, labels(PEOPLE))))
        assert len(rows) == 120
        assert rows[0]["item"] == "i0"
        assert {str(row["score"]): row["people"] for row in rows}.keys() == {
            *("1.0", "2.0", "3.0", "4.0", "5.0", "None")
        }
        assert rows[119]["people"] is None

    def test_names_stay_names(self, tmp_path: Path) -> None:
        graded = Graded(tmp_path, winner=SCALES["winner"])
        graded.add(winner=["tie", "b"])
        found = calibrated(graded, labels(["a", "b"], criterion="winner"))
        graded.close()
        rows = list(calibrated_rows(found))
        assert [(row["score"], row["people"]) for row in rows] == [("tie", None), ("b", None)]
