"""A copy holds what its source holds, between all kinds of databases, however often it is made."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from adjudge.core.label import Label
from adjudge.core.reply import Reply
from adjudge.core.score import Outcome
from adjudge.errors import StoreError, UsageError
from adjudge.stores import Cost, KeptReply, RunRecord, Store, copying, open_store, tables
from adjudge.stores.checking import differences
from adjudge.stores.copying import copy_store

from .conftest import entry, record

RUN = replace(record(), rows=1200)


def filled(store: Store, items: range, run: RunRecord = RUN, tokens: int = 100) -> None:
    store.runs.start(run)
    store.verdicts.put(run.id, [entry(str(n), n) for n in items])
    store.replies.put([KeptReply(f"{n}", run.id, "m", Reply(text="x")) for n in items])
    store.runs.spend(run.id, Cost(tokens, 0.5))
    store.runs.end(run.id, "finished", run.whole)
    store.labels.put("0f", "chatbot", [Label(str(items[0]), "ann", "tone", 3.0)])
    store.calibrations.keep("chatbot", "m", "f", {"a": items[0]})


Fixture = Iterator[tuple[Store, Store]]


@pytest.fixture(params=["sqlite to postgresql", "postgresql to sqlite", "sqlite to sqlite"])
def two(request: pytest.FixtureRequest, tmp_path: Path) -> Fixture:
    kinds = request.param.split(" to ")
    urls = {
        "sqlite": lambda n: str(tmp_path / f"{n}.db"),
        "postgresql": lambda _: request.getfixturevalue("postgres"),
    }
    with ExitStack() as opened:
        one, other = (
            opened.enter_context(closing(open_store(urls[kind](n)))) for n, kind in enumerate(kinds)
        )
        yield one, other


def contents(store: Store) -> dict[str, Any]:
    entries = {run.id: list(store.verdicts.entries(run.id)) for run in store.runs.all()}
    return {
        "runs": [replace(run, sources={}) for run in store.runs.all()],
        "entries": entries,
        "order": {run: list(store.verdicts.all(run)) for run in entries},
        "figures": {run: store.runs.progress(run) for run in entries},
        "replies": store.replies.claim([str(n) for n in range(1200)]).kept,
        "labels": store.labels.of("0f", "chatbot"),
        "calibration": store.calibrations.latest("chatbot", "m"),
        "secret": store.secret,
    }


def test_everything_is_there_in_the_same_order(two: tuple[Store, Store]) -> None:
    source, destination = two
    filled(source, range(1200))
    filled(source, range(3), record("another"))
    heard: list[str] = []
    counts = copy_store(source, destination, heard.append)
    assert {count.table: count.destination for count in counts} == {
        "runs": 2, "items": 1203, "verdicts": 1203, "replies": 1200, "labels": 1,
    }  # fmt: skip
    assert len(heard) == 2
    assert differences(destination) == []
    before, after = contents(source), contents(destination)
    assert before.pop("secret") == _kept_secret(destination)
    del after["secret"]  # that of the store as it was opened
    assert after == before


def _kept_secret(store: Store) -> bytes:
    query = sa.select(tables.meta.c.value).where(tables.meta.c.key == "secret")
    with store.database.reading() as db:
        return bytes.fromhex(db.execute(query).scalar_one())


def test_once_more_changes_nothing_and_new_rows_follow(two: tuple[Store, Store]) -> None:
    source, destination = two
    filled(source, range(600))
    copy_store(source, destination)
    before = contents(destination)
    copy_store(source, destination)
    assert contents(destination) == before
    filled(source, range(600, 700), tokens=11)
    copy_store(source, destination)
    assert destination.runs.find(RUN.id).tokens == 111
    assert destination.runs.progress(RUN.id).verdicts == 700


def test_there_and_back_is_spent_once(two: tuple[Store, Store]) -> None:
    source, destination = two
    filled(source, range(5))
    copy_store(source, destination)
    copy_store(destination, source)
    assert source.runs.find(RUN.id).tokens == 100
    assert source.runs.progress(RUN.id).verdicts == 5


def test_one_that_was_cut_off_goes_on(
    two: tuple[Store, Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    source, destination = two
    filled(source, range(1200))
    put, calls = destination.verdicts.put, list[int]()

    def some(run: str, entries: Any) -> None:
        calls.append(len(entries))
        if len(calls) == 2:
            raise StoreError("cut off")
        put(run, entries)

    monkeypatch.setattr(destination.verdicts, "put", some)
    with pytest.raises(StoreError, match="cut off"):
        copy_store(source, destination)
    assert destination.runs.progress(RUN.id).verdicts == 500
    copy_store(source, destination)
    assert calls == [500, 500, 500, 200]  # those that were there are not even looked at
    assert destination.runs.progress(RUN.id).verdicts == 1200


def test_parts_of_a_run_become_one(new_store_url: Callable[[], str]) -> None:
    """As `--shard` makes them, each in a file of its own."""
    with ExitStack() as opened:
        parts = [opened.enter_context(closing(open_store(new_store_url()))) for _ in range(3)]
        whole = opened.enter_context(closing(open_store(new_store_url())))
        for n, part in enumerate(parts):
            filled(part, range(n, 1200, 3), tokens=10)
            assert part.runs.find(RUN.id).state == "interrupted"
            copy_store(part, whole)
            state = whole.runs.find(RUN.id).state
            assert state == ("finished" if n == 2 else "interrupted")
        assert [one.position for one in whole.verdicts.entries(RUN.id)] == list(range(1200))
        assert whole.runs.find(RUN.id).tokens == 30
        assert differences(whole) == []


def test_an_answer_takes_the_place_of_none_and_of_nothing_else(two: tuple[Store, Store]) -> None:
    source, destination = two
    failed = Outcome.PROVIDER_ERROR
    for store, outcomes in (
        (source, [Outcome.SCORED, failed, Outcome.REFUSED, failed]),
        (destination, [failed, Outcome.SCORED, Outcome.SCORED, failed]),
    ):
        store.runs.start(RUN)
        entries = [entry(str(n), n, outcome=outcome) for n, outcome in enumerate(outcomes)]
        store.verdicts.put(RUN.id, entries)
    copy_store(source, destination)
    kept = [one.verdict.outcome for one in destination.verdicts.entries(RUN.id)]
    assert kept == [Outcome.SCORED, Outcome.SCORED, Outcome.SCORED, failed]
    assert differences(destination) == []


def test_what_was_read_again_is_looked_at_again(two: tuple[Store, Store]) -> None:
    source, destination = two
    source.runs.start(RUN)
    source.verdicts.put(RUN.id, [entry("a", outcome=Outcome.PROVIDER_ERROR), entry("b", 1)])
    copy_store(source, destination)
    source.verdicts.put(RUN.id, [entry("a", outcome=Outcome.SCORED)])
    copy_store(source, destination)
    assert [one.verdict.outcome for one in destination.verdicts.entries(RUN.id, "a")] == ["scored"]


def test_not_onto_itself(store: Store, other: Store) -> None:
    with pytest.raises(UsageError, match="the same store"):
        copy_store(store, other)


def test_what_is_missing_at_the_end_is_said(
    two: tuple[Store, Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    source, destination = two
    filled(source, range(5))
    monkeypatch.setattr(copying, "wanted", lambda *_: [])
    with pytest.raises(StoreError, match="the source has 5, the copy only 0"):
        copy_store(source, destination)


@pytest.mark.parametrize(
    ("harm", "code"),
    [
        ("UPDATE tallies SET verdicts = 7", "store.check_tally"),
        ("DELETE FROM items WHERE item = '1'", "store.check_items"),
        ("DELETE FROM facts", "store.check_facts"),
    ],
)
def test_what_a_check_finds(store: Store, harm: str, code: str) -> None:
    filled(store, range(3))
    assert differences(store) == []
    with store.database.writing() as db:
        db.execute(sa.text(harm))
    assert [reason.code for reason in differences(store)] == [code]
