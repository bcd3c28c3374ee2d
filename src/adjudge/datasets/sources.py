"""Where data come from: files by their ending, folders, standard input, tables in memory.

A new format is a module and a word in `FORMATS`.
"""

from __future__ import annotations

import glob
import shutil
import sys
import tempfile
import weakref
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple

from adjudge.core.reason import Reason
from adjudge.errors import AdjudgeError, DataError, UsageError

from . import csv_table, json_list, jsonl, kept_rows, parquet, saved_folder, textfile, workbook
from .base import ENCODING, BadRow, Cells, Format, Source
from .textfile import GZIP_ENDING as GZIP
from .textfile import check_file, encodings_read, ending_by_content, proposed_encoding

# Where a file begins that was not read yet: behind everything.
_UNREAD = 2**63


class Data:
    """All rows that one DATA stands for, in one or several files; `name` is how it was written.

    A row's place is one number: its line, counted on from file to file. `kept` holds on to what
    must not go before the data does. `alone`: there is one file, which places need not name; where
    the files are a part of all, that is not known here.
    """

    def __init__(
        self,
        name: str,
        files: Sequence[tuple[Source, Format]],
        kept: object = None,
        *,
        alone: bool | None = None,
    ) -> None:
        self.name, self.files, self._kept = name, tuple(files), kept
        self._alone = len(self.files) == 1 if alone is None else alone
        sources = [source for source, _ in self.files]
        self._names = [source.name if self._alone else str(source) for source in sources]
        # The last line before each file; found again, and the same, by every reading.
        self._before = [_UNREAD] * len(self.files)

    def rows(self) -> Iterator[tuple[int, Cells | BadRow]]:
        """Every row with its place, file after file."""
        place = 0
        for number, (source, known) in enumerate(self.files):
            self._before[number] = before = place
            for row in known.read(source):
                if isinstance(row, BadRow):
                    place = before + row.line
                    yield place, row
                else:
                    place = before + row[0]
                    yield place, row[1]

    @property
    def encodings(self) -> dict[str, str]:
        """By file, what it is read in where that is not UTF-8 and nobody has named it."""
        return encodings_read(source for source, known in self.files if known.packable)

    def place(self, place: int) -> Reason:
        """ "line 7" of a row that was read, with the file's name where there are several."""
        number = self._file(place)
        source, known = self.files[number]
        at = place - self._before[number]
        if self._alone:
            line = known.unit == "line"
            return Reason("at.row_line", line=at) if line else Reason("at.row_row", row=at)
        if known.unit == "line":
            return Reason("at.file_line", file=str(source), line=at)
        return Reason("at.file_row", file=str(source), row=at)

    def full_place(self, place: int) -> str:
        """ "answers.csv, line 7", to be understood anywhere. Not by way of a reason: every item has
        one, and hardly any is shown."""
        number = self._file(place)
        unit = self.files[number][1].unit
        return f"{self._names[number]}, {unit} {place - self._before[number]}"

    def fixed_from(self, place: int) -> bool:
        """Whether no row behind this one can bring another column."""
        number = self._file(place)
        return number == len(self.files) - 1 and self.files[number][1].fixed_columns

    def source(self, place: int) -> Source:
        """The file of a row that was read."""
        return self.files[self._file(place)][0]

    def _file(self, place: int) -> int:
        return bisect_left(self._before, place) - 1


def open_data(name: str) -> Data:
    """Finds out what is meant. DataError or UsageError where there is no such thing.

    In this order: standard input, a file or folder of that very name, a `#part` of one, a pattern.
    `#encoding=cp949` behind any of them says what its texts are written in.
    """
    plain, sign, encoding = name.rpartition(f"#{ENCODING}")
    if sign and not Path(name).exists():
        opened = open_data(plain)
        coded = [replace(source, part=f"{ENCODING}{encoding}") for source, _ in opened.files]
        return Data(name, [known_source(source) for source in coded], kept=opened)
    if name == "-":
        spooled = SpooledStdin()
        source = Source(spooled.path, shown=STDIN)
        return Data(name, ((source, format_for(spooled.path)),), kept=spooled)
    path = Path(name)
    if _exists(path):
        return Data(name, (known_source(Source(path)),))
    parted = _parted(name)
    if parted:
        return Data(name, (known_source(parted),))
    if glob.has_magic(name):
        return Data(name, tuple(known_source(Source(match)) for match in _matches(name)))
    check_file(path)  # says that it is not there, and what is
    raise AssertionError(name)


class FileLook(NamedTuple):
    """What a person may have to choose before rows can be read: one of the `tables` (sheets, keys)
    where there are several, and what a text is written in where that is not UTF-8."""

    tables: list[str]
    encoding: str | None


