"""Which items to label next."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    text = sa.String().with_variant(sa.String(collation="C"), "postgresql")
    op.create_table(
        "label_plans",
        sa.Column("data", text, primary_key=True),
        sa.Column("judge", text, primary_key=True),
        sa.Column("created", text, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )
