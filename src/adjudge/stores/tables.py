"""The tables, the same for every database. `migrations/` leads each older store to them."""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    UniqueConstraint,
)
from sqlalchemy.schema import SchemaItem
from sqlalchemy.types import TypeEngine

# The latest migration: a store at this one needs none, and Alembic is not even loaded for it.
REVISION = "0011"

metadata = MetaData()

# Also the number of a row, in the order in which rows were first put.
_BIG = BigInteger().with_variant(Integer, "sqlite")
# In the order of their characters, as SQLite has it, whatever the language of a server is.
_TEXT = String().with_variant(String(collation="C"), "postgresql")


def _table(name: str, *parts: SchemaItem, **options: Any) -> Table:
    return Table(name, metadata, *parts, **options)


def _keys(*names: str, kind: TypeEngine[Any] | type[TypeEngine[Any]] = _TEXT) -> list[Column[Any]]:
    """Columns of the primary key."""
    return [Column(name, kind, primary_key=True) for name in names]


def _values(
    *names: str, kind: TypeEngine[Any] | type[TypeEngine[Any]] = _TEXT
) -> list[Column[Any]]:
    """Columns that are never NULL."""
    return [Column(name, kind, nullable=False) for name in names]


meta = _table("meta", *_keys("key"), *_values("value"))

runs = _table(
    "runs",
    *_keys("id"),
    *_values("state", "started"),
    Column("ended", _TEXT),
    # When somebody last wanted the run again though it was complete.
    Column("asked_again", _TEXT),
    *_values("rows", "bad_rows", kind=Integer),
    *_values("manifest", "sources", kind=LargeBinary),
    # What the run has spent, failed requests included: verdicts alone would not know of those.
    Column("tokens", _BIG, nullable=False, server_default="0"),
    Column("usd", Float, nullable=False, server_default="0"),
)

# Runs that were deleted and not started again: a process that still works on one must not write to
# it.
deletions = _table("deletions", *_keys("run"), *_values("deleted"))

# `fields` are the texts that the judge is shown, `extra` the other columns of the data.
items = _table(
    "items",
    *_keys("number", kind=_BIG),
    *_values("run", "item"),
    *_values("position", kind=Integer),
    *_values("extra", "fields", kind=LargeBinary),
    UniqueConstraint("run", "item"),
)
Index("items_in_order", items.c.run, items.c.position)

verdicts = _table(
    "verdicts",
    *_keys("number", kind=_BIG),
    *_values("run", "item", "judge", "model"),
    *_values("repeat", kind=Integer),
    *_values("fingerprint", "outcome"),
    # The rest of the verdict (packing.py).
    *_values("content", kind=LargeBinary),
    UniqueConstraint("run", "item", "judge", "model", "repeat"),
)

# How many verdicts of a run have each outcome; triggers count, so that nobody else must.
tallies = _table(
    "tallies", *_keys("run", "outcome"), *_values("verdicts", kind=_BIG), sqlite_with_rowid=False
)

# The figures of the verdicts, many in a block (facts.py), for pages that filter and count a whole
# run. In the order of time: of two figures of the same verdict the later block's holds.
facts = _table(
    "facts",
    *_keys("run"),
    *_keys("change", kind=Integer),
    *_values("verdicts", kind=_BIG),
    *_values("content", kind=LargeBinary),
)

# Every reply by the exact request that it answers, so that no request is paid for twice. The key is
# a hash: as bytes it is half as long, here and in its index.
replies = _table(
    "replies",
    *_keys("key", kind=LargeBinary),
    *_values("run", "model"),
    *_values("content", kind=LargeBinary),
)

# Who is asking what just now, so that two processes never ask the same.
claims = _table(
    "claims",
    *_keys("key"),
    *_values("owner"),
    sqlite_with_rowid=False,  # one tree instead of two: it is written to twice for every request
)

# `seen` is the time of day, `ticks` that of the machine's own clock (owners.py).
owners = _table(
    "owners",
    *_keys("id"),
    *_values("host"),
    *_values("pid", kind=Integer),
    *_values("seen", kind=Float),
    Column("ticks", Float, nullable=False, server_default="0"),
)

# Who works on which run: a run that is not ended, and that nobody alive works on, was cut off.
workers = _table("workers", *_keys("run", "owner"))

# What may yet be spent of a run's budget, by an owner or by a batch (spending.py).
reservations = _table(
    "reservations",
    *_keys("run", "holder"),
    *_values("tokens", kind=_BIG),
    *_values("usd", kind=Float),
)

# Requests handed to a provider's batch endpoint; `batch` is its id there, once it is known.
batches = _table(
    "batches",
    *_keys("label"),
    *_values("run", "model"),
    Column("batch", _TEXT),
    *_values("state"),
    *_values("requests", kind=Integer),
    *_values("made"),
)

# What people said, by the data's hash: it serves every run of the same data with the same judge.
labels = _table(
    "labels",
    *_keys("number", kind=_BIG),
    *_values("data", "judge", "item", "rater", "criterion"),
    *_values("value", kind=LargeBinary),
    *_values("draw", "created"),
    Column("comment", _TEXT, nullable=False, server_default=""),
    UniqueConstraint("data", "judge", "item", "rater", "criterion"),
)

# Which items to label next, by the data's hash; the latest plan holds.
label_plans = _table(
    "label_plans",
    *_keys("data", "judge"),
    *_values("created"),
    *_values("content", kind=LargeBinary),
)

# How a judge's scores relate to people's, for the model and the fingerprint that it was found with.
calibrations = _table(
    "calibrations",
    *_keys("id", kind=Integer),
    *_values("judge", "model", "fingerprint", "created"),
    *_values("content", kind=LargeBinary),
)
Index("calibrations_of", calibrations.c.judge, calibrations.c.model)

# What probing a judge and a model found out, each time that it was done.
probes = _table(
    "probes",
    *_keys("id", kind=Integer),
    *_values("judge", "model", "fingerprint", "created"),
    *_values("content", kind=LargeBinary),
)
Index("probes_of", probes.c.judge, probes.c.model)

# The thresholds that a cascade chose, and what each of its models decided.
cascades = _table(
    "cascades",
    *_keys("run"),
    *_values("judge", "fingerprint", "created"),
    *_values("content", kind=LargeBinary),
)

# Who may use the service from afar. Only the hash is here: a token is shown once, when it is made.
tokens = _table(
    "tokens",
    *_keys("id"),
    *_values("name", "hash", "scope"),
    # Requests per minute; NULL for what the service allows everybody.
    Column("rate", Integer),
    *_values("created"),
    Column("revoked", _TEXT),
)

# Runs that were started over HTTP, so that a service that starts again can continue them.
jobs = _table(
    "jobs",
    *_keys("id"),
    *_values("created", "token", "state"),
    Column("run", _TEXT),
    Column("problem", _TEXT),
    *_values("spec", kind=LargeBinary),
)

# Data and judges that came with requests, where several services share the store (uploads.py).
uploads = _table(
    "uploads",
    *_keys("name"),
    *_keys("part", kind=Integer),
    *_values("created"),
    *_values("content", kind=LargeBinary),
)

# How far runs were copied from other stores (copying.py): up to which row of verdicts, when the run
# was at `version` there, and what of its spending is counted here already.
copies = _table(
    "copies",
    *_keys("source", "run"),
    *_values("version", "upto", "tokens", kind=_BIG),
    *_values("usd", kind=Float),
)
