"""The file of a SQLite store: who may read it, and whether it still stands where it was opened.

It holds texts, hashes of tokens and the secret that signs sessions. And a file that is deleted,
moved or replaced stays open for processes that have it: SQLite would continue to write to it,
and nobody would hear that all of it is lost.
"""

from __future__ import annotations

import os
import shlex
import stat
from contextlib import suppress
from pathlib import Path

from adjudge.core.reason import Reason
from adjudge.errors import StoreError

PRIVATE_FILE, PRIVATE_FOLDER = 0o600, 0o700
_File = tuple[int, int]  # device and inode, by which SQLite distinguishes files too


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
        file = _file_at(self._path)
        self._file = self._file or file
        if file == self._file:
            return
        if file is None:
            raise StoreError(Reason("store.moved").in_file(self._shown))
        self._set_log_aside()
        raise StoreError(Reason("store.replaced").in_file(self._shown))

    def _set_log_aside(self) -> None:
        """SQLite would take the log of the old file for that of the new one, and spoil it."""
        if self._log_file and _file_at(self._log) == self._log_file:
            with suppress(OSError):
                self._log.rename(f"{self._log}.old")


def _file_at(path: Path) -> _File | None:
    try:
        return _identity(path.stat())
    except OSError:
        return None


def _identity(status: os.stat_result) -> _File:
    return status.st_dev, status.st_ino


def make_private(path: Path) -> None:
    """An empty file that only its owner may read, where there is none; SQLite gives its log and
    index the same mode."""
    # Whatever else is wrong with the place, SQLite says when it opens the file.
    with suppress(OSError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, PRIVATE_FILE))


def may_write(path: Path) -> bool:
    """Whether this process may write to the store at `path`, and to its log beside it."""
    if not _writable(path):
        return False
    log = path.with_name(f"{path.name}-wal")
    return _writable(log) if log.exists() else _writable(path.absolute().parent)


def _writable(path: Path) -> bool:
    return os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


def open_to_others(path: Path) -> str | None:
    """A sentence with what to do about it where other users can read the store, else None."""
    folder = path.absolute().parent.stat().st_mode
    files = [file for file in _files(path) if file.exists()]
    reached = [
        file
        for file in files
        if any(
            file.stat().st_mode & reads and folder & enters
            for reads, enters in ((stat.S_IRGRP, stat.S_IXGRP), (stat.S_IROTH, stat.S_IXOTH))
        )
    ]
    if not reached:
        return None
    names = " ".join(shlex.quote(str(file)) for file in files)
    return f"{path}: other users of this machine can read the store. Close it: chmod 600 {names}"


def _files(path: Path) -> list[Path]:
    return [path, *(path.with_name(f"{path.name}{end}") for end in ("-wal", "-shm"))]
