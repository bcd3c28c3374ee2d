"""`adjudge store`: on each kind of database."""

from __future__ import annotations

import sys
from contextlib import closing

import pytest
import sqlalchemy as sa
from tests.commands import Command
from tests.postgres import PostgresServer
from tests.unit.stores.conftest import entry, record

from adjudge.stores import open_store
from adjudge.stores.tables import REVISION

RUN = record()


@pytest.fixture
def filled(store_url: str) -> str:
    with closing(open_store(store_url)) as store:
        store.runs.start(RUN)
        store.verdicts.put(RUN.id, [entry(str(n), n) for n in range(1000)])
        store.runs.end(RUN.id, "finished")
    return store_url


def test_migrate_makes_the_tables(adjudge: Command, store_url: str) -> None:
    ended = adjudge("store", "migrate", "--store", store_url)
    assert (ended.code, ended.out.endswith(f"is at revision {REVISION}\n")) == (0, True)
    assert adjudge("runs", "--store", store_url).code == 0


def test_check(adjudge: Command, filled: str) -> None:
    ended = adjudge("store", "check", "--store", filled)
    assert (ended.code, "runs 1" in ended.out, "problems 0" in ended.out) == (0, True, True)
    with closing(open_store(filled)) as store, store.database.writing() as db:
        db.execute(sa.text("DELETE FROM facts"))
    ended = adjudge("store", "check", "--json", "--store", filled)
    assert ended.code == 1
    assert [problem["reason"] for problem in ended.json["problems"]] == ["store.check_facts"]
    assert "adjudge store copy" in ended.err


def test_copy(adjudge: Command, filled: str, postgres_server: PostgresServer) -> None:
    for destination in ("copy.db", postgres_server.new_store()):
        ended = adjudge("store", "copy", filled, destination, "--json")
        assert ended.code == 0, ended.err
        assert ended.json["verdicts"] == {"table": "verdicts", "source": 1000, "destination": 1000}
        assert adjudge("store", "check", "--store", destination).code == 0
        assert "verdicts" in adjudge("store", "copy", filled, destination).out


def test_copy_of_nothing(adjudge: Command, store_url: str) -> None:
    ended = adjudge("store", "copy", store_url, "copy.db")
    assert ended.code == 1
    assert "there is no store here" in ended.err


def test_vacuum(adjudge: Command, filled: str) -> None:
    adjudge("runs", "delete", RUN.id, "--yes", "--store", filled)
    ended = adjudge("store", "vacuum", "--json", "--store", filled).json
    assert ended["bytes"] < ended["bytes_before"] / 2
    assert adjudge("store", "check", "--store", filled).code == 0


def test_doctor_knows_a_server(adjudge: Command, filled: str, postgres: str) -> None:
    assert "1 run" in adjudge("doctor", "--store", filled).out
    empty = adjudge("doctor", "--store", "postgresql://adjudge@127.0.0.1:1/x")
    assert empty.code == 1
    assert "pg_isready" in empty.out


def test_without_the_driver(adjudge: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "adjudge.stores.dialects.postgresql", raising=False)
    monkeypatch.setitem(sys.modules, "psycopg", None)
    ended = adjudge("runs", "--store", "postgresql://ann:s3cret@host/db")
    assert ended.code == 2
    assert "pip install 'adjudge[postgres]'" in ended.err
    assert "s3cret" not in ended.err
