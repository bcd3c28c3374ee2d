"""Who may read a store: it holds texts, hashes of tokens and the secret that signs sessions."""

from __future__ import annotations

import os
import shlex
import stat
from contextlib import suppress
from pathlib import Path

PRIVATE_FILE, PRIVATE_FOLDER = 0o600, 0o700


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
    files = [each for each in _files(path) if each.exists()]
    reached = [
        each
        for each in files
        if any(
            each.stat().st_mode & reads and folder & enters
            for reads, enters in ((stat.S_IRGRP, stat.S_IXGRP), (stat.S_IROTH, stat.S_IXOTH))
        )
    ]
    if not reached:
        return None
    names = " ".join(shlex.quote(str(each)) for each in files)
    return f"{path}: other users of this machine can read the store. Close it: chmod 600 {names}"


def _files(path: Path) -> list[Path]:
    return [path, *(path.with_name(f"{path.name}{end}") for end in ("-wal", "-shm"))]
