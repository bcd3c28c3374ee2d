"""Makes a store of a database, whose tables it makes or takes along first."""

from __future__ import annotations

import secrets
from pathlib import Path

import sqlalchemy as sa

from adjudge.extras import require

from . import tables
from .database import Database, Upsert
from .dialects.sqlite import SqliteDatabase
from .findings import Calibrations, Cascades, Probes
from .items import Items
from .jobs import Jobs, Tokens
from .labels import Labels
from .migrate import up_to_date
from .owners import Owner
from .replies import Replies
from .runs import Runs
from .spending import Batches, Reservations
from .store import Store
from .uploads import KeptUploads
from .verdicts import Verdicts

_PUT_META = Upsert(tables.meta, ["key"])


def database_of(place: Path | str) -> Database:
    """By the path of a file, or the address of a server."""
    if isinstance(place, Path):
        return SqliteDatabase(place)
    require("postgres", "--store postgresql://…")
    from .dialects.postgresql import PostgresDatabase  # noqa: PLC0415 - an extra

    return PostgresDatabase(place)


def opened(place: Path | str, *, must_exist: bool = False) -> Store:
    database = database_of(place)
    try:
        up_to_date(database, must_exist=must_exist)
        return _store(database)
    except BaseException:
        database.close()
        raise


def _store(database: Database) -> Store:
    numbers = _numbers(database)
    owner = Owner(database)
    replies = Replies(database, owner)
    return Store(
        where=database.where,
        id=numbers["id"],
        secret=bytes.fromhex(numbers["secret"]),
        runs=Runs(database, owner),
        items=Items(database),
        verdicts=Verdicts(database),
        replies=replies,
        reservations=Reservations(database, owner),
        batches=Batches(database),
        labels=Labels(database),
        calibrations=Calibrations(database),
        probes=Probes(database),
        cascades=Cascades(database),
        tokens=Tokens(database),
        jobs=Jobs(database, owner, replies),
        uploads=KeptUploads(database),
        database=database,
        owner=owner,
    )


def _numbers(database: Database) -> dict[str, str]:
    """What is made once per store, at random: its id, and its secret."""
    wanted = {"id": secrets.token_hex(8), "secret": secrets.token_hex(32)}
    query = sa.select(tables.meta.c.key, tables.meta.c.value).where(tables.meta.c.key.in_(wanted))
    with database.reading() as db:
        numbers: dict[str, str] = dict(db.execute(query).all())
    if len(numbers) == len(wanted):
        return numbers
    with database.writing() as db:
        database.put(db, _PUT_META, [*wanted.items()])
        return dict(db.execute(query).all())
