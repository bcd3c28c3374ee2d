"""Brings a store to today's tables."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

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


def up_to_date(database: Database) -> None:
    """Makes the tables where there are none, and takes an older store along step by step."""
    with database.reading() as db:  # so that a reader need not wait for whoever writes
        if _revision(db) == tables.REVISION:
            return
    with database.writing() as db:
        found = _revision(db)  # another process may have been quicker
        if found is None:
            _create(db)
        elif found != tables.REVISION:
            _upgrade(db, found, database.where)


def _revision(db: sa.Connection) -> str | None:
    """Where the store stands; None for an empty file."""
    known = set(sa.inspect(db).get_table_names())
    if _versions.name in known:
        return db.execute(sa.select(_versions.c.version_num)).scalar_one_or_none()
    return "0001" if tables.meta.name in known else None  # from before revisions were noted


def _create(db: sa.Connection) -> None:
    """All tables at once, noted as Alembic would, but without loading it, which takes a second."""
    tables.metadata.create_all(db)
    _versions.create(db)
    db.execute(sa.insert(_versions).values(version_num=tables.REVISION))


def rehearse(schema: Sequence[str], found: str) -> dict[str, set[str]]:
    """The tables with their columns that the steps would make of an older store's `schema`.

    `schema` holds its SQL statements. Nothing but memory is written to; StoreError where a step
    cannot be taken.
    """
    engine = sa.create_engine("sqlite://")
    try:
        with engine.begin() as db:
            for statement in schema:
                db.exec_driver_sql(statement)
            _upgrade(db, found, "the store")
            looked = sa.inspect(db)
            return {
                name: {column["name"] for column in looked.get_columns(name)}
                for name in looked.get_table_names()
            }
    except DBAPIError as error:
        raise StoreError(str(error.orig)) from None
    finally:
        engine.dispose()


def _upgrade(db: sa.Connection, found: str, where: str) -> None:
    from alembic import command  # noqa: PLC0415
    from alembic.config import Config  # noqa: PLC0415
    from alembic.script import ScriptDirectory  # noqa: PLC0415

    config = Config()
    folder = str(Path(__file__).with_name("migrations"))
    config.set_main_option("script_location", folder.replace("%", "%%"))
    config.attributes["connection"] = db
    known = {step.revision for step in ScriptDirectory.from_config(config).walk_revisions()}
    if found not in known:
        raise StoreError(
            f"{where}: written by a newer version of adjudge (store revision {found},"
            f" this one knows up to {tables.REVISION}). Use that version, or another --store."
        )
    command.stamp(config, found)
    command.upgrade(config, "head")
