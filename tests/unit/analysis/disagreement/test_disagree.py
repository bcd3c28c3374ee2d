from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.unit.analysis.graded import SCALES, Graded, labels, source

from adjudge.analysis.disagreement import (
    CriterionDisagreements,
    DisagreeOptions,
    disagreements_of,
)
from adjudge.core.item import Item
from adjudge.core.label import Label
from adjudge.core.score import Outcome, Quotation, Score
from adjudge.core.verdict import Verdict
from adjudge.errors import DataError, UsageError
from adjudge.reports.encode import encode
from adjudge.reports.findings.disagreements import SHAPES, disagreement_rows, disagreements
from adjudge.reports.renderers.terminal import as_text
from adjudge.reports.words import Words, command_line
from adjudge.stores import Entry
from adjudge.strings import LANGUAGES, strings_for

EVERYTHING = DisagreeOptions()


@pytest.fixture
def graded(tmp_path: Path) -> Iterator[Graded]:
    made = Graded(tmp_path)
    yield made
    made.close()


def only(graded: Graded, people: list[Label]) -> CriterionDisagreements:
    finding = disagreements_of(graded.record, graded.store, source(people), EVERYTHING)
    return finding.graders[0].criteria["rating"]


def test_worst_first_and_what_is_no_difference(graded: Graded) -> None:
    graded.add(rating=[5, 3, 4, None, 2])
    people = labels([1, 3, 2, 4, 2], rater="ann")
    people += labels([1, 4, 2, 4, 2], rater="bob")
    rating = only(graded, people)
    assert [(one.item, one.judge, one.people, one.difference) for one in rating.worst] == [
        ("i0", 5.0, 1.0, 4.0),
        ("i2", 4.0, 2.0, 2.0),
        ("i1", 3.0, 3.5, -0.5),
    ]
    assert (rating.n, rating.lost, rating.differ) == (4, 1, 3)
    assert rating.worst[0].raters == {"ann": 1.0, "bob": 1.0}
    cells = [(one.value, one.differ) for one in rating.patterns if one.kind == "cell"]
    assert cells == [("1 → 5", 1), ("4 → 3", 1), ("2 → 4", 1)]


def test_a_flipped_policy_in_a_slice_is_named(graded: Graded) -> None:
    """People grade answers about fees the other way round; everything else they agree on."""
    draw = np.random.default_rng(5)
    topics = [str(draw.choice(["fees", "delivery", "returns", "repair"])) for _ in range(80)]
    given = draw.integers(1, 6, 80)
    noise = np.clip(given + draw.integers(-1, 2, 80), 1, 5)
    people = [6 - int(v) if t == "fees" else int(v) for v, t in zip(noise, topics, strict=True)]
    graded.add(rating=given.tolist(), topics=topics)
    first = only(graded, labels(people)).patterns[0]
    assert (first.kind, first.name, first.value) == ("slice", "topic", "fees")
    assert first.p is not None
    assert first.p < 0.01
    assert first.share > first.share_elsewhere


@pytest.mark.parametrize("clause", ["수수료가 빠졌습니다", "phí bị sai", "the fee is wrong"])
def test_a_flipped_clause_is_named_by_words(graded: Graded, clause: str) -> None:
    """What the items have in common stands in the explanations alone."""
    draw = np.random.default_rng(6)
    entries, people = [], []
    for n in range(60):
        has_clause = n % 5 == 0
        value = int(draw.integers(3, 6))
        text = f"{clause}." if has_clause else "정확합니다. Clear and right, rõ ràng."
        entries.append(_entry(graded, n, value, text))
        people.append(Label(f"i{n}", "ann", "rating", 1.0 if has_clause else float(value)))
    graded.store.verdicts.put(graded.record.id, entries)
    first = only(graded, people).patterns[0]
    words = {first.name, *first.also}
    assert first.kind == "explanation"
    assert words & {"수수료", "수수료가", "phí", "fee"}


def _entry(
    graded: Graded, n: int, value: int, explanation: str, evidence: tuple[Quotation, ...] = ()
) -> Entry:
    score = Score(
        outcome=Outcome.SCORED,
        value=value,
        raw=value,
        unit=0.5,
        explanation=explanation,
        evidence=evidence,
    )
    verdict = Verdict(
        item=f"i{n}",
        judge=graded.name,
        fingerprint="f" * 16,
        model="m",
        outcome=Outcome.SCORED,
        scores={"rating": score},
    )
    return Entry(n, Item(f"i{n}", {"answer": f"answer {n}"}, {}), verdict)


def test_what_the_judge_quotes_stands_beside_the_item(graded: Graded) -> None:
    quoted = (Quotation("answer 0", "answer", 0, 8), Quotation("no fee"))
    entry = _entry(graded, 0, 5, "Right.", quoted)
    graded.store.verdicts.put(graded.record.id, [entry])
    finding = disagreements_of(graded.record, graded.store, source(labels([1.0])), EVERYTHING)
    shown = as_text(disagreements(finding, command_line()))
    assert re.search(r"i0 quotes:?\s+.*answer 0", shown)
    assert re.search(r"not in the texts:?\s+.*no fee", shown)
    row = next(disagreement_rows(finding))["evidence"]
    assert isinstance(row, list)
    assert [(one["quote"], one["found"]) for one in row] == [("answer 0", True), ("no fee", False)]
    (written,) = encode(finding, SHAPES)["graders"][0]["criteria"]["rating"]["items"]
    assert written["evidence"] == row


