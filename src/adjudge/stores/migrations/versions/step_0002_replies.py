"""Replies by request, claims on requests, provider batches, and what a run has spent."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.add_column("runs", sa.Column("tokens", sa.Integer, nullable=False, server_default="0"))
    op.add_column("runs", sa.Column("usd", sa.Float, nullable=False, server_default="0"))
    op.create_table(
        "replies",
        sa.Column("key", sa.String, primary_key=True),
        sa.Column("run", sa.String, nullable=False),
        sa.Column("model", sa.String, nullable=False),
        sa.Column("kept", sa.String, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "claims",
        sa.Column("key", sa.String, primary_key=True),
        sa.Column("owner", sa.String, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "owners",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("host", sa.String, nullable=False),
        sa.Column("pid", sa.Integer, nullable=False),
        sa.Column("seen", sa.Float, nullable=False),
    )
    op.create_table(
        "batches",
        sa.Column("label", sa.String, primary_key=True),
        sa.Column("run", sa.String, nullable=False),
        sa.Column("model", sa.String, nullable=False),
        sa.Column("batch", sa.String),
        sa.Column("state", sa.String, nullable=False),
        sa.Column("requests", sa.Integer, nullable=False),
        sa.Column("made", sa.String, nullable=False),
    )
