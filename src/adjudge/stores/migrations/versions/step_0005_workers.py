"""Who works on which run just now, and by a clock that nobody sets."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.add_column("owners", sa.Column("ticks", sa.Float, nullable=False, server_default="0"))
    op.create_table(
        "workers",
        sa.Column("run", sa.String, primary_key=True),
        sa.Column("owner", sa.String, primary_key=True),
    )