def look_into(source: Source) -> FileLook:
    """DataError where the file cannot be read at all."""
    source, known = known_source(source)
    encoding = proposed_encoding(source) if known.packable else None
    if encoding:
        source = replace(source, part=f"{ENCODING}{encoding}")
    return FileLook(known.tables(source) if known.tables else [], encoding)


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError) as error:  # longer than any name, or with a NUL in it
        why = Reason("file.no_path", why=getattr(error, "strerror", None) or str(error))
        raise DataError(why.in_file(f"{str(path)[:60]}…")) from None


def reads(name: str, path: Path) -> bool:
    """Whether `path` is among the files that DATA stands for, or would be once it is written."""
    if glob.has_magic(name) and not Path(name).exists():
        pattern = Path(name)
        folders = {folder.resolve() for folder in _found(str(pattern.parent))}
        return fnmatch(path.name, pattern.name) and path.resolve().parent in folders
    parted = _parted(name)
    file = parted.path if parted else Path(name)
    return file.exists() and path.exists() and file.samefile(path)


def known_source(source: Source) -> tuple[Source, Format]:
    """With its format; DataError or UsageError where its part, or its encoding, cannot be."""
    known = format_for(source.path)
    if not source.path.is_dir():
        check_file(source.path)
    if source.encoding is not None:
        if not known.packable:  # a workbook or Parquet file, which says itself what it is in
            raise UsageError(Reason("file.no_encoding").in_file(source.path))
        return source, known
    if source.part is not None and not known.parts:
        raise UsageError(Reason("file.no_parts", part=source.part).in_file(source))
    return source, known


def _parted(name: str) -> Source | None:
    """The file before the last `#` that leaves one, and the part behind it."""
    place = name.rfind("#")
    while place > 0:
        path = Path(name[:place])
        if path.exists():
            return Source(path, part=name[place + 1 :])
        place = name.rfind("#", 0, place)
    return None


def _matches(pattern: str) -> list[Path]:
    files = [path for path in _found(pattern) if path.is_file()]
    if not files:
        raise DataError(Reason("file.no_match").in_file(pattern))
    return files


def _found(pattern: str) -> list[Path]:
    # Path.glob takes no absolute patterns, and it finds hidden files, which a shell would not.
    return [Path(name) for name in sorted(glob.glob(pattern, recursive=True))]  # noqa: PTH207


FORMATS: tuple[Format, ...] = (
    jsonl.FORMAT,
    json_list.FORMAT,
    csv_table.FORMAT,
    csv_table.TABS,
    parquet.FORMAT,
    workbook.FORMAT,
)


_OLD_WORKBOOKS = (".xls", ".xlt")


def known_endings() -> tuple[str, ...]:
    return tuple(ending for known in FORMATS for ending in known.endings)


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
    if ending in _OLD_WORKBOOKS:
        raise UsageError(Reason("file.old_workbook").in_file(path))
    endings = ", ".join(known_endings())
    if packed:
        raise UsageError(_packed(inner).in_file(path))
    if path.suffix:
        raise UsageError(Reason("file.ending", ending=path.suffix, endings=endings).in_file(path))
    raise UsageError(Reason("file.no_ending", endings=endings).in_file(path))


def _packed(inner: Path) -> Reason:
    endings = ", ".join(
        f"{ending}{GZIP}" for known in FORMATS if known.packable for ending in known.endings
    )
    if any(inner.suffix.casefold() in known.endings for known in FORMATS):
        return Reason("file.packed_twice", ending=inner.suffix, name=inner.name)
    if inner.suffix:
        return Reason("file.packed_unknown", ending=inner.suffix, endings=endings)
    return Reason("file.packed_unnamed", endings=endings)


_STDIN_START = 64 * 1024
STDIN = "stdin"


class SpooledStdin:
    """All of standard input in a file, whose ending says what it is.

    The file is deleted once nobody holds this any more, at the latest when Python ends.
    """

    def __init__(self) -> None:
        if sys.stdin is None or sys.stdin.isatty():
            raise UsageError(Reason("file.no_stdin"))
        folder = tempfile.mkdtemp(prefix="adjudge-")
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        plain = Path(folder, STDIN)
        try:
            with plain.open("wb") as out:
                shutil.copyfileobj(sys.stdin.buffer, out)
        except OSError as error:
            raise AdjudgeError(
                Reason("file.stdin_not_kept", folder=folder, why=str(error.strerror or error))
            ) from error
        self.path = plain.rename(plain.with_name(f"{STDIN}{_stdin_ending(plain)}"))


def _stdin_ending(path: Path) -> str:
    with path.open("rb") as file:
        start = file.read(_STDIN_START)
        if not start.startswith(textfile.GZIP_MAGIC):
            return ending_by_content(start)
        file.seek(0)
        inside = textfile.unpack_gzip(Source(path, shown=STDIN), file)
        return f"{ending_by_content(inside.read(_STDIN_START))}{textfile.GZIP_ENDING}"
