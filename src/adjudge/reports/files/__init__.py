"""Files of verdict rows: the ending picks the format. A new format is a module and a line here."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import BinaryIO

from adjudge.core.reason import Reason
from adjudge.errors import UsageError

from . import csv_file, html, json_file, junit, markdown, parquet
from .rows import Rows
from .whole_file import write_whole

Writer = Callable[[Rows, BinaryIO], None]

WRITERS: Mapping[str, Writer] = {
    ".jsonl": json_file.write_lines,
    ".json": json_file.write_list,
    ".csv": csv_file.write,
    ".parquet": parquet.write,
    ".md": markdown.write,
    ".html": html.write,
    ".xml": junit.write,
}


def check_path(path: Path) -> Writer:
    """The writer for the file; UsageError when it could not be written.

    To be called before anything is spent. Looks, but leaves no trace.
    """
    writer = WRITERS.get(path.suffix.casefold())
    if writer is None:
        endings = tuple(WRITERS)
        reason = (
            Reason("output.ending", ending=path.suffix, endings=endings)
            if path.suffix
            else Reason("output.no_ending", endings=endings)
        )
        raise UsageError(reason.in_file(path))
    if path.is_dir():
        raise UsageError(Reason("output.folder").in_file(path))
    folder = path.resolve().parent
    if not folder.is_dir():
        raise UsageError(Reason("output.no_folder", folder=str(folder)).in_file(path))
    if not os.access(folder, os.W_OK | os.X_OK):
        raise UsageError(Reason("output.read_only", folder=str(folder)).in_file(path))
    return writer


def write_file(path: Path, rows: Rows, before: bytes = b"") -> None:
    """Writes the rows in the format of the ending, below what comes `before` them.

    The file appears as a whole or not at all.
    """
    writer = check_path(path)

    def fill(out: BinaryIO) -> None:
        out.write(before + b"\n" if before else b"")
        writer(rows, out)

    write_whole(path, fill)
