"""The figures of a run follow its verdicts, whatever happens to them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from adjudge.core.item import Item
from adjudge.core.score import Outcome
from adjudge.stores import Entry, RunProgress, Store, verdicts
from adjudge.stores.facts import Key, packed

from .conftest import entry, record


def kept(store: Store, run: str) -> dict[Key, bytes]:
    """The figures as they are read, the later of two holding."""
    found = {}
    for judge, model, repeat, items, cells in store.verdicts.facts(run):
        width = len(cells) // len(items)
        for n, item in enumerate(items):
            found[judge, model, repeat, item] = bytes(cells[n * width : (n + 1) * width])
    return found


def expected(entries: list[Entry]) -> dict[Key, bytes]:
    return {(v.judge, v.model, v.repeat, v.item): packed(position, v) for position, _, v in entries}


def test_what_is_put_is_there(store: Store) -> None:
    entries = [entry(f"i{n}", n, repeat=n % 3, model=f"m{n % 2}") for n in range(50)]
    store.verdicts.put("run", entries)
    store.verdicts.put("other", [entry("x")])
    assert kept(store, "run") == expected(entries)
    assert kept(store, "none") == {}


def test_a_replaced_verdict_has_its_new_figures(store: Store) -> None:
    store.verdicts.put(
        "run", [entry("a", outcome=Outcome.PROVIDER_ERROR, scores={}), entry("b", 1)]
    )
    before = store.verdicts.version("run")
    newer = entry("a", latency_ms=1.0)
    store.verdicts.put("run", [newer])
    assert kept(store, "run") == expected([newer, entry("b", 1)])
    assert store.verdicts.version("run") > before
    assert store.runs.progress("run") == RunProgress(2, {"out_of_range": 2})


def test_many_small_blocks_become_few(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verdicts, "_FOLD", 8)
    monkeypatch.setattr(verdicts, "_LARGE", 20)
    latest = {}
    for n in range(200):
        # Now and then a large block, one that replaces an earlier verdict, and another width.
        some = [
            entry(f"i{(n * 7 + m) % 150}", n, latency_ms=n) for m in range(30 if n % 9 == 4 else 1)
        ]
        if n % 5 == 0:
            some = [each._replace(verdict=replace(each.verdict, scores={})) for each in some]
        store.verdicts.put("run", some)
        latest |= expected(some)
        assert kept(store, "run") == latest
    with store.database.reading() as db:
        blocks = db.exec_driver_sql("SELECT count(*) FROM facts WHERE run = 'run'").scalar_one()
    assert blocks < 110
    assert store.verdicts.version("run") == 200


def test_the_mark_of_each_run_grows_by_itself(store: Store) -> None:
    assert store.verdicts.version("run") == 0
    store.verdicts.put("run", [entry()])
    first = store.verdicts.version("run")
    store.verdicts.put("other", [entry()])
    assert (first, store.verdicts.version("run")) == (1, 1)


def test_progress_counts_outcomes(store: Store) -> None:
    assert store.runs.progress("run") == RunProgress(0, {})
    store.verdicts.put("run", [entry(f"i{n}", n, outcome=Outcome.SCORED) for n in range(3)])
    store.verdicts.put("run", [entry("x", 3, outcome=Outcome.BUDGET_STOPPED)])
    assert store.runs.progress("run") == RunProgress(4, {"scored": 3, "budget_stopped": 1})
    assert store.runs.count_answered("run") == 3
    store.verdicts.put("run", [entry("x", 3, outcome=Outcome.SCORED)])
    assert store.runs.progress("run") == RunProgress(4, {"scored": 4})
    assert store.runs.count_answered("run") == 4


def test_what_is_rolled_back_is_in_neither(store: Store) -> None:
    store.verdicts.put("run", [entry("a")])

    def half() -> None:
        with store.transaction():
            store.verdicts.put("run", [entry("b", 1)])
            raise RuntimeError

    with pytest.raises(RuntimeError):
        half()
    assert store.verdicts.version("run") == 1
    assert store.runs.progress("run").verdicts == len(kept(store, "run")) == 1


def test_two_that_write_to_one_run(store: Store, other: Store) -> None:
    one = store
    one.verdicts.put("run", [entry("a")])
    other.verdicts.put("run", [entry("b", 1)])
    one.verdicts.put("run", [entry("c", 2)])
    assert set(kept(other, "run")) == {("chatbot", "replay:x", 0, item) for item in "abc"}
    assert other.verdicts.version("run") == 3


def test_texts_of_a_few_items(store: Store) -> None:
    store.verdicts.put("run", [entry(f"i{n}", n) for n in range(80)])
    ids = [f"i{n}" for n in range(70)]
    found = store.items.get("run", [*ids, "none"])
    assert sorted(found) == sorted(ids)
    assert found["i3"] == Item("i3", {"answer": "câu"}, {"group": 3, "tags": [1, None]})
    assert store.items.get("run", []) == {}


def test_runs_that_hold_the_same_item(store: Store) -> None:
    runs = [record(salt) for salt in "abc"]
    for run in runs:
        store.runs.start(run)
    same, other = entry("1"), entry("1")._replace(item=Item("1", {"answer": "another"}))
    for run, each in zip(runs, [same, other, same], strict=True):
        store.verdicts.put(run.id, [each])
    assert set(store.items.runs_with(runs[0].id, "1")) == {runs[0].id, runs[2].id}
    assert store.items.runs_with(runs[1].id, "1") == [runs[1].id]
    assert store.items.runs_with(runs[0].id, "none") == []
