"""Verdicts with their items, as their values, and as texts, each in its order."""

from __future__ import annotations

from adjudge.core.item import Item
from adjudge.core.score import Outcome
from adjudge.stores import Entry, EntryFilter, EntryKey, Store, TextCursor, Texts

from .conftest import entry, record


def key(each: Entry) -> EntryKey:
    verdict = each.verdict
    return EntryKey(each.position, verdict.judge, verdict.model, verdict.repeat)


def filled(store: Store) -> str:
    """Three items by two models, twice each; kept in another order than that of the data."""
    run = record()
    store.runs.start(run)
    kept = [
        entry(f"i{n}", n, model=model, repeat=repeat, outcome=outcome)
        for n in (2, 0, 1)
        for model, outcome in (("b", Outcome.SCORED), ("a", Outcome.REFUSED))
        for repeat in (1, 0)
    ]
    store.verdicts.put(run.id, kept)
    return run.id


def test_pages_of_any_size_make_the_whole(store: Store) -> None:
    run = filled(store)
    whole = list(store.verdicts.entries(run))
    assert len(whole) == 12
    for size in (1, 5, 12, 50):
        found: list[Entry] = []
        while page := store.verdicts.page(
            run, EntryFilter(after=key(found[-1]) if found else None, limit=size)
        ):
            assert len(page) <= size
            found += page
        assert found == whole


def test_filters_choose(store: Store) -> None:
    run = filled(store)
    scored = store.verdicts.page(run, EntryFilter(outcome="scored", limit=50))
    assert {each.verdict.model for each in scored} == {"b"}
    assert len(scored) == 6
    of_one = store.verdicts.page(run, EntryFilter(item="i1", outcome="refused", limit=50))
    assert [(each.item.id, each.verdict.repeat) for each in of_one] == [("i1", 0), ("i1", 1)]
    assert store.verdicts.page(run, EntryFilter(item="none", limit=50)) == []
    assert store.verdicts.page("none", EntryFilter(limit=50)) == []


def read(store: Store, run: str, after: TextCursor) -> list[Texts]:
    return list(store.verdicts.texts(run, after))


def items(texts: list[Texts]) -> list[str]:
    return [item for each in texts for _, item, _ in each.rows]


def test_items_and_then_verdicts(store: Store) -> None:
    ids = [f"i{n}" for n in range(100)]
    for n, item in enumerate(ids):
        store.verdicts.put("run", [entry(item, n)])
        store.verdicts.put("other", [entry(item, n)])
    found = read(store, "run", TextCursor())
    assert items(found) == ids * 2
    assert found[-1].upto.table == "end"
    contents = [content for each in found for _, _, content in each.rows]
    assert contents[0].startswith(b'{"fields":')
    assert contents[-1].startswith(b'{"scores":')


def test_going_on_from_every_place(store: Store) -> None:
    store.verdicts.put("run", [entry(f"i{n}", n) for n in range(100)])
    whole = read(store, "run", TextCursor())
    for n, each in enumerate(whole):
        assert items(read(store, "run", each.upto)) == items(whole[n + 1 :])


def test_a_run_without_verdicts(store: Store) -> None:
    assert items(read(store, "none", TextCursor())) == []


def test_of_this_run_only(store: Store) -> None:
    one, other = record(), record("other")
    for run in (one, other):
        store.runs.start(run)
    store.verdicts.put(one.id, [entry("1")])
    store.verdicts.put(other.id, [entry("2")])
    assert [verdict.item for verdict in store.verdicts.all(other.id)] == ["2"]
    assert [item for item, _ in store.items.column(other.id, "group")] == ["2"]


def test_a_column_of_the_data(store: Store) -> None:
    run = record()
    store.runs.start(run)
    plain = entry("2", 1)
    store.verdicts.put(
        run.id, [entry("1"), Entry(1, Item("2", {"answer": "câu"}, {}), plain.verdict)]
    )
    assert list(store.items.column(run.id, "group")) == [("1", 3), ("2", None)]
    assert list(store.items.column(run.id, "answer")) == [("1", "câu"), ("2", "câu")]


def test_other_readers_and_writers_go_on_meanwhile(store: Store) -> None:
    run = record()
    store.runs.start(run)
    store.verdicts.put(run.id, [entry(str(n), n) for n in range(50)])
    walk = store.verdicts.all(run.id)
    next(walk)
    store.verdicts.put(run.id, [entry("new", 50)])
    assert len(list(walk)) == 49


def test_a_column_behind_texts_that_look_like_one(store: Store) -> None:
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
        store.verdicts.put("run", [entry(f"i{n}", n)._replace(item=Item(f"i{n}", fields, extra))])
    assert [value for _, value in store.items.column("run", "topic")] == ["right"] * 5
    assert [value for _, value in store.items.column("run", "none")] == [None] * 5


def test_fingerprints_of_what_is_scored(store: Store) -> None:
    run = record()
    store.runs.start(run)
    hostile = '"fingerprint":"0000000000000000"'
    for n, (mark, outcome) in enumerate(
        [("a" * 16, Outcome.SCORED), ("b" * 16, Outcome.SCORED), ("c" * 16, Outcome.REFUSED)]
    ):
        item = f"{hostile} 반품 thẻ 👍 {n}"
        store.verdicts.put(run.id, [entry(item, n, fingerprint=mark, outcome=outcome)])
    assert store.verdicts.fingerprints(run.id) == {("chatbot", "replay:x"): {"a" * 16, "b" * 16}}
    assert store.verdicts.fingerprints("other") == {}
