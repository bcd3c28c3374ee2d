"""None"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from adjudge.analysis.labelling import (
    LabelOptions,
    LabelPlace,
    LabelSession,
    Question,
    complete_by_rater,
    judge_of,
    picks_for,
)
from adjudge.core.label import Label
from adjudge.core.run import Manifest
from adjudge.core.scale import Binary, Integer
from adjudge.errors import UsageError
from adjudge.stores import RunRecord, Store, open_store

PLACE = LabelPlace("0f", "j")
SCALES = {"fit": Integer(1, 5), "polite": Binary()}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store(tmp_path / "store.db")
    yield opened
    opened.close()


def session(store: Store, **chosen: object) -> LabelSession:
    return LabelSession(
        store,
        PLACE,
        LabelOptions(**{"rater": "ann", **chosen}),  # type: ignore[arg-type]
        ["a", "b"],
        SCALES,
    )


def kept(store: Store) -> list[tuple[str, str, float | str, str]]:
    return [(e.item, e.criterion, e.value, e.draw) for e in store.labels.of(*PLACE)]


def test_question_after_question(store: Store) -> None:
    asking = session(store)
    asked = []
    for value in (1.0, 0.0, 2.0, 1.0):
        asked.append(asking.current)
        asking.answer(value)
        assert kept(store)[-1][2] == value  # before the next question is looked at
    assert asked == [
        *(Question("a", "fit", 1), Question("a", "polite", 1)),
        *(Question("b", "fit", 2), Question("b", "polite", 2)),
    ]
    assert asking.current is None
    assert asking.complete == 2


def test_goes_on_between_two_questions_of_an_item(store: Store) -> None:
    session(store).answer(3.0)
    asking = session(store)
    assert asking.current == Question("a", "polite", 1)
    assert asking.complete == 0


def test_skips(store: Store) -> None:
    asking = session(store)
    asking.skip()
    assert asking.current == Question("a", "polite", 1)
    asking.skip(item=True)
    assert asking.current == Question("b", "fit", 2)
    asking.skip(item=True)
    assert asking.current is None
    assert kept(store) == []
    assert session(store).current == Question("a", "fit", 1)


def test_undo_takes_back_answers_and_skips(store: Store) -> None:
    asking = session(store)
    assert asking.undo() is None
    asking.answer(3.0)
    asking.skip()
    assert asking.undo() == Question("a", "polite", 1)
    assert kept(store) == [("a", "fit", 3.0, "random")]
    assert asking.undo() == asking.current == Question("a", "fit", 1)
    assert kept(store) == []


def test_undo_behind_the_last_question(store: Store) -> None:
    asking = session(store)
    for _ in range(4):
        asking.answer(1.0)
    assert asking.undo() == asking.current == Question("b", "polite", 2)
    assert asking.complete == 1


def test_other_raters_do_not_count(store: Store) -> None:
    store.labels.put(*PLACE, [Label("a", "bob", "fit", 2.0)])
    assert session(store).current == Question("a", "fit", 1)


def test_what_a_random_draw_comes_to_is_drawn_at_random(store: Store) -> None:
    old = [Label("a", "ann", name, 1.0, "uncertain") for name in SCALES]
    later = Label("b", "ann", "polite", 1.0, "uncertain")
    store.labels.put(*PLACE, [*old, later])
    asking = session(store)
    assert asking.current == Question("b", "fit", 2)
    assert [draw for *_, draw in kept(store)] == ["random", "random", "uncertain"]
    asking.answer(4.0)
    assert {draw for *_, draw in kept(store)} == {"random"}


def test_a_random_label_stays_one(store: Store) -> None:
    store.labels.put(*PLACE, [Label("a", "ann", "fit", 1.0, "random")])
    session(store, pick="uncertain").answer(1.0)
    assert [draw for *_, draw in kept(store)] == ["random", "uncertain"]


def test_the_judge_that_is_meant() -> None:
    manifest = Manifest(data="", data_hash="0f", judges={"a": "1", "b": "2"}, models=("m",))
    several = RunRecord(id="x", manifest=manifest, sources={}, rows=1)
    assert judge_of(several, "b") == "b"
    with pytest.raises(UsageError, match="run x has several judges; name one"):
        judge_of(several)
    with pytest.raises(UsageError, match="--judge c: run x has no such judge"):
        judge_of(several, "c")


def test_turning_to_a_place(store: Store) -> None:
    asking = session(store)
    assert asking.place_of("b", "polite") == 3
    assert asking.place_of("c", "fit") is None
    assert asking.place_of("a", "other") is None
    asking.turn_to(3)
    asking.answer(1.0)
    assert asking.current is None
    assert asking.at == 4
    asking.turn_to(3)
    assert asking.current is None  # it has a label
    asking.turn_to(3, again=True)
    assert asking.current == Question("b", "polite", 2)
    asking.turn_to(99)
    assert asking.at == 4


def test_what_was_said_before(store: Store) -> None:
    asking = session(store)
    assert asking.before is None
    asking.answer(3.0)
    asked, label = asking.before or (None, None)
    assert asked == Question("a", "fit", 1)
    assert label is not None
    assert label.value == 3.0
    asking.skip()
    assert asking.before == (Question("a", "polite", 1), None)


def test_what_a_cascade_left_is_offered_for_a_cascade_alone() -> None:
    plain = Manifest(data="", data_hash="0f", judges={"a": "1"}, models=("m",))
    cascade = replace(plain, settings={"cascade": {}})
    offered = [
        picks_for(RunRecord(id="x", manifest=m, sources={}, rows=1)) for m in (plain, cascade)
    ]
    assert offered == [("random", "uncertain"), ("random", "uncertain", "abstained")]


def test_an_item_is_complete_with_all_its_labels() -> None:
    labels = [
        *(Label("1", "ann", "fit", 3.0), Label("1", "ann", "tone", 2.0)),
        *(Label("2", "ann", "fit", 3.0), Label("1", "bob", "tone", 2.0)),
        *(Label("elsewhere", "ann", "fit", 1.0), Label("elsewhere", "ann", "tone", 1.0)),
        Label("1", "cho", "other", 1.0),
    ]
    assert complete_by_rater(labels, {"1", "2"}, ("fit", "tone")) == {"ann": 1, "bob": 0}
