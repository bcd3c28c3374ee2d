"""Makes a store of a database, whose tables it makes or takes along first."""

from __future__ import annotations

import secrets
from pathlib import Path

import sqlalchemy as sa

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
from .verdicts import Verdicts

_PUT_META = Upsert(tables.meta, ["key"])


def opened(path: Path) -> Store:
    database = SqliteDatabase(path)
    up_to_date(database)
    owner = Owner(database)
    replies = Replies(database, owner)
    return Store(
        where=database.where,
        secret=bytes.fromhex(_secret(database)),
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
        database=database,
        owner=owner,
    )


def _secret(database: Database) -> str:
    """Made once per store."""
    query = sa.select(tables.meta.c.value).where(tables.meta.c.key == "secret")
    with database.reading() as db:
        secret = db.execute(query).scalar_one_or_none()
    if secret:
        return str(secret)
    with database.writing() as db:
        database.put(db, _PUT_META, [("secret", secrets.token_hex(32))])
        return str(db.execute(query).scalar_one())
