"""Files from strangers are taken apart in a process of its own, which may use only so much.

A new worker is started for each file (no fork: nothing of ours is in its memory, and no key in
its environment), reads the file and writes its rows in the plain form of `kept_rows`. The system
holds it to its memory, its processor time and the size of what it writes, and we to the time by
the clock. What comes back is JSON: rows in a file, and a last word on how it ended.
"""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import tempfile
import threading
import zipfile
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from adjudge.core.reason import Reason, reason_of
from adjudge.errors import AdjudgeError, DataError, UsageError

from . import kept_rows, textfile
from .base import Source
from .sources import FileLook, known_source, look_into
from .textfile import open_bytes

_AT_ONCE = 2  # workers; others wait for their turn
_LOOK = "--look"
_LAST_WORD = 64 * 1024  # bytes
_PASSED_ON = ("PATH", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT")
_FRUGAL = {  # libraries reserve memory for each processor otherwise
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "MALLOC_ARENA_MAX": "2",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
}
_ERRORS = {"data": DataError, "usage": UsageError}


@dataclass(frozen=True, slots=True)
class WorkerLimits:
    """`size` is the most bytes of rows that come out of a file, `memory` those of the worker;
    `seconds` are by the clock."""

    size: int
    memory: int = 1024 * 1024 * 1024
    seconds: int = 120


class Workers:
    """Every method may be called from any thread."""

    def __init__(self, limits: WorkerLimits) -> None:
        self._limits = limits
        self._turns = threading.BoundedSemaphore(_AT_ONCE)
        self._lock = threading.Lock()
        self._under_way: set[subprocess.Popen[bytes]] = set()
        self._closed = False

    def write_rows(self, source: Path | Source, name: str, out: BinaryIO) -> None:
        """Writes the rows of the file to `out`, which is a file too; blocks.

        DataError or UsageError, with `name` or the file's own in it, where it cannot be read.
        """
        known = source if isinstance(source, Source) else Source(source)
        self._end_of([str(known.path), *([known.part] if known.part else [])], name, out)

    def look(self, path: Path, name: str) -> FileLook:
        """What there is to choose about the file, likewise."""
        with tempfile.TemporaryFile() as out:
            self._end_of([_LOOK, str(path)], name, out)
            out.seek(0)
            return FileLook(*orjson.loads(out.read()))

    def _end_of(self, words: list[str], name: str, out: BinaryIO) -> None:
        with self._turns, self._started(words, out) as worker:
            late = threading.Event()

            def kill() -> None:
                late.set()
                worker.kill()

            timer = threading.Timer(self._limits.seconds, kill)
            timer.start()
            try:
                output = worker.stderr.read(_LAST_WORD) if worker.stderr else b""
                worker.kill()  # where it continues after its last word
                worker.wait()
            finally:
                timer.cancel()
                with self._lock:
                    self._under_way.discard(worker)
            self._check(output, name, late=late.is_set())

    def close(self) -> None:
        """Ends the workers under way; no more are started."""
        with self._lock:
            self._closed = True
            for worker in self._under_way:
                worker.kill()

    def _started(self, words: list[str], out: BinaryIO) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._closed:
                raise DataError(Reason("file.service_ends"))
            limits = orjson.dumps(asdict(self._limits)).decode()
            worker = subprocess.Popen(  # noqa: S603 - our own module
                [sys.executable, "-P", "-m", __name__, limits, *words],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.PIPE,
                env=_environment(),
            )
            self._under_way.add(worker)
            return worker

    def _check(self, output: bytes, name: str, *, late: bool) -> None:
        limits = self._limits
        if late:
            raise DataError(Reason("file.slow", seconds=limits.seconds).in_file(name))
        match _last_word(output):
            case {"ended": "done"}:
                return
            case {"ended": "size"}:
                raise DataError(Reason("file.too_large", most=limits.size).in_file(name))
            case {"ended": "data" | "usage" as kind, "why": why}:
                raise _ERRORS[kind](Reason.of(why))
            case {"ended": "memory"}:
                pass
            case _ if self._closed:
                raise DataError(Reason("file.service_ends"))
            case {"ended": "failed", "why": str(why)}:
                raise DataError(Reason("file.unread", why=why).in_file(name))
        raise DataError(Reason("file.memory", memory=limits.memory).in_file(name))


def _environment() -> dict[str, str]:
    passed = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    # From where this process loads its modules, the worker does too.
    return passed | _FRUGAL | {"PYTHONPATH": os.pathsep.join(filter(os.path.isabs, sys.path))}


def _last_word(output: bytes) -> Any:
    """The last line; libraries may have complained before it."""
    try:
        return orjson.loads(output.splitlines()[-1])
    except (IndexError, orjson.JSONDecodeError):
        return None


def _obey(limits: WorkerLimits) -> None:
    try:
        import resource  # noqa: PLC0415 - not everywhere
    except ImportError:
        return
    for what, most in (
        (resource.RLIMIT_AS, limits.memory),
        (resource.RLIMIT_CPU, limits.seconds),
        (resource.RLIMIT_FSIZE, limits.size),
        (resource.RLIMIT_CORE, 0),
    ):
        _, highest = resource.getrlimit(what)
        allowed = most if highest == resource.RLIM_INFINITY else min(most, highest)
        resource.setrlimit(what, (allowed, allowed))


def _work(limits: WorkerLimits, words: list[str]) -> dict[str, str | Reason]:
    """The words are a file, with the part of it that is meant; or that it is to be looked into."""
    _obey(limits)
    looks = words[0] == _LOOK
    source = Source(Path(words[looks]), None if looks else next(iter(words[1:]), None))
    try:
        check_unpacked(source.path, source.path.name, limits.size)
        if looks:
            sys.stdout.buffer.write(orjson.dumps([*look_into(source)]))
        else:
            source, known = known_source(source)
            read_in = textfile.encoding_read(source) if known.packable else None
            kept_rows.write(known.read(source), sys.stdout.buffer, read_in)
        sys.stdout.buffer.flush()
    except Exception as error:  # the file's fault: our own are found by the tests
        return _ending(error)
    return {"ended": "done"}


def _ending(error: Exception) -> dict[str, str | Reason]:
    match error:
        case MemoryError():
            return {"ended": "memory"}
        case UsageError():
            return {"ended": "usage", "why": reason_of(error)}
        case AdjudgeError():
            return {"ended": "data", "why": reason_of(error)}
        case OSError(errno=errno.EFBIG):
            return {"ended": "size"}
    return {"ended": "failed", "why": type(error).__name__}


_PIECE = 2**20


def check_unpacked(path: Path, name: str, most: int) -> None:
    """DataError where the data are more than `most` bytes once they are unpacked.

    `name` says by its ending what the file is. Workbooks and Parquet say their size themselves;
    gzip is unpacked as far as `most`. A file that is broken is left to its reader.
    """
    match Path(name).suffix.casefold():
        case textfile.GZIP_ENDING:
            size = _gzip(Source(path, shown=name), most)
        case ".xlsx":
            size = _zip(path)
        case ".parquet":
            size = _parquet(path)
        case _:
            return
    if size > most:
        raise DataError(Reason("file.too_large", most=most).in_file(name))


def _gzip(source: Source, most: int) -> int:
    size = 0
    with suppress(DataError), textfile.unpack_gzip(source, open_bytes(source)) as inside:
        while size <= most and (piece := inside.read(_PIECE)):
            size += len(piece)
    return size


def _zip(path: Path) -> int:
    try:
        with zipfile.ZipFile(path) as packed:
            return sum(file.file_size for file in packed.infolist())
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return 0


def _parquet(path: Path) -> int:
    from pyarrow import ArrowException, parquet  # noqa: PLC0415 - slow to load

    try:
        metadata = parquet.read_metadata(path)
    except (ArrowException, OSError, ValueError):
        return 0
    groups = map(metadata.row_group, range(metadata.num_row_groups))
    return sum(group.total_byte_size for group in groups)


if __name__ == "__main__":
    ended = _work(WorkerLimits(**orjson.loads(sys.argv[1])), sys.argv[2:])
    sys.stderr.buffer.write(b"\n" + orjson.dumps(ended))
    sys.stderr.flush()
    os._exit(0)  # what is left in buffers is of no use
