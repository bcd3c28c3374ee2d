"""Whether the file of a store still stands where it was opened.

A file that is deleted, moved or replaced stays open for whoever has it: SQLite would go on writing
to it, and tell nobody that all of it is lost.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from adjudge.errors import StoreError

_File = tuple[int, int]  # device and inode, by which SQLite tells files apart as well


class FilePlace:
    """The place of a SQLite database, which is empty or its own before it is first looked at."""

    def __init__(self, path: Path) -> None:
        self._shown, self._path = str(path), path.absolute()
        self._log = self._path.with_name(f"{self._path.name}-wal")
        self._file: _File | None = None
        self._log_file: _File | None = None

    def has_log(self, descriptor: int) -> None:
        """The log of the database is this open file."""
        self._log_file = _identity(os.fstat(descriptor))

    def check(self) -> None:
        """Raises StoreError when another file, or none, stands in the place of the first one."""
        found = _found(self._path)
        self._file = self._file or found
        if found == self._file:
            return
        if found is None:
            raise StoreError(
                f"{self._shown}: the file was deleted or moved away while it was in use. Put it"
                " back, together with its -wal, and run the same command again; without it the run"
                " begins anew."
            )
        self._set_log_aside()
        raise StoreError(
            f"{self._shown}: another file took its place while it was in use. The same command goes"
            " on with what that one holds."
        )

    def _set_log_aside(self) -> None:
        """SQLite would take the log of the old file for that of the new one, and spoil it."""
        if self._log_file and _found(self._log) == self._log_file:
            with suppress(OSError):
                self._log.rename(f"{self._log}.old")


def _found(path: Path) -> _File | None:
    try:
        return _identity(path.stat())
    except OSError:
        return None


def _identity(status: os.stat_result) -> _File:
    return status.st_dev, status.st_ino
