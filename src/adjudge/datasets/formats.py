"""The data formats, found by a file's ending. A new one is a module and a word here."""

from __future__ import annotations

from pathlib import Path

from adjudge.errors import UsageError

from . import csv_table, jsonl
from .base import Format

FORMATS: tuple[Format, ...] = (jsonl.FORMAT, csv_table.FORMAT)


def format_for(path: Path) -> Format:
    """The format that the ending names, in upper or lower case."""
    ending = path.suffix.casefold()
    for known in FORMATS:
        if ending in known.endings:
            return known
    endings = ", ".join(ending for known in FORMATS for ending in known.endings)
    said = f"the ending {path.suffix!r} is unknown" if path.suffix else "the name has no ending"
    raise UsageError(f"{path}: {said}; data files end in one of: {endings}")
