"""Who may use the service, what it was asked to run, and what its pages look up."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from adjudge.stores import sqlite_facts, tables
from adjudge.stores.codec import decode_verdict
from adjudge.stores.facts import Key, block, packed

revision = "0004"
down_revision = "0003"

_BLOCK = 1024  # verdicts


def upgrade() -> None:
    op.create_table(
        "tokens",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("hash", sa.String, nullable=False),
        sa.Column("scope", sa.String, nullable=False),
        sa.Column("rate", sa.Integer),
        sa.Column("created", sa.String, nullable=False),
        sa.Column("revoked", sa.String),
    )
    op.create_table(
        "jobs",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("created", sa.String, nullable=False),
        sa.Column("token", sa.String, nullable=False),
        sa.Column("state", sa.String, nullable=False),
        sa.Column("run", sa.String),
        sa.Column("problem", sa.String),
        sa.Column("spec", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "probes",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("judge", sa.String, nullable=False),
        sa.Column("model", sa.String, nullable=False),
        sa.Column("fingerprint", sa.String, nullable=False),
        sa.Column("created", sa.String, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )
    op.create_index("probes_of", "probes", ["judge", "model"])
    op.create_table(
        "tallies",
        sa.Column("run", sa.String, primary_key=True),
        sa.Column("outcome", sa.String, primary_key=True),
        sa.Column("verdicts", sa.Integer, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "facts",
        sa.Column("run", sa.String, primary_key=True),
        sa.Column("change", sa.Integer, primary_key=True),
        sa.Column("verdicts", sa.Integer, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )
    for trigger in tables.TRIGGERS:
        op.execute(trigger)
    op.execute("INSERT INTO tallies SELECT run, outcome, count(*) FROM verdicts GROUP BY 1, 2")
    _fill(op.get_bind())


def _fill(db: sa.Connection) -> None:
    """The facts of all verdicts, a block at a time."""
    found = db.exec_driver_sql(
        "SELECT verdicts.run, items.position, verdicts.content FROM verdicts"
        " JOIN items ON items.run = verdicts.run AND items.item = verdicts.item"
        " ORDER BY verdicts.rowid"
    )
    while rows := found.fetchmany(_BLOCK):
        by_run: dict[str, dict[Key, bytes]] = {}
        for run_id, position, content in rows:
            each = decode_verdict(content)
            key = each.judge, each.model, each.repeat, each.item
            by_run.setdefault(run_id, {})[key] = packed(position, each)
        for run_id, figures in by_run.items():
            db.exec_driver_sql(sqlite_facts.PUT, (run_id, len(figures), block(figures))).all()
