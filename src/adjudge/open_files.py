"""Whether this process may open no more files, and what to do about it."""

from __future__ import annotations

import errno
import os
from contextlib import ExitStack
from pathlib import Path

from adjudge.core.reason import Reason

try:
    import resource  # at once: with no file left to open it could not be loaded any more
except ImportError:  # not everywhere
    resource = None  # type: ignore[assignment]

_NEEDED = 3  # a SQLite database, its log and the index of that
_USUAL = 1024
_FULL = frozenset({errno.EMFILE, errno.ENFILE})


def remedy(error: OSError) -> Reason | None:
    """What to do where the error says that too many files are open; None for any other error."""
    return _remedy() if error.errno in _FULL else None


def remedy_if_full() -> Reason | None:
    """The same where a library does not say why it could not open a file: it is tried out."""
    try:
        with ExitStack() as opened:
            for _ in range(_NEEDED):
                opened.enter_context(Path(os.devnull).open("rb"))
    except OSError as error:
        return remedy(error)
    return None


def _remedy() -> Reason:
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[0] if resource else 0
    return Reason("file.most_open", most=most, usual=_USUAL) if most else Reason("file.open")
