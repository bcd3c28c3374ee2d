"""What is peculiar to a server: it can be away, be cut off, or be another one than was meant."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa
from tests.doubles.proxy import Wire, wire_to
from tests.postgres import PostgresServer
from tests.unit.stores.conftest import entry, record

from adjudge.errors import StoreError, StoreInterrupted, UsageError
from adjudge.stores import Cost, Store, open_store, owners, tables
from adjudge.stores.database import Statement, driver_of, portions
from adjudge.stores.dialects import postgresql, postgresql_server
from adjudge.stores.dialects.postgresql import PostgresDatabase
from adjudge.stores.dialects.postgresql_server import ServerAddress
from adjudge.stores.replies import _ANSWERED, _CLAIMED, _KEPT
from adjudge.stores.verdicts import _OUTCOMES

RUN = record()
SERVER_START = PostgresDatabase.server_start  # before conftest.py has another


@pytest.fixture
def wire(postgres_server: PostgresServer) -> Iterator[Wire]:
    with wire_to(postgres_server.port) as wire:
        yield wire


@pytest.fixture
def wired(postgres: str, postgres_server: PostgresServer, wire: Wire) -> Iterator[Store]:
    """A store at the other end of the wire, with a run."""
    with closing(open_store(postgres.replace(str(postgres_server.port), str(wire.port)))) as store:
        store.runs.start(RUN)
        yield store


class Cutter:
    """Cuts the wire at a message with that text, so many times."""

    def __init__(self, wire: Wire, text: bytes, where: str, times: int = 1) -> None:
        self.text, self.where, self.times = text, where, times
        wire.cut_at = self

    def __call__(self, message: bytes) -> str | None:
        if self.text not in message or not self.times:
            return None
        self.times -= 1
        return self.where


@pytest.mark.parametrize("where", ["before", "behind"])
def test_what_is_spent_is_counted_once_though_the_commit_was_cut_off(
    wired: Store, wire: Wire, where: str
) -> None:
    Cutter(wire, b"COMMIT", where)
    wired.steadily(lambda: wired.runs.spend(RUN.id, Cost(10, 0.5)))
    wired.steadily(lambda: wired.runs.spend(RUN.id, Cost(1, 0.25)))
    assert wire.cuts == 1
    spent = wired.runs.find(RUN.id)
    assert (spent.tokens, spent.usd) == (11, 0.75)


def test_a_commit_that_came_through_is_no_failure(wired: Store, wire: Wire) -> None:
    Cutter(wire, b"COMMIT", "behind")
    wired.runs.spend(RUN.id, Cost(10))  # without another attempt
    Cutter(wire, b"COMMIT", "before")
    with pytest.raises(StoreInterrupted):
        wired.runs.spend(RUN.id, Cost(10))
    assert wired.runs.find(RUN.id).tokens == 10


def test_what_was_cut_off_in_the_middle_is_begun_anew(wired: Store, wire: Wire) -> None:
    Cutter(wire, b"INSERT INTO verdicts", "before", times=2)
    wired.steadily(lambda: wired.verdicts.put(RUN.id, [entry("a"), entry("b", 1)]))
    assert wire.cuts == 2
    assert wired.runs.progress(RUN.id).verdicts == 2
    with wired.database.reading() as db:  # we are among those who live
        assert wired.owner.id in owners.living(db, wired.database.moment(db))


def test_a_transaction_that_begins_after_a_cut_notices_nothing(wired: Store, wire: Wire) -> None:
    wire.cut()
    assert wired.runs.find(RUN.id).state == "running"
    wire.cut()
    wired.runs.spend(RUN.id, Cost(1))
    assert wired.runs.find(RUN.id).tokens == 1


def test_it_is_waited_for_and_said(
    wired: Store, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgresql_server, "_SAID", 0.1)
    said: list[str] = []
    wired.database.wait_for(said.append, lambda: False)
    wire.is_down = True
    wire.cut()
    threading.Timer(0.6, lambda: setattr(wire, "is_down", False)).start()
    wired.runs.spend(RUN.id, Cost(5))
    assert wired.runs.find(RUN.id).tokens == 5
    assert [bool(re.search("cannot be reached", text)) for text in said] == [True, False]
    assert "there again" in said[1]


def test_not_for_ever_and_not_long_where_there_is_hurry(
    wired: Store, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgresql_server, "_HURRIED", 0.3)
    wired.database.wait_for(lambda _: None, lambda: True)
    wire.is_down = True
    wire.cut()
    began = time.monotonic()
    with pytest.raises(StoreError, match=r"waited .* s for it. The|waited 0 s for it") as told:
        wired.runs.spend(RUN.id, Cost(5))
    assert not isinstance(told.value, StoreInterrupted)
    assert time.monotonic() - began < 5


class TestSignsOfLife:
    @pytest.fixture
    def stale(self, postgres: str) -> Iterator[tuple[Store, Store]]:
        """One that claims something and was not heard of for a minute, and another one."""
        with closing(open_store(postgres)) as late, closing(open_store(postgres)) as other:
            late.replies.claim(["a"])
            with late.database.writing() as db:
                ago = {"seen": tables.owners.c.seen - 60, "host": "elsewhere"}
                db.execute(sa.update(tables.owners).values(**ago))
            yield late, other

    def test_the_stale_are_dead(self, stale: tuple[Store, Store]) -> None:
        assert stale[1].replies.claim(["a"]).ours == {"a"}

    def test_nobody_could_be_heard_while_the_server_was_down(
        self, stale: tuple[Store, Store], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        started = time.time() - 5
        monkeypatch.setattr(PostgresDatabase, "server_start", lambda *_: started)
        assert stale[1].replies.claim(["a"]).ours == frozenset()

    def test_nor_while_we_were_cut_off_ourselves(
        self, stale: tuple[Store, Store], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("adjudge.stores.dialects.postgresql._LATE", -1.0)
        assert stale[1].runs.all() == []
        assert stale[1].replies.claim(["a"]).ours == frozenset()

    def test_the_server_tells_when_it_has_started(self, postgres: str) -> None:
        with closing(open_store(postgres)) as store, store.database.reading() as db:
            now = store.database.moment(db).time
            assert now - 3600 < SERVER_START(store.database, db) < now  # type: ignore[arg-type]


def test_one_that_is_stopped_in_a_transaction_does_not_hold_up_others(
    postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgresql, "_WRITE", postgresql._WRITE.replace("60000", "200"))
    with closing(open_store(postgres)) as stuck, closing(open_store(postgres)) as other:
        transaction = stuck.database.writing()
        db = transaction.__enter__()
        assert other.runs.start(RUN) is False
        with pytest.raises(StoreInterrupted):
            transaction.__exit__(*_error_of(db))


def _error_of(db: sa.Connection) -> tuple[type[Exception], Exception, None]:
    try:
        db.execute(sa.select(tables.runs))
    except sa.exc.DBAPIError as error:
        return type(error), error, None
    raise AssertionError("the transaction goes on")


class TestWrongServers:
    @pytest.mark.parametrize(
        ("change", "words"),
        [
            (("/postgres", "/nowhere"), "createdb"),
            (("adjudge@", "nobody@"), "PGPASSWORD"),
        ],
    )
    def test_a_server_that_says_no(
        self, postgres: str, change: tuple[str, str], words: str
    ) -> None:
        url = postgres.partition("?")[0].replace(*change)
        with pytest.raises(StoreError, match=words):
            open_store(url)

    def test_nobody_there(self) -> None:
        began = time.monotonic()
        with pytest.raises(StoreError, match="pg_isready"):
            open_store("postgresql://adjudge@127.0.0.1:1/x")
        assert time.monotonic() - began < 5

    @pytest.mark.parametrize(
        "rest",
        ["s3cret@host/db?hosst=x", "a@s3cret@host/db", "1/s3cret@host/db", "s3cret/a@host/db"],
    )
    def test_no_address(self, rest: str) -> None:
        with pytest.raises(UsageError, match="not an address of a PostgreSQL server") as told:
            open_store(f"postgresql://ann:{rest}")
        assert "s3cret" not in str(told.value)

    def test_a_schema_that_is_not_there(self, postgres: str) -> None:
        with pytest.raises(StoreError, match="CREATE SCHEMA"):
            open_store(postgres.replace("%3Dstore_", "%3Dno_store_"))

    def test_each_thing_is_said_once(self) -> None:
        with pytest.raises(StoreError) as refused:
            open_store("postgresql://adjudge@localhost:1,localhost:2/x")
        assert str(refused.value).count("Connection refused") == 1
        assert "?." not in str(refused.value)
        why = "no pg_hba.conf entry for s3cret"
        address = ServerAddress("postgresql://ann:s3cret@host/db", "")
        assert address.shown(f"connection failed: {why}\n{why}\n") == why.replace("s3cret", "…")

    def test_a_database_of_somebody_else(
        self, postgres: str, postgres_server: PostgresServer
    ) -> None:
        schema = postgres.rpartition("%3D")[2]
        postgres_server.execute(f"CREATE TABLE {schema}.labels (x int)")
        with pytest.raises(StoreError, match="no store of adjudge, but it has a table labels"):
            open_store(postgres)

    def test_one_that_must_exist(self, postgres: str) -> None:
        with pytest.raises(StoreError, match="there is no store here"):
            open_store(postgres, must_exist=True)

    def test_a_newer_store(self, postgres: str) -> None:
        with closing(open_store(postgres)) as store, store.database.writing() as db:
            db.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
        with pytest.raises(StoreError, match="newer version"):
            open_store(postgres)


def test_no_password_is_in_what_is_shown(postgres: str) -> None:
    url = postgres.replace("adjudge@", "adjudge:s3cret@")
    with closing(open_store(url)) as store:
        shown = [repr(store), repr(vars(store.database)), store.where]
        shown.append(repr(vars(store.database._server).get("_more")))  # type: ignore[attr-defined]
    assert not [text for text in shown if "s3cret" in text]


def test_deleted_texts_are_gone_from_the_tables_after_a_vacuum(
    postgres: str, postgres_server: PostgresServer
) -> None:
    with closing(open_store(postgres)) as store:
        store.runs.start(RUN)
        store.verdicts.put(RUN.id, [entry(str(n), n) for n in range(3000)])
        store.runs.end(RUN.id, "finished")
        full = store.database.size()
        store.runs.delete(RUN.id)
        store.database.vacuum()
        assert store.database.size() < full / 4


def test_what_is_answered_is_looked_up_one_by_one(postgres: str) -> None:
    """Before the server has counted the rows of a new run, it would rather read all of them."""
    with closing(open_store(postgres)) as store:
        store.runs.start(RUN)
        store.verdicts.put(RUN.id, [entry(f"{n}", n) for n in range(300)])
        (some,) = portions(["1", "2", "none"])
        named = {"run_id": RUN.id, "judge_name": "chatbot", "model_name": "m", "sample": 0}
        with store.database.reading() as db:
            text, values = _OUTCOMES._with(db, some, named)
            plan = "".join(row[0] for row in driver_of(db).execute(f"EXPLAIN {text}", values))
    (condition,) = re.findall(r"Index Cond: (.*?)\)(?:  |$)", plan)
    assert "(item)" in condition
    assert "Seq Scan on verdicts" not in plan
    assert "Filter" not in plan


@pytest.mark.parametrize("statement", [_CLAIMED, _ANSWERED, _KEPT])
def test_requests_are_looked_up_by_their_keys(
    postgres: str, postgres_server: PostgresServer, statement: Statement
) -> None:
    """A server has counted few claims in much room, and would read all of it for each request; of
    replies, it may have counted none."""
    with closing(open_store(postgres)) as store:
        keys = [f"{n:064x}" for n in range(3000)]
        store.replies.claim(keys)
        store.replies.release(keys[:-1])
        schema = re.findall(r"search_path%3D(\w+)", postgres)[0]
        for table in ("claims", "replies"):
            postgres_server.execute(f"VACUUM ANALYZE {schema}.{table}")
        (some,) = portions(keys[:2])
        if statement is _KEPT:
            some = tuple(map(bytes.fromhex, some))  # type: ignore[assignment]
        with store.database.writing() as db:
            text, values = statement._with(db, some, {})
            plan = "".join(row[0] for row in driver_of(db).execute(f"EXPLAIN {text}", values))
    assert "Index Cond" in plan
    assert "Seq Scan" not in plan


@pytest.mark.parametrize(
    ("address", "remedy"),
    [
        ("{url}&sslmode=require", "Check `sslmode`"),
        ("{url}&sslmode=verify-full&sslrootcert=none.crt", "Check `sslmode`"),
        ("postgresql://?service=nobody", "PGSERVICEFILE"),
    ],
)
def test_what_to_do_about_an_address(
    postgres: str, address: str, remedy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    services = tmp_path / "services"
    services.write_text("[team]\nhost=127.0.0.1\n")
    monkeypatch.setenv("PGSERVICEFILE", str(services))
    with pytest.raises(StoreError) as refused:
        open_store(address.format(url=postgres))
    assert remedy in str(refused.value)
