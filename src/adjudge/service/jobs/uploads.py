"""Data and judges that came with requests, kept beside the store for as long as runs need them.

Services that share a store on a server keep them in it, and each has copies of its own in a folder
that goes with it.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from adjudge import open_files
from adjudge.core.reason import Reason, reason_of
from adjudge.datasets import FileLook, Source, format_for, kept_rows
from adjudge.datasets.base import Cells
from adjudge.datasets.isolated import WorkerLimits, Workers
from adjudge.errors import AdjudgeError, DataError, StoreError, UsageError
from adjudge.stores.uploads import KeptUploads

_PACKED = ".gz"
_PIECE = 2**20  # bytes
_SPARED = 600.0  # seconds that what no job needs is kept: a request may be about to need it
_KEPT = re.compile(r"([0-9a-f]{64}|tmp\w{8})(\.[a-z0-9]+)*")
_LOOKS = 64  # into files, that are remembered
_OF_ROWS = ".jsonl"  # what rows without a file are as good as
_IN_COMMANDS = "UTF-8 |> |-c "  # what stands before a file in the commands that we advise


class Uploads:
    """Files named by the SHA-256 of their content: the same content is the same file.

    Of data only the rows are kept, in our own form; a worker takes them out of what was sent.
    `needed` tells what jobs need that have not ended.
    """

    def __init__(
        self,
        store: Path,
        limits: WorkerLimits,
        needed: Callable[[], Container[str]] = frozenset,
        shared: KeptUploads | None = None,
    ) -> None:
        self.folder, self._needed = store.parent / "uploads" / store.name, needed
        self._shared = shared
        self.workers = Workers(limits)
        self._lock = threading.Lock()
        self._in_hand: Counter[str] = Counter()  # by requests that are not answered yet
        self._request = threading.local()
        self._looks: dict[str, FileLook] = {}

    @contextmanager
    def request(self) -> Iterator[None]:
        """What is kept inside, in this thread, goes again where that raises: it was refused."""
        kept = self._request.kept = list[str]()
        try:
            yield
        except BaseException:
            self._release(kept)
            self._remove(set(kept))
            raise
        else:
            self._release(kept)
        finally:
            self._request.kept = None

    def keep(self, pieces: Iterable[bytes], name: str, part: str = "") -> str:
        """The name under which the rows are kept now, or those of a `part` of the file: see
        `Source`. Only the ending of `name` counts.

        UsageError where no data file ends like that, DataError where it cannot be read within the
        limits. The file is whole or not there, and nobody else on the machine can read it.
        """
        ending = _ending(Path(name))
        with self._written(pieces, ending) as (sent, digest):
            return self._keep_rows_of(sent, name, _rows_of(f"{digest}{ending}", part), part)

    def keep_sent(self, pieces: Iterable[bytes], name: str) -> str:
        """The file as it was sent, for some minutes: somebody has to choose its sheet first."""
        return self._keep(pieces, _ending(Path(name)))

    def sent(self, kept: str) -> Path:
        """What `keep_sent` kept, for some minutes more; UsageError where it is gone."""
        file = self.path(kept) if _KEPT.fullmatch(kept) else None
        if file is None or not file.exists():
            raise UsageError(Reason("form.sent_gone"))
        file.touch()
        return file

    def look(self, kept: str, title: str) -> FileLook:
        """What there is to choose about a file that was sent."""
        sent = self.sent(kept)
        if kept not in self._looks:
            with self._in_names(kept, title):
                look = self.workers.look(sent, title)
            if len(self._looks) >= _LOOKS:
                self._looks.clear()
            self._looks[kept] = look
        return self._looks[kept]

    def keep_table(self, kept: str, title: str, part: str = "") -> str:
        """The rows of a file that was sent, or of a `part` of it: see `Source`. They are taken out
        once, and stay as long as the file."""
        sent = self.sent(kept)
        rows = _rows_of(kept, part)
        if self.path(rows).exists():
            self.path(rows).touch()
            return rows
        return self._keep_rows_of(sent, title, rows, part)

    def _keep_rows_of(self, sent: Path, title: str, kept: str, part: str) -> str:
        with self._scratch(kept_rows.ENDING) as out, self._in_names(sent.name, title):
            with out.open("wb") as rows:
                self.workers.write_rows(Source(sent, part or None), title, rows)
                os.fsync(rows.fileno())
            return self._named(out, kept)

    @contextmanager
    def _in_names(self, kept: str, title: str) -> Iterator[None]:
        try:
            yield
        except (DataError, UsageError) as error:
            reason = reason_of(error)
            renamed = reason.with_texts(lambda text: self.in_user_names(text, kept, title))
            raise type(error)(renamed) from None

    def keep_rows(self, rows: Iterable[Cells]) -> str:
        """The same for rows that came as JSON in a request."""
        lines = kept_rows.lines(enumerate(rows, 1))
        return self._keep(lines, f"{_OF_ROWS}{kept_rows.ENDING}")

    def keep_judge(self, text: str) -> str:
        """The same for the text of a judge file."""
        return self._keep([text.encode()], ".yaml")

    def _keep(self, pieces: Iterable[bytes], ending: str) -> str:
        with self._written(pieces, ending) as (file, digest):
            return self._named(file, f"{digest}{ending}")

    @contextmanager
    def _written(self, pieces: Iterable[bytes], ending: str) -> Iterator[tuple[Path, str]]:
        """A file with what came, for the time being, and the SHA-256 of that."""
        digest = hashlib.sha256()
        with self._scratch(ending) as scratch:
            with self._store_errors(), scratch.open("wb") as file:
                for piece in pieces:
                    digest.update(piece)
                    file.write(piece)
                file.flush()
                os.fsync(file.fileno())
            yield scratch, digest.hexdigest()

    @contextmanager
    def _scratch(self, ending: str) -> Iterator[Path]:
        with self._store_errors():
            for folder in (self.folder.parent, self.folder):
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle, made = tempfile.mkstemp(suffix=ending, dir=self.folder)  # for its owner alone
        os.close(handle)
        try:
            yield Path(made)
        finally:
            Path(made).unlink(missing_ok=True)

    @contextmanager
    def _store_errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            why, remedy = error.strerror, open_files.remedy(error)
            reason = Reason("store.uploads", why=why)
            if remedy:
                reason = Reason("store.uploads_since", why=why, remedy=remedy)
            raise StoreError(reason.in_file(self.folder)) from None

    def _named(self, file: Path, kept: str) -> str:
        with self._lock, self._store_errors():
            held: list[str] | None = getattr(self._request, "kept", None)
            if held is not None:
                held.append(kept)
                self._in_hand[kept] += 1
            file.replace(self.folder / kept)
            if self._shared:
                self._shared.put(kept, self.folder / kept)
        return kept

    def _release(self, kept: Iterable[str]) -> None:
        with self._lock:
            self._in_hand.subtract(kept)
            self._in_hand = +self._in_hand

    def _remove(self, kept: Iterable[str]) -> None:
        """Unless another request or a job has the same data."""
        with suppress(AdjudgeError):  # the store cannot be asked: it is left to `sweep`
            needed = self._needed()
            with self._lock:
                self.remove(name for name in kept if name not in needed and not self._in_hand[name])

    def remove(self, kept: Iterable[str]) -> None:
        names = [*kept]
        for name in names:
            (self.folder / name).unlink(missing_ok=True)
        if self._shared and names:
            self._shared.remove(names)

    def path(self, kept: str) -> Path:
        """Where it is to be read, brought there from the store where another service kept it."""
        file = self.folder / kept
        if self._shared and not file.exists():
            with self._scratch("") as scratch:
                if self._shared.fetch(kept, scratch):
                    scratch.replace(file)
        return file

    def close(self) -> None:
        """Removes our own copies of what the store has."""
        if self._shared:
            shutil.rmtree(self.folder.parents[1], ignore_errors=True)

    def sweep(self, needed: Container[str]) -> None:
        """Removes what has lain here for some minutes and is not needed."""
        if self._shared:
            self._shared.sweep(needed, _SPARED)
        old = time.time() - _SPARED
        with suppress(OSError):  # the folder is made by the first upload; another may sweep too
            for file in self.folder.iterdir():
                if (
                    _KEPT.fullmatch(file.name)
                    and file.name not in needed
                    and file.stat().st_mtime < old
                ):
                    file.unlink(missing_ok=True)

    def in_user_names(self, message: str, kept: str, title: str) -> str:
        """The message with the data's own name in place of the one that they are kept under."""
        digest, _, ending = kept.removesuffix(kept_rows.ENDING).partition(".")
        stem = title[: -len(ending) - 1] if title.casefold().endswith(f".{ending}") else title
        message = message.replace(f"{self.folder}{os.sep}", "")

        def quoted(match: re.Match[str]) -> str:
            before, name = match.groups()
            return before + shlex.quote(title if name == kept else name.replace(digest, stem))

        message = re.sub(rf"({_IN_COMMANDS})({digest}(?:\.\w+)*)", quoted, message)
        return message.replace(kept, title).replace(digest, stem)


def _rows_of(kept: str, part: str) -> str:
    """What the rows of a file that was sent are kept as: another part has other rows."""
    digest, dot, ending = kept.partition(".")
    if part:
        digest = hashlib.sha256(f"{kept}#{part}".encode()).hexdigest()
    return f"{digest}{dot}{ending}{kept_rows.ENDING}"


def pieces_of(file: BinaryIO) -> Iterator[bytes]:
    """The content of a file that came, in pieces that fit into memory."""
    return iter(lambda: file.read(_PIECE), b"")


def _ending(name: Path) -> str:
    """Lower case; that of a packed file has two parts."""
    format_for(name)
    packed = name.suffix.casefold() == _PACKED
    ending = (Path(name.stem) if packed else name).suffix.casefold()
    if not ending:  # the name of a folder that happens to be here
        raise UsageError(Reason("form.no_ending").in_file(name))
    return ending + (_PACKED if packed else "")
