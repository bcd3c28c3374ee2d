"""Data and judges that came with requests, kept beside the store for as long as runs need them."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import tempfile
import time
from collections.abc import Container, Iterable
from contextlib import suppress
from pathlib import Path

from adjudge.datasets.formats import format_for
from adjudge.datasets.unpacked_size import check_unpacked
from adjudge.errors import StoreError, UsageError

_PACKED = ".gz"
_SPARED = 600.0  # seconds that what no job needs is kept: a request may be about to need it
_KEPT = re.compile(r"[0-9a-f]{64}(\.[a-z0-9]+)+|tmp\w{8}")
_IN_COMMANDS = "UTF-8 |> |-c "  # what stands before a file in the commands that we advise


class Uploads:
    """Files named by the SHA-256 of their content: the same content is the same file.

    `most` is in bytes, of data that are unpacked.
    """

    def __init__(self, store: Path, most: int) -> None:
        self.folder, self._most = store.parent / "uploads" / store.name, most

    def keep(self, pieces: Iterable[bytes], name: str) -> str:
        """The name under which the data are kept now; only the ending of `name` counts.

        UsageError where no data file ends like that, DataError where it unpacks to too much. The
        file is whole or not there, and nobody else on the machine can read it.
        """
        return self._keep(pieces, _ending(Path(name)), name)

    def keep_judge(self, text: str) -> str:
        """The same for the text of a judge file."""
        return self._keep([text.encode()], ".yaml", "")

    def _keep(self, pieces: Iterable[bytes], ending: str, name: str) -> str:
        try:
            for folder in (self.folder.parent, self.folder):
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            return self._write(pieces, ending, name)
        except OSError as error:
            raise StoreError(f"{self.folder}: cannot be written: {error.strerror}.") from None

    def _write(self, pieces: Iterable[bytes], ending: str, name: str) -> str:
        digest = hashlib.sha256()
        handle, scratch = tempfile.mkstemp(dir=self.folder)  # readable by its owner alone
        try:
            with os.fdopen(handle, "wb") as file:
                for piece in pieces:
                    digest.update(piece)
                    file.write(piece)
                file.flush()
                os.fsync(file.fileno())
            check_unpacked(Path(scratch), name, self._most)
            kept = f"{digest.hexdigest()}{ending}"
            Path(scratch).replace(self.folder / kept)
        except BaseException:
            Path(scratch).unlink(missing_ok=True)
            raise
        return kept

    def path(self, kept: str) -> Path:
        return self.folder / kept

    def sweep(self, needed: Container[str]) -> None:
        """Removes what has lain here for some minutes and is not needed."""
        old = time.time() - _SPARED
        with suppress(OSError):  # the folder is made by the first upload; another may sweep too
            for file in self.folder.iterdir():
                if (
                    _KEPT.fullmatch(file.name)
                    and file.name not in needed
                    and file.stat().st_mtime < old
                ):
                    file.unlink(missing_ok=True)

    def told(self, message: str, kept: str, title: str) -> str:
        """The message with the data's own name in place of the one that they are kept under."""
        digest, _, ending = kept.partition(".")
        stem = title[: -len(ending) - 1] if title.casefold().endswith(f".{ending}") else title
        message = message.replace(f"{self.folder}{os.sep}", "")

        def quoted(found: re.Match[str]) -> str:
            before, name = found.groups()
            return before + shlex.quote(title if name == kept else name.replace(digest, stem))

        message = re.sub(rf"({_IN_COMMANDS})({digest}(?:\.\w+)*)", quoted, message)
        return message.replace(kept, title).replace(digest, stem)


def _ending(name: Path) -> str:
    """Lower case; that of a packed file has two parts."""
    format_for(name)
    packed = name.suffix.casefold() == _PACKED
    ending = (Path(name.stem) if packed else name).suffix.casefold()
    if not ending:  # the name of a folder that happens to be here
        raise UsageError(f"{name}: the name has no ending that says what the file is.")
    return ending + (_PACKED if packed else "")
