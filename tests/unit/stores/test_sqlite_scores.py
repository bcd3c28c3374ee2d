from __future__ import annotations

from tests.unit.stores.conftest import entry, record

from adjudge.core.item import Item
from adjudge.core.score import Outcome
from adjudge.stores.records import Entry, ScoreRow
from adjudge.stores.sqlite import SqliteStore


def test_verdicts_as_their_values(store: SqliteStore) -> None:
    run = record()
    store.start(run)
    store.put(run.id, [entry("1"), entry("2", 1, repeat=3)])
    found = list(store.scores(run.id))
    values = {"accuracy": 5.0, "tone": None, "polite": True, "winner": "tie"}
    assert found == [ScoreRow(item, "chatbot", "replay:x", "f" * 16, values) for item in ("1", "2")]


def test_of_this_run_only(store: SqliteStore) -> None:
    one, other = record(), record("other")
    for run in (one, other):
        store.start(run)
    store.put(one.id, [entry("1")])
    store.put(other.id, [entry("2")])
    assert [row.item for row in store.scores(other.id)] == ["2"]
    assert [item for item, _ in store.column(other.id, "group")] == ["2"]


def test_a_column_of_the_data(store: SqliteStore) -> None:
    run = record()
    store.start(run)
    plain = entry("2", 1)
    store.put(run.id, [entry("1"), Entry(1, Item("2", {"answer": "câu"}, {}), plain.verdict)])
    assert list(store.column(run.id, "group")) == [("1", 3), ("2", None)]
    assert list(store.column(run.id, "answer")) == [("1", "câu"), ("2", "câu")]


def test_other_readers_and_writers_go_on_meanwhile(store: SqliteStore) -> None:
    run = record()
    store.start(run)
    store.put(run.id, [entry(str(n), n) for n in range(50)])
    walk = store.scores(run.id)
    next(walk)
    store.put(run.id, [entry("new", 50)])
    assert len(list(walk)) == 49


def test_a_column_behind_texts_that_look_like_one(store: SqliteStore) -> None:
    """The texts before it are not read; nothing in them, or in other columns, is taken for it."""
    hostile = ',"extra":{"topic":"wrong"}}'
    nested = {"deep": {"x": 1, "extra": {"topic": "wrong"}}, "topic": "right"}
    for n, (fields, extra) in enumerate(
        [
            ({"answer": hostile}, {"topic": "right"}),
            ({"answer": "…"}, nested),
            ({"answer": "…"}, {"topic": "right", "deep": {"x": 1, "extra": {"topic": "wrong"}}}),
            ({"topic": "right"}, {"other": hostile}),
            ({"topic": "right"}, {}),
        ]
    ):
        store.put("run", [entry(f"i{n}", n)._replace(item=Item(f"i{n}", fields, extra))])
    assert [value for _, value in store.column("run", "topic")] == ["right"] * 5
    assert [value for _, value in store.column("run", "none")] == [None] * 5


def test_fingerprints_of_what_is_scored(store: SqliteStore) -> None:
    run = record()
    store.start(run)
    hostile = '"fingerprint":"0000000000000000"'
    for n, (mark, outcome) in enumerate(
        [("a" * 16, Outcome.SCORED), ("b" * 16, Outcome.SCORED), ("c" * 16, Outcome.REFUSED)]
    ):
        item = f"{hostile} 반품 thẻ 👍 {n}"
        store.put(run.id, [entry(item, n, fingerprint=mark, outcome=outcome)])
    assert store.fingerprints(run.id) == {("chatbot", "replay:x"): {"a" * 16, "b" * 16}}
    assert store.fingerprints("other") == {}
