from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.unit.analysis.graded import SCALES, Graded, labels, source

from adjudge.analysis.variants import VariantOptions, variants_of
from adjudge.errors import DataError, UsageError
from adjudge.reports.encode import encode
from adjudge.reports.findings.variants import SHAPES, variant_rows, variants
from adjudge.reports.renderers.terminal import as_text
from adjudge.reports.words import Words, command_line
from adjudge.strings import LANGUAGES, strings_for

PEOPLE = [1, 2, 3, 4, 5] * 8
NEAR = [1, 2, 3, 4, 4] * 8
FAR = [5, 2, 3, 1, 1] * 8
PLAIN = VariantOptions()


@pytest.fixture
def graded(tmp_path: Path) -> Iterator[Graded]:
    made = Graded(tmp_path)
    made.add(model="far", rating=FAR).add(model="near", rating=NEAR)
    yield made
    made.close()


def test_the_best_first_and_who_is_worse(graded: Graded) -> None:
    found = variants_of(graded.record, graded.store, source(labels(PEOPLE)), PLAIN)
    rating = found.criteria["rating"]
    assert [variant.model for variant in rating.variants] == ["near", "far"]
    assert rating.measure == "spearman"
    assert rating.items == 40
    assert rating.decided == ("graded by far",)
    assert rating.best.p is None
    assert rating.corrected.value is not None
    assert rating.best.agreement.value is not None
    assert rating.corrected.value <= rating.best.agreement.value
    assert rating.best.bias.value == pytest.approx(-0.2)


def test_replies_from_the_cache_are_not_cheap(graded: Graded) -> None:
    graded.add(model="paid", rating=NEAR, cost=0.002)
    graded.add(model="paid", repeat=1, rating=NEAR)  # from the cache
    found = variants_of(graded.record, graded.store, source(labels(PEOPLE)), PLAIN)
    rating = found.criteria["rating"]
    costs = {variant.model: variant.cost for variant in rating.variants}
    assert costs == {"paid": pytest.approx(2.0), "near": None, "far": None}
    assert rating.cheapest is None


def test_the_cheapest_that_is_not_shown_to_be_worse(tmp_path: Path) -> None:
    """`far` costs least and is shown to be worse; `next` is not, at half the price of the best."""
    graded = Graded(tmp_path)
    graded.add(model="near", rating=NEAR, cost=0.004).add(model="far", rating=FAR, cost=0.001)
    graded.add(model="next", rating=[*PEOPLE[:1], *NEAR[1:-1], 3], cost=0.002)
    found = variants_of(graded.record, graded.store, source(labels(PEOPLE)), PLAIN)
    rating = found.criteria["rating"]
    assert rating.decided == ("graded by far",)
    assert {one.model: one.cost for one in rating.variants}["next"] == pytest.approx(2.0)
    assert rating.cheapest == "graded by next"
    assert "graded by next" in as_text(variants(found, command_line())).partition("heapest")[2]
    graded.close()


def test_another_measure(graded: Graded) -> None:
    options = VariantOptions(measure="exact")
    found = variants_of(graded.record, graded.store, source(labels(PEOPLE)), options)
    assert found.criteria["rating"].best.agreement.value == pytest.approx(0.8)


def test_samples_that_differ_and_scores_that_lack(graded: Graded) -> None:
    graded.add(model="near", repeat=1, rating=[1, 2, 3, 4, 5] * 8)
    graded.add(model="lost", rating=[None] * 20 + PEOPLE[20:])
    found = variants_of(graded.record, graded.store, source(labels(PEOPLE)), PLAIN)
    rating = found.criteria["rating"]
    assert rating.best.flips == pytest.approx(0.2)
    assert [variant.flips for variant in rating.variants[1:]] == [None]
    assert "20 of 40" in str(rating.left_out["graded by lost"])


def test_names(tmp_path: Path) -> None:
    graded = Graded(tmp_path, winner=SCALES["winner"])
    graded.add(model="a", winner=["a", "b", "tie", "a"] * 5)
    graded.add(model="b", winner=["b", "b", "tie", "a"] * 5)
    people = labels(["a", "b", "tie", "b"] * 5, criterion="winner")
    found = variants_of(graded.record, graded.store, source(people), PLAIN)
    winner = found.criteria["winner"]
    assert (winner.measure, winner.best.model) == ("exact", "a")
    wrong = VariantOptions(measure="pearson")
    with pytest.raises(UsageError, match="without an order"):
        variants_of(graded.record, graded.store, source(people), wrong)
    graded.close()


@pytest.mark.parametrize("language", LANGUAGES)
def test_in_every_language(graded: Graded, language: str) -> None:
    found = variants_of(graded.record, graded.store, source(labels(PEOPLE)), PLAIN)
    shown = as_text(variants(found, Words(strings_for(language))))
    assert "report." not in shown
    assert "{" not in shown
    assert len(list(variant_rows(found))) == 2
    assert encode(found, SHAPES)["criteria"]["rating"]["best"] == "graded by near"


def test_refusals(graded: Graded) -> None:
    with pytest.raises(DataError, match="no criterion"):
        variants_of(graded.record, graded.store, source([]), PLAIN)
    with pytest.raises(UsageError, match="exact"):
        VariantOptions(measure="mood")


def test_a_criterion_without_a_measure_leaves_the_others(tmp_path: Path) -> None:
    graded = Graded(tmp_path, rating=SCALES["rating"], tone=SCALES["rating"])
    graded.add(model="far", rating=FAR, tone=FAR).add(model="near", rating=NEAR, tone=NEAR)
    people = labels(PEOPLE) + labels([3] * 40, criterion="tone")
    found = variants_of(graded.record, graded.store, source(people), PLAIN)
    assert found.criteria.keys() == {"rating"}
    assert "tone is left out: No variant has a spearman" in as_text(variants(found, command_line()))
    with pytest.raises(DataError, match="No variant has a spearman"):
        variants_of(graded.record, graded.store, source(labels([3] * 40)), PLAIN)
    graded.close()


def test_items_that_people_are_divided_on_are_counted(tmp_path: Path) -> None:
    graded = Graded(tmp_path, winner=SCALES["winner"])
    graded.add(model="m", winner=["a", "b"] * 12).add(model="n", winner=["a", "tie"] * 12)
    people = labels(["a", "b"] * 12, criterion="winner", rater="ann")
    people += labels(["a", "b"] * 11 + ["b", "tie"], criterion="winner", rater="bob")
    found = variants_of(graded.record, graded.store, source(people), PLAIN)
    assert (found.criteria["winner"].items, found.criteria["winner"].split) == (22, 2)
    assert "people are divided on, not compared: 2" in as_text(variants(found, command_line()))
    graded.close()
