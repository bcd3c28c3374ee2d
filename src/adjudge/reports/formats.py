"""Files of verdict rows: the ending picks the format. A new format is a module and a line here."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import BinaryIO

from adjudge.errors import AdjudgeError, UsageError

from . import csv_file, html, json_file, jsonl, markdown
from .rows import Rows

Writer = Callable[[Rows, BinaryIO], None]

WRITERS: Mapping[str, Writer] = {
    ".jsonl": jsonl.write,
    ".json": json_file.write,
    ".csv": csv_file.write,
    ".md": markdown.write,
    ".html": html.write,
}


def check_path(path: Path) -> Writer:
    """The writer for the file; UsageError when it could not be written.

    To be called before anything is spent. Looks, but leaves no trace.
    """
    writer = WRITERS.get(path.suffix.casefold())
    if writer is None:
        said = f"the ending {path.suffix!r} is unknown" if path.suffix else "the name has no ending"
        raise UsageError(f"{path}: {said}; results end in one of: {', '.join(WRITERS)}")
    if path.is_dir():
        raise UsageError(f"{path}: is a folder; name a file in it")
    folder = path.resolve().parent
    if not folder.is_dir():
        raise UsageError(f"{path}: the folder {folder} is not there; create it: mkdir -p {folder}")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise UsageError(f"{path}: the folder {folder} cannot be written to; choose another")
    return writer


def write_file(path: Path, rows: Rows) -> None:
    """Writes the rows in the format of the ending.

    The file appears as a whole or not at all: it is written under another name beside its place
    and then moved there. What a link points to is replaced, not the link.
    """
    writer = check_path(path)
    place = path.resolve()
    draft = place.with_name(f".{place.name}.{secrets.token_hex(4)}.tmp")
    try:
        with draft.open("xb") as out:
            writer(rows, out)
            out.flush()
            os.fsync(out.fileno())
        draft.replace(place)
    except OSError as error:
        why = error.strerror or error
        raise AdjudgeError(
            f"{path}: cannot be written ({why}); free space or choose another"
        ) from error
    finally:
        draft.unlink(missing_ok=True)
