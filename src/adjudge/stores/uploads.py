"""Data and judges that came with requests, for all services that share the store.

A store that is a file has them beside it (`service.jobs.uploads`).
"""

from __future__ import annotations

import time
from collections.abc import Container, Iterable
from contextlib import suppress
from pathlib import Path

import sqlalchemy as sa

from . import tables
from .codec import at, now
from .database import Database, Statement, Upsert, parameter

_PART = 1 << 20  # bytes of a row
_uploads = tables.uploads.c
_PUT = Upsert(tables.uploads, ["name", "part"], update=["created", "content"])
_PARTS = Statement(
    sa.select(_uploads.content).where(_uploads.name == parameter("upload")).order_by(_uploads.part)
)


class KeptUploads:
    """Files by their names, which say what is in them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, name: str, file: Path) -> None:
        created = now()
        with self._database.writing() as db, file.open("rb") as content:
            parts = enumerate(iter(lambda: content.read(_PART), b""))
            for part, some in parts:
                self._database.put(db, _PUT, [(name, part, created, some)])

    def fetch(self, name: str, file: Path) -> bool:
        """Writes it to the file; False, and no file, where there is none of that name."""
        there = False
        try:
            with self._database.reading() as db, file.open("wb") as content:
                for (some,) in _PARTS.stream(db, upload=name):
                    content.write(some)
                    there = True
        finally:
            if not there:
                with suppress(OSError):
                    file.unlink(missing_ok=True)
        return there

    def remove(self, names: Iterable[str]) -> None:
        with self._database.writing() as db:
            db.execute(sa.delete(tables.uploads).where(_uploads.name.in_(list(names))))

    def sweep(self, needed: Container[str], seconds: float) -> None:
        """Removes what has been here for so long and is not needed."""
        old = sa.select(_uploads.name).where(_uploads.created < at(time.time() - seconds))
        with self._database.reading() as db:
            names = [name for name in db.execute(old.distinct()).scalars() if name not in needed]
        if names:
            self.remove(names)
