"""What people said, and how judges relate to it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.create_table(
        "labels",
        sa.Column("data", sa.String, primary_key=True),
        sa.Column("judge", sa.String, primary_key=True),
        sa.Column("item", sa.String, primary_key=True),
        sa.Column("rater", sa.String, primary_key=True),
        sa.Column("criterion", sa.String, primary_key=True),
        sa.Column("value", sa.LargeBinary, nullable=False),
        sa.Column("draw", sa.String, nullable=False),
        sa.Column("created", sa.String, nullable=False),
    )
    op.create_table(
        "calibrations",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("judge", sa.String, nullable=False),
        sa.Column("model", sa.String, nullable=False),
        sa.Column("fingerprint", sa.String, nullable=False),
        sa.Column("created", sa.String, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )
    op.create_index("calibrations_of", "calibrations", ["judge", "model"])
