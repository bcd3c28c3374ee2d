"""Data and judges that came with requests, kept beside the store for as long as runs need them."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from adjudge.datasets.formats import format_for
from adjudge.errors import StoreError, UsageError

_PACKED = ".gz"


class Uploads:
    """Files named by the SHA-256 of their content: the same content is the same file."""

    def __init__(self, store: Path) -> None:
        self.folder = store.parent / "uploads"

    def keep(self, pieces: Iterable[bytes], name: str) -> str:
        """The name under which the data are kept now; only the ending of `name` counts.

        UsageError where no data file ends like that. The file is whole or not there, and nobody
        else on the machine can read it.
        """
        return self._keep(pieces, _ending(Path(name)))

    def keep_judge(self, text: str) -> str:
        """The same for the text of a judge file."""
        return self._keep([text.encode()], ".yaml")

    def _keep(self, pieces: Iterable[bytes], ending: str) -> str:
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            return self._write(pieces, ending)
        except OSError as error:
            raise StoreError(f"{self.folder}: cannot be written: {error.strerror}.") from None

    def _write(self, pieces: Iterable[bytes], ending: str) -> str:
        digest = hashlib.sha256()
        handle, scratch = tempfile.mkstemp(dir=self.folder)  # readable by its owner alone
        try:
            with os.fdopen(handle, "wb") as file:
                for piece in pieces:
                    digest.update(piece)
                    file.write(piece)
                file.flush()
                os.fsync(file.fileno())
            kept = f"{digest.hexdigest()}{ending}"
            Path(scratch).replace(self.folder / kept)
        except BaseException:
            Path(scratch).unlink(missing_ok=True)
            raise
        return kept

    def path(self, kept: str) -> Path:
        return self.folder / kept


def _ending(name: Path) -> str:
    """Lower case; that of a packed file has two parts."""
    format_for(name)
    packed = name.suffix.casefold() == _PACKED
    ending = (Path(name.stem) if packed else name).suffix.casefold()
    if not ending:  # the name of a folder that happens to be here
        raise UsageError(f"{name}: the name has no ending that says what the file is.")
    return ending + (_PACKED if packed else "")
