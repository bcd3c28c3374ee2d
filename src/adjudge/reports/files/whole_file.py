"""Files that appear as a whole or not at all, and leave nothing behind when that is cut off."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from adjudge import open_files
from adjudge.core.reason import Reason
from adjudge.errors import AdjudgeError

try:
    import fcntl
except ImportError:  # not everywhere
    fcntl = None  # type: ignore[assignment]

_START, _END = ".adjudge-", ".tmp"  # of the names of drafts


def write_whole(path: Path, fill: Callable[[BinaryIO], object]) -> None:
    """What `fill` writes takes the place of the file once all of it is on the disk.

    Until then it is a draft beside its place; drafts that a killed process has left there are
    removed. What a link points to is replaced, not the link.
    """
    place = path.resolve()
    try:
        _remove_abandoned(place.parent)
        with _draft(place.parent) as (draft, out):
            fill(out)
            out.flush()
            os.fsync(out.fileno())
            draft.replace(place)
    except OSError as error:
        why = error.strerror or str(error)
        remedy = open_files.remedy(error) or Reason("output.free_space")
        reason = Reason("output.not_written", why=why, remedy=remedy)
        raise AdjudgeError(reason.in_file(path)) from error


def write_text(path: Path, text: str) -> None:
    """The same for a text; half surrogates, which UTF-8 does not have, are written out."""
    data = text.encode(errors="backslashreplace")
    write_whole(path, lambda out: out.write(data))


@contextmanager
def _draft(folder: Path) -> Iterator[tuple[Path, BinaryIO]]:
    """A new file that is locked for as long as it is ours, and gone afterwards."""
    while True:
        draft = folder / f"{_START}{secrets.token_hex(8)}{_END}"
        with draft.open("xb") as out:
            with suppress(OSError):  # not everywhere are there locks
                _lock(out, wait=True)
            if not draft.exists():  # taken for abandoned before it was locked
                continue
            try:
                yield draft, out
            finally:
                draft.unlink(missing_ok=True)
            return


def _remove_abandoned(folder: Path) -> None:
    """A killed process holds no lock any more."""
    for draft in folder.glob(f"{_START}*{_END}"):
        with suppress(OSError), draft.open("rb") as file:  # of somebody else, or gone meanwhile
            _lock(file, wait=False)
            draft.unlink()


def _lock(file: BinaryIO, *, wait: bool) -> None:
    """Raises OSError where another has the lock and is not waited for, or there are no locks."""
    if not fcntl:
        raise OSError("there are no locks on this system")
    fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
