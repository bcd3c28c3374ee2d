"""Files of verdict rows: the ending picks the format. A new format is a module and a line here.

`check_path`, `check_outputs` and `write_file` are for any of `WRITERS`; `rows.verdict_row` is a
row, the same in all of them; `labels` writes labels, `whole_file.write_whole` a file that is whole
or not there.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

from adjudge.core.reason import Reason
from adjudge.datasets import Data
from adjudge.datasets.sources import reads
from adjudge.errors import UsageError
from adjudge.extras import require

from ..blocks import Table
from . import html, junit, markdown, parquet, text, workbook
from .rows import Rows
from .whole_file import write_whole

Writer = Callable[[Rows, BinaryIO], None]

WRITERS: Mapping[str, Writer] = {
    ".jsonl": text.write_lines,
    ".json": text.write_list,
    ".csv": text.write_csv,
    ".xlsx": workbook.write,
    ".parquet": parquet.write,
    ".md": markdown.write,
    ".html": html.write,
    ".xml": junit.write,
}


def check_path(
    path: Path, endings: Sequence[str] = tuple(WRITERS), refusal: Reason | None = None
) -> None:
    """UsageError when the file could not be written; `refusal` where it has no such ending.

    To be called before anything is spent. Looks, but leaves no trace.
    """
    if path.suffix.casefold() not in endings:
        known = {"endings": tuple(endings)}
        none = Reason("output.no_ending", **known)
        other = Reason("output.ending", ending=path.suffix, **known) if path.suffix else none
        raise UsageError((refusal or other).in_file(path))
    if path.suffix.casefold() == ".parquet":
        require("parquet", f"-o {path.name}")
    if path.is_dir():
        raise UsageError(Reason("output.folder").in_file(path))
    folder = path.resolve().parent
    if not folder.is_dir():
        raise UsageError(Reason("output.no_folder", folder=str(folder)).in_file(path))
    if not os.access(folder, os.W_OK | os.X_OK):
        raise UsageError(Reason("output.read_only", folder=str(folder)).in_file(path))


def write_file(
    path: Path, rows: Rows, before: bytes = b"", means: Callable[[], Table] | None = None
) -> None:
    """Writes the rows in the format of the ending, below what comes `before` them; a workbook and a
    page show the table of `means` too.

    The file appears as a whole or not at all.
    """
    check_path(path)
    writer = WRITERS[path.suffix.casefold()]

    def fill(out: BinaryIO) -> None:
        if writer in (workbook.write, html.write):
            writer(rows, out, means() if means else None)  # these take it
            return
        out.write(before + b"\n" if before else b"")
        writer(rows, out)

    write_whole(path, fill)


def check_outputs(files: Sequence[Path], data: str | Data, chosen: Sequence[object]) -> None:
    """UsageError where the results would overwrite what the run reads: data, judge or model."""
    names = [str(name) for name in (data, *chosen) if isinstance(name, str | Path)]
    read = [*names, *(name.partition(":")[2] for name in names)]
    for path in files:
        check_path(path)
        for name in read if path.exists() else ():
            if Path(name).exists() and path.samefile(name):
                raise UsageError(Reason("output.takes_place", name=name).in_file(path))
        if isinstance(data, str) and reads(data, path):
            raise UsageError(Reason("output.is_data", data=data).in_file(path))
