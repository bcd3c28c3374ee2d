"""What several services share, and what was copied from other stores."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    text = sa.String().with_variant(sa.String(collation="C"), "postgresql")
    big = sa.BigInteger().with_variant(sa.Integer, "sqlite")
    op.create_table(
        "uploads",
        sa.Column("name", text, primary_key=True),
        sa.Column("part", sa.Integer, primary_key=True),
        sa.Column("created", text, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "copies",
        sa.Column("source", text, primary_key=True),
        sa.Column("run", text, primary_key=True),
        sa.Column("version", big, nullable=False),
        sa.Column("upto", big, nullable=False),
        sa.Column("tokens", big, nullable=False),
        sa.Column("usd", sa.Float, nullable=False),
    )
