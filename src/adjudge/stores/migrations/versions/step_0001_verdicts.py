"""Runs, items and verdicts."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "meta",
        sa.Column("key", sa.String, primary_key=True),
        sa.Column("value", sa.String, nullable=False),
    )
    op.create_table(
        "runs",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("state", sa.String, nullable=False),
        sa.Column("started", sa.String, nullable=False),
        sa.Column("ended", sa.String),
        sa.Column("rows", sa.Integer, nullable=False),
        sa.Column("bad_rows", sa.Integer, nullable=False),
        sa.Column("manifest", sa.LargeBinary, nullable=False),
        sa.Column("sources", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "items",
        sa.Column("run", sa.String, primary_key=True),
        sa.Column("item", sa.String, primary_key=True),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )
    op.create_index("items_in_order", "items", ["run", "position"])
    op.create_table(
        "verdicts",
        sa.Column("run", sa.String, primary_key=True),
        sa.Column("item", sa.String, primary_key=True),
        sa.Column("judge", sa.String, primary_key=True),
        sa.Column("model", sa.String, primary_key=True),
        sa.Column("repeat", sa.Integer, primary_key=True),
        sa.Column("outcome", sa.String, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )
