"""The data formats, found by a file's ending. A new one is a module and a word here."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from adjudge.errors import UsageError

from . import csv_table, json_list, jsonl, kept_rows, parquet, saved_folder, workbook
from .base import Format
from .gzip_file import ENDING as GZIP

FORMATS: tuple[Format, ...] = (
    jsonl.FORMAT,
    json_list.FORMAT,
    csv_table.FORMAT,
    csv_table.TABS,
    parquet.FORMAT,
    workbook.FORMAT,
)


def format_for(path: Path) -> Format:
    """The format that the ending names, in upper or lower case; folders have their own."""
    if path.is_dir():
        return saved_folder.FORMAT
    if path.suffix == kept_rows.ENDING:
        return replace(format_for(Path(path.stem)), read=kept_rows.read)
    packed = path.suffix.casefold() == GZIP
    inner = Path(path.stem) if packed else path
    ending = inner.suffix.casefold()
    for known in FORMATS:
        if ending in known.endings and (known.packable or not packed):
            return known
    endings = ", ".join(ending for known in FORMATS for ending in known.endings)
    if packed:
        raise UsageError(f"{path}: {_packed(inner)}")
    said = f"the ending {path.suffix!r} is unknown" if path.suffix else "the name has no ending"
    raise UsageError(f"{path}: {said}; data files end in one of: {endings}")


def _packed(inner: Path) -> str:
    endings = ", ".join(
        f"{ending}{GZIP}" for known in FORMATS if known.packable for ending in known.endings
    )
    if any(inner.suffix.casefold() in known.endings for known in FORMATS):
        return f"{inner.suffix} is packed already; unpack it (gunzip) and name {inner.name}"
    said = f"{inner.suffix!r} before {GZIP} is unknown" if inner.suffix else "the name does not say"
    return f"{said} what is packed; name it with one of: {endings}"