def test_planted_slips_are_listed_apart(graded: Graded) -> None:
    draw = np.random.default_rng(7)
    truth = draw.integers(1, 6, 120)
    for model in ("m", "n"):
        graded.add(model=model, rating=_near(truth, draw))
    ann, bob = _near(truth, draw), _near(truth, draw)
    planted = [n for n in range(0, 120, 20) if ann[n] != 3]
    for n in planted:
        ann[n] = 6 - ann[n]
    rating = only(graded, labels(ann, rater="ann") + labels(bob, rater="bob"))
    listed = {(suspect.item, suspect.rater) for suspect in rating.suspects}
    right = listed & {(f"i{n}", "ann") for n in planted}
    assert len(right) > len(planted) / 2
    assert len(right) > len(listed) / 2
    first = rating.suspects[0]
    assert first.judges == 2
    assert first.other_raters.keys() == {"bob"}


def test_what_all_raters_gave_is_no_slip(graded: Graded) -> None:
    draw = np.random.default_rng(7)
    truth = draw.integers(1, 6, 120)
    for model in ("m", "n", "o"):
        graded.add(model=model, rating=_near(truth, draw))
    ann, bob = ([int(v) for v in truth] for _ in range(2))
    ann[::20] = [5 if v < 3 else 1 for v in truth[::20]]
    bob[:40:20] = ann[:40:20]  # a policy of theirs
    rating = only(graded, labels(ann, rater="ann") + labels(bob, rater="bob"))
    listed = {suspect.item for suspect in rating.suspects}
    assert {"i40", "i60", "i80", "i100"} <= listed
    assert not {"i0", "i20"} & listed


def test_patterns_that_chance_makes_are_not_listed(graded: Graded) -> None:
    draw = np.random.default_rng(3)
    truth = draw.integers(1, 6, 60)
    kinds = [f"k{n % 5}" for n in range(60)]
    graded.add(topics=kinds, rating=_near(truth, draw))
    people = source(labels([float(v) for v in truth]))
    found = disagreements_of(graded.record, graded.store, people, EVERYTHING)
    rating = found.graders[0].criteria["rating"]
    assert rating.patterns[0].p is not None
    assert rating.patterns[0].p > 0.05
    shown = as_text(disagreements(found, Words(strings_for("en"))))
    assert "No column, rule or word clearly marks" in shown
    assert "topic=" not in shown


def _near(truth: np.ndarray, draw: np.random.Generator) -> list[int]:
    return [int(v) for v in np.clip(truth + np.round(draw.normal(0, 0.5, len(truth))), 1, 5)]


def test_one_voice_cannot_tell_slips(graded: Graded) -> None:
    graded.add(rating=[3] * 30)
    rating = only(graded, labels([2] * 30))
    assert rating.suspects == ()
    assert "second rater" in str(rating.no_suspects)


def test_names_and_yes_or_no(tmp_path: Path) -> None:
    graded = Graded(tmp_path, winner=SCALES["winner"], polite=SCALES["polite"])
    graded.add(winner=["a", "b", "tie"], polite=[True, False, True])
    people = labels(["a", "a", "b"], criterion="winner") + labels(
        [1.0, 1.0, 1.0], criterion="polite"
    )
    criteria = disagreements_of(graded.record, graded.store, source(people), EVERYTHING)
    winner, polite = (criteria.graders[0].criteria[name] for name in ("winner", "polite"))
    assert [(one.item, one.judge, one.people) for one in winner.worst] == [
        ("i1", "b", "a"),
        ("i2", "tie", "b"),
    ]
    assert winner.worst[0].difference is None
    assert [(one.item, one.judge, one.people) for one in polite.worst] == [("i1", False, True)]
    graded.close()


def test_comments_stand_beside_the_item(graded: Graded) -> None:
    graded.add(rating=[5, 3])
    people = [Label("i0", "ann", "rating", 1.0, comment="the fee is wrong")]
    finding = disagreements_of(graded.record, graded.store, source(people), EVERYTHING)
    assert finding.graders[0].criteria["rating"].worst[0].comments == {"ann": "the fee is wrong"}
    assert "the fee is wrong" in as_text(disagreements(finding, command_line()))
    row = next(disagreement_rows(finding))
    assert (row["item"], row["label"], row["score"]) == ("i0", 1.0, 5.0)
    assert row["comments"] == {"ann": "the fee is wrong"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_in_every_language(graded: Graded, language: str) -> None:
    graded.add(model="m", rating=[1, 5, 3, 2] * 8).add(model="n", rating=[1, 5, 3, 2] * 8)
    people = labels([5, 5, 3, 2] * 8)
    finding = disagreements_of(graded.record, graded.store, source(people), EVERYTHING)
    shown = as_text(disagreements(finding, Words(strings_for(language)), most=2))
    assert "report." not in shown
    assert "{" not in shown


def test_refusals(graded: Graded) -> None:
    graded.add(rating=[5])
    with pytest.raises(DataError, match="no labels"):
        disagreements_of(graded.record, graded.store, source([]), EVERYTHING)
    wrong = DisagreeOptions(criteria=("tone",))
    with pytest.raises(UsageError, match="tone"):
        disagreements_of(graded.record, graded.store, source(labels([1])), wrong)


def test_a_criterion_that_nothing_scored(graded: Graded) -> None:
    graded.add(rating=[None] * 30).add(model="n", rating=[None] * 30)
    finding = disagreements_of(graded.record, graded.store, source(labels([2, 3] * 15)), EVERYTHING)
    rating = finding.graders[0].criteria["rating"]
    assert (rating.n, rating.lost) == (0, 30)
    assert "second rater" in str(rating.no_suspects)
    assert "agree on every" not in as_text(disagreements(finding, command_line()))
