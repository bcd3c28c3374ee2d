"""Statements are written once, and compiled for whatever database there is."""

from __future__ import annotations

from contextlib import suppress
from itertools import chain

import pytest
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from adjudge.errors import StoreError
from adjudge.stores import (
    Store,
    items,
    jobs,
    labels,
    opening,
    owners,
    replies,
    runs,
    spending,
    tables,
    verdicts,
)
from adjudge.stores.database import AT_ONCE, Statement, Upsert, key_in, parameter, portions

MODULES = (items, jobs, labels, opening, owners, replies, runs, spending, verdicts)


def written() -> list[Statement | Upsert]:
    values = [value for module in MODULES for value in vars(module).values()]
    walks = [vars(value).values() for value in values if isinstance(value, verdicts.Walk)]
    return [value for value in chain(values, *walks) if isinstance(value, Statement | Upsert)]


@pytest.mark.parametrize("dialect", [sqlite.dialect(), postgresql.dialect(paramstyle="format")])
def test_every_statement_is_made_for_every_database(dialect: sa.Dialect) -> None:
    made = written()
    assert len(made) > 30
    for each in made:
        text = each.text(dialect) if isinstance(each, Upsert) else each.compiled(dialect).text
        assert text.startswith(("SELECT", "INSERT", "UPDATE", "DELETE")), text


def test_every_table_is_made_for_every_database() -> None:
    for table in tables.metadata.sorted_tables:
        made = str(sa.schema.CreateTable(table).compile(dialect=postgresql.dialect()))
        assert ("number BIGSERIAL" in made) == ("number" in table.c), made


def test_a_statement_with_values_of_its_own(store: Store) -> None:
    some = Statement(
        sa.select(tables.meta.c.key).where(
            tables.meta.c.key == parameter("name"), tables.meta.c.value != "x"
        )
    )
    with store.database.reading() as db:
        assert some.run(db, name="secret").fetchall() == [("secret",)]
        assert some.run(db, name="other").fetchall() == []
        with pytest.raises(KeyError):
            some.run(db)  # never a silent NULL


@pytest.mark.parametrize("count", [0, 1, AT_ONCE - 1, AT_ONCE, AT_ONCE + 1, 3 * AT_ONCE])
def test_rows_and_keys_beyond_one_statement(store: Store, count: int) -> None:
    rows = [(f"k{n}", f"v{n}") for n in range(count)]
    put = Upsert(tables.meta, ["key"], update=["value"])
    there = Statement(sa.select(tables.meta.c.key).where(key_in(tables.meta.c.key)))
    with store.database.writing() as db:
        store.database.put(db, put, rows)
        store.database.put(db, put, [(key, "newer") for key, _ in rows])
        kept = db.execute(sa.select(tables.meta).where(tables.meta.c.key.like("k%"))).all()
        found = [
            key for some in portions([key for key, _ in rows]) for (key,) in there.run(db, some)
        ]
    assert sorted(kept) == sorted((key, "newer") for key, _ in rows)
    assert sorted(found) == sorted(key for key, _ in rows)


def test_what_is_inside_another_transaction_is_a_part_of_it(store: Store, other: Store) -> None:
    put = Upsert(tables.meta, ["key"])
    with suppress(ZeroDivisionError), store.database.writing() as outer:
        with store.database.writing() as inner:
            assert inner is outer
            store.database.put(inner, put, [("k", "v")])
        raise ZeroDivisionError
    with other.database.writing() as db:  # the lock is free, and nothing was kept
        assert "k" not in db.execute(sa.select(tables.meta.c.key)).scalars().all()


def test_an_error_of_the_driver_is_told_as_one_of_the_store(store: Store) -> None:
    broken = Statement(sa.select(sa.table("nowhere", sa.column("x"))))
    told = pytest.raises(StoreError, match=r"nowhere.*(--store|store check)")
    with told, store.database.reading() as db:
        broken.run(db)
