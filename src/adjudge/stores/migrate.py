"""Brings a store to today's tables."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from adjudge.core.reason import Reason
from adjudge.errors import StoreError

from . import tables
from .database import Database

# Alembic's own table, as it makes it.
_versions = sa.Table(
    "alembic_version",
    sa.MetaData(),
    sa.Column("version_num", sa.String(32), nullable=False),
    sa.PrimaryKeyConstraint("version_num", name="alembic_version_pkc"),
)
# Stores from before the first migration, which takes all of them along.
_BEFORE = re.compile("000[1-6]")


def up_to_date(database: Database, *, must_exist: bool = False) -> None:
    """Makes the tables where there are none, and takes an older store along step by step."""
    with database.reading() as db:  # so that a reader need not wait for a writer
        revision = revision_of(db, database.where)
    if revision == tables.REVISION:
        return
    if revision is None and must_exist:
        raise StoreError(Reason("store.none_here").in_file(database.where))
    with database.writing() as db:
        revision = revision_of(db, database.where)  # another process may have been quicker
        if revision is None:
            _create(db)
            database.create_counters(db)
        elif revision != tables.REVISION:
            _upgrade(db, revision, database.where)


def revision_of(db: sa.Connection, where: str) -> str | None:
    """Where the store stands; None where there is none yet. StoreError where there is something
    else."""
    known = set(sa.inspect(db).get_table_names())
    if _versions.name in known:
        return db.execute(sa.select(_versions.c.version_num)).scalar_one_or_none()
    if tables.meta.name in known and db.dialect.name == "sqlite":
        return "0001"  # from before revisions were noted
    if others := sorted(known & tables.metadata.tables.keys()):
        raise StoreError(Reason("store.other_table", table=others[0]).in_file(where))
    return None


def _create(db: sa.Connection) -> None:
    """All tables at once, noted as Alembic would, but without loading it, which takes a second."""
    tables.metadata.create_all(db)
    _versions.create(db)
    db.execute(sa.insert(_versions).values(version_num=tables.REVISION))


def rehearse(schema: Sequence[str], revision: str) -> dict[str, dict[str, bool]]:
    """The tables that the steps would make of an older store's `schema`, with their columns, and
    whether a new row must give one a value.

    `schema` holds its SQL statements. Nothing but memory is written to; StoreError where a step
    cannot be taken.
    """
    engine = sa.create_engine("sqlite://")
    try:
        with engine.begin() as db:
            for statement in schema:
                db.exec_driver_sql(statement)
            _upgrade(db, revision, "the store")
            looked = sa.inspect(db)
            return {
                name: {column["name"]: _needed(column) for column in looked.get_columns(name)}
                for name in looked.get_table_names()
            }
    except DBAPIError as error:
        raise StoreError(Reason("store.driver", why=str(error.orig))) from None
    finally:
        engine.dispose()


def _needed(column: Mapping[str, Any]) -> bool:
    return not (column["nullable"] or column["primary_key"] or column["default"])


def _upgrade(db: sa.Connection, revision: str, where: str) -> None:
    from alembic import command  # noqa: PLC0415
    from alembic.config import Config  # noqa: PLC0415
    from alembic.script import ScriptDirectory  # noqa: PLC0415

    config = Config()
    folder = str(Path(__file__).with_name("migrations"))
    config.set_main_option("script_location", folder.replace("%", "%%"))
    config.attributes["connection"] = db
    known = {step.revision for step in ScriptDirectory.from_config(config).walk_revisions()}
    if _BEFORE.fullmatch(revision):
        _versions.create(db, checkfirst=True)
        db.execute(sa.delete(_versions))
    elif revision not in known:
        raise StoreError(
            Reason("store.newer", revision=revision, newest=tables.REVISION).in_file(where)
        )
    command.upgrade(config, "head")
