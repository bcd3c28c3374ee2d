"""The tables, the same for every database. `migrations/` leads each older store to them."""

from __future__ import annotations

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

# The latest migration: a store at this one needs none, and Alembic is not even loaded for it.
REVISION = "0011"

metadata = MetaData()

# Also the number of a row, in the order in which rows were first put.
_BIG = BigInteger().with_variant(Integer, "sqlite")
# In the order of their characters, as SQLite has it, whatever the language of a server is.
_TEXT = String().with_variant(String(collation="C"), "postgresql")

meta = Table(
    "meta",
    metadata,
    Column("key", _TEXT, primary_key=True),
    Column("value", _TEXT, nullable=False),
)

runs = Table(
    "runs",
    metadata,
    Column("id", _TEXT, primary_key=True),
    Column("state", _TEXT, nullable=False),
    Column("started", _TEXT, nullable=False),
    Column("ended", _TEXT),
    # When somebody last wanted the run again though it was complete.
    Column("asked_again", _TEXT),
    Column("rows", Integer, nullable=False),
    Column("bad_rows", Integer, nullable=False),
    Column("manifest", LargeBinary, nullable=False),
    Column("sources", LargeBinary, nullable=False),
    # What the run has spent, failed requests included: verdicts alone would not know of those.
    Column("tokens", _BIG, nullable=False, server_default="0"),
    Column("usd", Float, nullable=False, server_default="0"),
)

# Runs that were deleted and not begun anew: whoever still works on one must not write to it.
deletions = Table(
    "deletions",
    metadata,
    Column("run", _TEXT, primary_key=True),
    Column("deleted", _TEXT, nullable=False),
)

# `fields` are the texts that the judge is shown, `extra` the other columns of the data.
items = Table(
    "items",
    metadata,
    Column("number", _BIG, primary_key=True),
    Column("run", _TEXT, nullable=False),
    Column("item", _TEXT, nullable=False),
    Column("position", Integer, nullable=False),
    Column("extra", LargeBinary, nullable=False),
    Column("fields", LargeBinary, nullable=False),
    UniqueConstraint("run", "item"),
)
Index("items_in_order", items.c.run, items.c.position)

verdicts = Table(
    "verdicts",
    metadata,
    Column("number", _BIG, primary_key=True),
    Column("run", _TEXT, nullable=False),
    Column("item", _TEXT, nullable=False),
    Column("judge", _TEXT, nullable=False),
    Column("model", _TEXT, nullable=False),
    Column("repeat", Integer, nullable=False),
    Column("fingerprint", _TEXT, nullable=False),
    Column("outcome", _TEXT, nullable=False),
    # The rest of the verdict (packing.py).
    Column("content", LargeBinary, nullable=False),
    UniqueConstraint("run", "item", "judge", "model", "repeat"),
)

# How many verdicts of a run have each outcome; triggers count, so that nobody else must.
tallies = Table(
    "tallies",
    metadata,
    Column("run", _TEXT, primary_key=True),
    Column("outcome", _TEXT, primary_key=True),
    Column("verdicts", _BIG, nullable=False),
    sqlite_with_rowid=False,
)

# The figures of the verdicts, many in a block (facts.py), for pages that filter and count a whole
# run. In the order of time: of two figures of the same verdict the later block's holds.
facts = Table(
    "facts",
    metadata,
    Column("run", _TEXT, primary_key=True),
    Column("change", Integer, primary_key=True),
    Column("verdicts", _BIG, nullable=False),
    Column("content", LargeBinary, nullable=False),
)

# Every reply by the exact request that it answers, so that no request is paid for twice. The key is
# a hash: as bytes it is half as long, here and in its index.
replies = Table(
    "replies",
    metadata,
    Column("key", LargeBinary, primary_key=True),
    Column("run", _TEXT, nullable=False),
    Column("model", _TEXT, nullable=False),
    Column("content", LargeBinary, nullable=False),
)

# Who is asking what just now, so that two processes never ask the same.
claims = Table(
    "claims",
    metadata,
    Column("key", _TEXT, primary_key=True),
    Column("owner", _TEXT, nullable=False),
    sqlite_with_rowid=False,  # one tree instead of two: it is written to twice for every request
)

# `seen` is the time of day, `ticks` that of the machine's own clock (owners.py).
owners = Table(
    "owners",
    metadata,
    Column("id", _TEXT, primary_key=True),
    Column("host", _TEXT, nullable=False),
    Column("pid", Integer, nullable=False),
    Column("seen", Float, nullable=False),
    Column("ticks", Float, nullable=False, server_default="0"),
)

# Who works on which run: a run that is not ended, and that nobody alive works on, was cut off.
workers = Table(
    "workers",
    metadata,
    Column("run", _TEXT, primary_key=True),
    Column("owner", _TEXT, primary_key=True),
)

