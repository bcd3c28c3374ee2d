"""Replies by the bytes of their keys, and without the time at which they came, which nobody asked
for. What is kept from here on is packed (packing.py); what was kept before stays as it is."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"

_HASH = 64  # hexadecimal digits


def upgrade() -> None:
    db = op.get_bind()
    if db.dialect.name == "postgresql":
        op.execute("ALTER TABLE replies DROP COLUMN kept")
        op.execute(
            "ALTER TABLE replies ALTER COLUMN key TYPE bytea USING"
            " CASE WHEN key ~ '^[0-9a-f]{64}$' THEN decode(key, 'hex')"
            " ELSE convert_to(key, 'UTF8') END"
        )
        return
    op.rename_table("replies", "replies_before")
    op.create_table(
        "replies",
        sa.Column("key", sa.LargeBinary, primary_key=True),
        sa.Column("run", sa.String, nullable=False),
        sa.Column("model", sa.String, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )
    driver: Any = db.connection.driver_connection
    driver.create_function("key_bytes", 1, _key_bytes, deterministic=True)
    op.execute(
        "INSERT INTO replies SELECT key_bytes(key), run, model, content FROM replies_before"
        " ORDER BY rowid"
    )
    op.execute("DROP TABLE replies_before")


def _key_bytes(key: str) -> bytes:
    try:
        return bytes.fromhex(key) if len(key) == _HASH else key.encode()
    except ValueError:
        return key.encode()
