"""`python -m supply.wheel`: two builds of the same source are the same file.

Built from two copies, in other folders, with other file times and another order of hashing; the
only thing they share is SOURCE_DATE_EPOCH.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from .packages import ROOT

EPOCH = "1700000000"
SOURCES = ("src", "pyproject.toml", "README.md", "LICENSE", ".gitignore")


def built(folder: Path, seed: str) -> Path:
    """The wheel, built in `folder` from a copy of the sources."""
    for name in SOURCES:
        source, copy = ROOT / name, folder / name
        if source.is_dir():
            shutil.copytree(source, copy, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, copy)
    for number, path in enumerate(sorted(folder.rglob("*"))):
        os.utime(path, (1_600_000_000 + number, 1_600_000_000 + number * int(seed)))
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder / "out")]
    env = {**os.environ, "SOURCE_DATE_EPOCH": EPOCH, "PYTHONHASHSEED": seed}
    subprocess.run(command, cwd=folder, env=env, check=True, capture_output=True)
    return next((folder / "out").glob("*.whl"))


def hashes(scratch: Path) -> list[str]:
    """SHA-256 of two wheels."""
    made = [built(scratch / name, seed) for name, seed in (("one", "1"), ("another/place", "2"))]
    return [hashlib.sha256(path.read_bytes()).hexdigest() for path in made]


def main() -> int:
    with tempfile.TemporaryDirectory() as scratch:
        one, other = hashes(Path(scratch))
    print(f"wheel: sha256 {one}, {'the same twice' if one == other else f'then {other}'}")
    return int(one != other)


if __name__ == "__main__":
    sys.exit(main())
