"""Rows from standard input: written to a file first, since data is read more than once."""

from __future__ import annotations

import shutil
import sys
import tempfile
import weakref
from pathlib import Path

from adjudge.errors import AdjudgeError, UsageError

from . import gzip_file
from .base import Source
from .content import ending_of

_START = 64 * 1024
SHOWN = "stdin"


class Spooled:
    """All of standard input in a file, whose ending says what it is.

    The file is deleted once nobody holds this any more, at the latest when Python ends.
    """

    def __init__(self) -> None:
        if sys.stdin is None or sys.stdin.isatty():
            raise UsageError("-: rows come from standard input; pipe them in: … | adjudge run -")
        folder = tempfile.mkdtemp(prefix="adjudge-")
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        plain = Path(folder, SHOWN)
        try:
            with plain.open("wb") as out:
                shutil.copyfileobj(sys.stdin.buffer, out)
        except OSError as error:
            raise AdjudgeError(
                f"stdin: cannot be kept in {folder} ({error.strerror or error}); "
                "name another place for temporary files: TMPDIR=…"
            ) from error
        self.path = plain.rename(plain.with_name(f"{SHOWN}{_ending(plain)}"))


def _ending(path: Path) -> str:
    with path.open("rb") as file:
        start = file.read(_START)
        if not start.startswith(gzip_file.MAGIC):
            return ending_of(start)
        file.seek(0)
        inside = gzip_file.unpacked(Source(path, shown=SHOWN), file)
        return f"{ending_of(inside.read(_START))}{gzip_file.ENDING}"