# What may yet be spent of a run's budget, by an owner or by a batch (spending.py).
reservations = Table(
    "reservations",
    metadata,
    Column("run", _TEXT, primary_key=True),
    Column("holder", _TEXT, primary_key=True),
    Column("tokens", _BIG, nullable=False),
    Column("usd", Float, nullable=False),
)

# Requests handed to a provider's batch endpoint; `batch` is its id there, once it is known.
batches = Table(
    "batches",
    metadata,
    Column("label", _TEXT, primary_key=True),
    Column("run", _TEXT, nullable=False),
    Column("model", _TEXT, nullable=False),
    Column("batch", _TEXT),
    Column("state", _TEXT, nullable=False),
    Column("requests", Integer, nullable=False),
    Column("made", _TEXT, nullable=False),
)

# What people said, by the data's hash: it serves every run of the same data with the same judge.
labels = Table(
    "labels",
    metadata,
    Column("number", _BIG, primary_key=True),
    Column("data", _TEXT, nullable=False),
    Column("judge", _TEXT, nullable=False),
    Column("item", _TEXT, nullable=False),
    Column("rater", _TEXT, nullable=False),
    Column("criterion", _TEXT, nullable=False),
    Column("value", LargeBinary, nullable=False),
    Column("draw", _TEXT, nullable=False),
    Column("created", _TEXT, nullable=False),
    Column("comment", _TEXT, nullable=False, server_default=""),
    UniqueConstraint("data", "judge", "item", "rater", "criterion"),
)

# Which items to label next, by the data's hash; the latest plan holds.
label_plans = Table(
    "label_plans",
    metadata,
    Column("data", _TEXT, primary_key=True),
    Column("judge", _TEXT, primary_key=True),
    Column("created", _TEXT, nullable=False),
    Column("content", LargeBinary, nullable=False),
)

# How a judge's scores relate to people's, for the model and the fingerprint that it was found with.
calibrations = Table(
    "calibrations",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("judge", _TEXT, nullable=False),
    Column("model", _TEXT, nullable=False),
    Column("fingerprint", _TEXT, nullable=False),
    Column("created", _TEXT, nullable=False),
    Column("content", LargeBinary, nullable=False),
)
Index("calibrations_of", calibrations.c.judge, calibrations.c.model)

# What probing a judge and a model found out, each time that it was done.
probes = Table(
    "probes",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("judge", _TEXT, nullable=False),
    Column("model", _TEXT, nullable=False),
    Column("fingerprint", _TEXT, nullable=False),
    Column("created", _TEXT, nullable=False),
    Column("content", LargeBinary, nullable=False),
)
Index("probes_of", probes.c.judge, probes.c.model)

# The thresholds that a cascade chose, and what each of its models decided.
cascades = Table(
    "cascades",
    metadata,
    Column("run", _TEXT, primary_key=True),
    Column("judge", _TEXT, nullable=False),
    Column("fingerprint", _TEXT, nullable=False),
    Column("created", _TEXT, nullable=False),
    Column("content", LargeBinary, nullable=False),
)

# Who may use the service from afar. Only the hash is here: a token is shown once, when it is made.
tokens = Table(
    "tokens",
    metadata,
    Column("id", _TEXT, primary_key=True),
    Column("name", _TEXT, nullable=False),
    Column("hash", _TEXT, nullable=False),
    Column("scope", _TEXT, nullable=False),
    # Requests per minute; NULL for what the service allows everybody.
    Column("rate", Integer),
    Column("created", _TEXT, nullable=False),
    Column("revoked", _TEXT),
)

# Runs that were started over HTTP, so that a service that starts again can go on with them.
jobs = Table(
    "jobs",
    metadata,
    Column("id", _TEXT, primary_key=True),
    Column("created", _TEXT, nullable=False),
    Column("token", _TEXT, nullable=False),
    Column("state", _TEXT, nullable=False),
    Column("run", _TEXT),
    Column("problem", _TEXT),
    Column("spec", LargeBinary, nullable=False),
)

# Data and judges that came with requests, where several services share the store (uploads.py).
uploads = Table(
    "uploads",
    metadata,
    Column("name", _TEXT, primary_key=True),
    Column("part", Integer, primary_key=True),
    Column("created", _TEXT, nullable=False),
    Column("content", LargeBinary, nullable=False),
)

# How far runs were copied from other stores (copying.py): up to which row of verdicts, when the run
# was at `version` there, and what of its spending is counted here already.
copies = Table(
    "copies",
    metadata,
    Column("source", _TEXT, primary_key=True),
    Column("run", _TEXT, primary_key=True),
    Column("version", _BIG, nullable=False),
    Column("upto", _BIG, nullable=False),
    Column("tokens", _BIG, nullable=False),
    Column("usd", Float, nullable=False),
)
