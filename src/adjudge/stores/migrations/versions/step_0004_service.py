"""Who may use the service, what it was asked to run, and what its pages look up."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


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
