"""The tables, the same for every database."""

from __future__ import annotations

from sqlalchemy import Column, Index, Integer, LargeBinary, MetaData, String, Table

# Raised whenever the tables change; a store of another version is refused, not misread.
VERSION = "1"

metadata = MetaData()

meta = Table(
    "meta",
    metadata,
    Column("key", String, primary_key=True),
    Column("value", String, nullable=False),
)

runs = Table(
    "runs",
    metadata,
    Column("id", String, primary_key=True),
    Column("state", String, nullable=False),
    Column("started", String, nullable=False),
    Column("ended", String),
    Column("rows", Integer, nullable=False),
    Column("bad_rows", Integer, nullable=False),
    Column("manifest", LargeBinary, nullable=False),
    Column("sources", LargeBinary, nullable=False),
)

items = Table(
    "items",
    metadata,
    Column("run", String, primary_key=True),
    Column("item", String, primary_key=True),
    Column("position", Integer, nullable=False),
    Column("content", LargeBinary, nullable=False),
)
Index("items_in_order", items.c.run, items.c.position)

verdicts = Table(
    "verdicts",
    metadata,
    Column("run", String, primary_key=True),
    Column("item", String, primary_key=True),
    Column("judge", String, primary_key=True),
    Column("model", String, primary_key=True),
    Column("repeat", Integer, primary_key=True),
    Column("outcome", String, nullable=False),
    Column("content", LargeBinary, nullable=False),
)
