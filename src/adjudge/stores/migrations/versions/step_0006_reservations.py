"""What may yet be spent of a run's budget, so that a crash leaves it counted."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.create_table(
        "reservations",
        sa.Column("run", sa.String, primary_key=True),
        sa.Column("holder", sa.String, primary_key=True),
        sa.Column("tokens", sa.Integer, nullable=False),
        sa.Column("usd", sa.Float, nullable=False),
    )
