from __future__ import annotations

import shutil
from pathlib import Path

from .finding import Finding, State

# Below this a run could fail in the middle: a store grows by some kilobytes a verdict.
_LEAST, _COMFORTABLE = 10 << 20, 1 << 30


def free_at(path: Path) -> int:
    """Bytes that are free where the path is, or will be."""
    return shutil.disk_usage(nearest(path)).free


def nearest(path: Path) -> Path:
    """The path itself or the nearest folder above it that exists."""
    whole = path.absolute()
    return next(each for each in (whole, *whole.parents) if each.exists())


def room(what: str, path: Path) -> Finding:
    free = free_at(path)
    state: State = "wrong" if free < _LEAST else "note" if free < _COMFORTABLE else "ok"
    return Finding(what, f"{free / 1e9:,.1f} GB free at {nearest(path)}", state)
