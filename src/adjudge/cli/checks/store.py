"""The store that runs would be kept in."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from adjudge.errors import StoreError, UsageError
from adjudge.settings.secrets import without_secrets
from adjudge.stores.examine import examine
from adjudge.stores.modes import open_to_others
from adjudge.stores.registry import path_of

from .disk import nearest, room
from .finding import Finding


def store(url: str) -> Iterator[Finding]:
    try:
        path = path_of(url)
        told = _existing(path) if path.exists() else _to_come(path)
    except (StoreError, UsageError) as error:
        yield Finding("store", without_secrets(str(error)), "wrong")
        return
    yield Finding("store", f"{without_secrets(url)}, {told}")
    readable = open_to_others(path) if path.exists() else None
    if readable:
        yield Finding("store's mode", without_secrets(readable), "note")
    yield room("disk for the store", path)


def _existing(path: Path) -> str:
    told = examine(path)
    if not (os.access(path, os.W_OK) and os.access(path.absolute().parent, os.W_OK)):
        raise StoreError(f"{path}: cannot be written to; change that, or name another --store.")
    return f"{path.stat().st_size:,} bytes, {told}"


def _to_come(path: Path) -> str:
    above = nearest(path)
    if not above.is_dir():
        raise StoreError(f"{path}: {above} is a file; name another place with --store.")
    if not os.access(above, os.W_OK):
        raise StoreError(f"{path}: {above} is read-only; name another place with --store.")
    return "made by the first run"
