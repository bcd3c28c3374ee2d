"""Findings drawn, and told in words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.analysis.calibration.test_calibrate import JUDGE, PEOPLE, calibrated
from tests.unit.analysis.compared import Runs
from tests.unit.analysis.graded import SCALES, Graded, labels
from tests.unit.reports.plots.test_laws import SVG, parsed, texts

from adjudge import trust
from adjudge.analysis.browsing import CriterionOverview, RunIndex
from adjudge.analysis.probing import Probed, ProbeFinding, ProbeLimits
from adjudge.analysis.ranking import Ranked, RankingPart, Standing
from adjudge.core.reason import Reason
from adjudge.reports.plots import charts
from adjudge.reports.words import Words
from adjudge.run_handle import open_run
from adjudge.stats.stat import Stat, undefined
from adjudge.strings import strings_for

EN, KO, VI = (Words(strings_for(language)) for language in ("en", "ko", "vi"))
TEN = {"type": "number", "min": 0.0, "max": 10.0}


@pytest.fixture
def graded(tmp_path: Path) -> Iterator[Graded]:
    made = Graded(tmp_path, rating=SCALES["rating"], polite=SCALES["polite"], depth=TEN)
    yield made
    made.close()


def criteria(graded: Graded) -> dict[str, CriterionOverview]:
    found = RunIndex(graded.record, graded.store).overview()
    return {each.criterion: each for grader in found.graders for each in grader.criteria}


def seen(svg: str | None) -> str:
    assert svg is not None
    return parsed(svg).findtext(f"{SVG}desc", "")


class TestDistribution:
    def test_levels_and_the_unscored(self, graded: Graded) -> None:
        graded.add(rating=[1, 5, 5, None], polite=[True, False, True, True], depth=[1.0, 2, 3, 4])
        svg = charts.distribution_chart(EN, criteria(graded)["rating"])
        assert seen(svg) == "Items by score. 1: 1, 2: 0, 3: 0, 4: 0, 5: 2. Unscored: 1."
        assert "Rating: how the scores are spread" in texts(svg)

    def test_yes_and_no_in_the_readers_language(self, graded: Graded) -> None:
        graded.add(rating=[1, 5], polite=[True, True], depth=[1.0, 2])
        polite = criteria(graded)["polite"]
        assert "no: 0, yes: 2" in seen(charts.distribution_chart(EN, polite))
        assert "아니요: 0, 예: 2" in seen(charts.distribution_chart(KO, polite))

    def test_repeats_count_items(self, graded: Graded) -> None:
        """An item with one scored sample of two is scored."""
        for repeat, rating in enumerate(([1, None, None], [2, 4, None])):
            values = {"polite": [True] * 3, "depth": [1.0] * 3}
            graded.add(repeat=repeat, rating=rating, **values)
        assert "Unscored: 1." in seen(charts.distribution_chart(EN, criteria(graded)["rating"]))


class TestMeans:
    def test_different_scales_become_shares(self, graded: Graded) -> None:
        graded.add(rating=[1, 5], polite=[True, True], depth=[10.0, 10.0])
        svg = charts.means_chart(EN, list(criteria(graded).values()))
        assert svg is not None
        assert "mean, as a share of each scale (0–1)" in texts(svg)
        # The mark is on the common axis, the figure as the tables have it.
        assert "Rating: 3.00 (interval" in seen(svg)
        assert any(text.startswith("3.00 [") for text in texts(svg))

    def test_one_scale_is_kept(self, graded: Graded) -> None:
        graded.add(rating=[2, 4], polite=[True, True], depth=[10.0, 10.0])
        svg = charts.means_chart(VI, [criteria(graded)["rating"]])
        assert svg is not None
        assert "trung bình, theo thang của bộ chấm" in texts(svg)
        assert "Rating: 3,00 (khoảng" in seen(svg)
        assert any(text.startswith("3,00 [") for text in texts(svg))
        assert not any(re.search(r"\d\.\d", text) for text in texts(svg)), "along the axis too"

    def test_models_are_told_apart_where_a_label_is_cut(self, graded: Graded) -> None:
        values = {"rating": [1, 5], "polite": [True, True], "depth": [1.0, 2.0]}
        graded.add(model="a", **values).add(model="b", **values)
        found = RunIndex(graded.record, graded.store).overview()
        overviews = [each for grader in found.graders for each in grader.criteria]
        alone = [each for each in overviews if each.criterion == "rating"]
        assert {"a", "b"} <= {*texts(charts.means_chart(EN, alone))}
        long = [replace(each, title=each.title * 9) for each in overviews]
        assert {"RatingRatingRatin… · a", "RatingRatingRatin… · b"} <= {
            *texts(charts.means_chart(EN, long))
        }

    def test_names_have_none(self, tmp_path: Path) -> None:
        made = Graded(tmp_path, winner=SCALES["winner"])
        made.add(winner=["a", "tie"])
        found = criteria(made)["winner"]
        made.close()
        assert charts.means_chart(EN, [found]) is None
        assert seen(charts.distribution_chart(EN, found)).startswith("Items by score. a: 1, b: 0")

    def test_likelihoods_are_on_no_scale(self, tmp_path: Path) -> None:
        made = Graded(tmp_path, method="likelihood")
        made.add(rating=[-1.5, -2.5])
        svg = charts.means_chart(EN, [criteria(made)["rating"]])
        made.close()
        assert "Rating: -2.00" in seen(svg)

    def test_parts_of_the_data(self, graded: Graded) -> None:
        values = {"rating": [1, 2, 5, 5], "polite": [True] * 4, "depth": [1.0] * 4}
        graded.add(topics=["old", "old", "new", None], **values)
        found = RunIndex(graded.record, graded.store).slices("topic")
        rating = criteria(graded)["rating"]
        svg = charts.slices_chart(EN, found, rating)
        assert "old: 1.50" in seen(svg)
        assert "(none): 5.00" in seen(svg)
        assert charts.slices_chart(EN, found, replace(rating, criterion="else")) is None


class TestPeople:
    @pytest.fixture
    def part(self, tmp_path: Path) -> Iterator[Graded]:
        made = Graded(tmp_path)
        made.add(rating=JUDGE)
        yield made
        made.close()

    def test_all_four(self, part: Graded) -> None:
        found = calibrated(part, labels(PEOPLE[:60])).graders[0]
        rating = found.criteria["rating"]
        same = int((rating.pairs.judge == rating.pairs.human).sum())
        assert f"{same} of 60" in seen(charts.confusion_chart(EN, found, "rating"))
        assert f"60 items, {same} of them" in seen(charts.scatter_chart(EN, found, "rating"))
        assert "Rating: judge " in seen(charts.corrected_chart(EN, found))
        assert "Rating: 0." in seen(charts.agreement_chart(EN, found))

    def test_likelihoods_have_no_common_scale(self, tmp_path: Path) -> None:
        made = Graded(tmp_path, "likely", method="likelihood")
        made.add(rating=[-float(each) for each in JUDGE])
        found = calibrated(made, labels(PEOPLE)).graders[0]
        made.close()
        assert charts.scatter_chart(EN, found, "rating") is None
        assert charts.confusion_chart(EN, found, "rating") is None


def test_differences(tmp_path: Path) -> None:
    """Names are compared by their shares, so numbers beside them are drawn as shares too; their
    figures are those of the table."""
    runs = Runs(tmp_path)
    a = runs.run({f"i{n}": (2, "fact") for n in range(6)})
    b = runs.run({f"i{n}": (4, "other") for n in range(6)})
    (section,) = trust.compare(a, b, store=runs.store).sections
    with closing(open_run(a, store=runs.store)) as run:
        words = EN.about({section.judge_a: run.judge(section.judge_a)})
    told = seen(charts.differences_chart(words, section))
    assert "Rating: 2.00" in told
    assert "Kind: fact: -1.00" in told
    assert "rating: 2.00" in seen(charts.differences_chart(EN, section))  # no judge, no titles


def test_ranking() -> None:
    standings = tuple(
        Standing(
            system=name, n=9, unscored=0, strength=strength, best=1, worst=2, win_rate=Stat(0.5),
            bounds=(0.5, 0.5),
        )
        for name, strength in (("alpha", Stat(1.0, 0.5, 1.5)), ("beta", undefined("no")))
    )  # fmt: skip
    ranked = Ranked(
        standings=standings,
        wins={},
        open_between=(),
        comparisons=9,
        ties=0,
        unscored=0,
        questions=9,
    )
    part = RankingPart(judge="j", model="m", criterion="winner", ranked=ranked)
    assert "alpha: 1.00 (interval 0.50 to 1.50); beta: no figure" in seen(
        charts.ranking_chart(EN, part)
    )


def test_probes() -> None:
    finding = ProbeFinding(
        probe="order", model="m", criterion="c", measure="flip", n=9, unscored=0,
        effect=Stat(0.25, 0.1, 0.4), limit=0.1, rating="worrying",
    )  # fmt: skip
    found = Probed(
        judge="kind", fingerprint="f", models=("m",), source=Reason.of("x"), language="en", items=9,
        limits=ProbeLimits(), confidence=0.95, findings=(finding,), not_run={}, runs=(),
    )  # fmt: skip
    assert "답변 순서: 25% (구간 10%~40%), 한계 10%" in seen(charts.probes_chart(KO, found))
