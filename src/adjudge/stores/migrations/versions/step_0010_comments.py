"""What raters write beside a label."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    text = sa.String().with_variant(sa.String(collation="C"), "postgresql")
    op.add_column("labels", sa.Column("comment", text, nullable=False, server_default=""))
