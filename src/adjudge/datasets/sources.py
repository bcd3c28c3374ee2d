"""What a user names as DATA: a file, a part of one, a folder, a pattern, or `-`."""

from __future__ import annotations

import glob
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from fnmatch import fnmatch
from pathlib import Path

from adjudge.errors import DataError, UsageError

from . import stdin
from .base import BadRow, Cells, Format, Source
from .formats import format_for
from .textfile import check_file

# Where a file begins that was not read yet: behind everything.
_UNREAD = 2**63


class Data:
    """All rows that one DATA stands for, in one or several files; `name` is how it was written.

    A row's place is one number: its line, counted on from file to file. `kept` holds on to what
    must not go before the data does.
    """

    def __init__(
        self, name: str, files: Sequence[tuple[Source, Format]], kept: object = None
    ) -> None:
        self.name, self.files, self._kept = name, tuple(files), kept
        # The last line before each file; found out anew, and the same, by every reading.
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

    def place(self, place: int) -> str:
        """ "line 7" of a row that was read, with the file's name where there are several."""
        number = self._file(place)
        source, known = self.files[number]
        line = f"{known.unit} {place - self._before[number]}"
        return line if len(self.files) == 1 else f"{source}, {line}"

    def full_place(self, place: int) -> str:
        """ "answers.csv, line 7", to be understood anywhere."""
        if len(self.files) > 1:
            return self.place(place)
        return f"{self.files[0][0].name}, {self.place(place)}"

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
    """
    if name == "-":
        spooled = stdin.Spooled()
        source = Source(spooled.path, shown=stdin.SHOWN)
        return Data(name, ((source, format_for(spooled.path)),), kept=spooled)
    path = Path(name)
    if path.exists():
        return Data(name, (_known(Source(path)),))
    parted = _parted(name)
    if parted:
        return Data(name, (_known(parted),))
    if glob.has_magic(name):
        return Data(name, tuple(_known(Source(found)) for found in _matches(name)))
    check_file(path)  # says that it is not there, and what is
    raise AssertionError(name)


def reads(name: str, path: Path) -> bool:
    """Whether `path` is among the files that DATA stands for, or would be once it is written."""
    if glob.has_magic(name) and not Path(name).exists():
        pattern = Path(name)
        folders = {folder.resolve() for folder in _found(str(pattern.parent))}
        return fnmatch(path.name, pattern.name) and path.resolve().parent in folders
    parted = _parted(name)
    file = parted.path if parted else Path(name)
    return file.exists() and path.exists() and file.samefile(path)


def _known(source: Source) -> tuple[Source, Format]:
    known = format_for(source.path)
    if not source.path.is_dir():
        check_file(source.path)
    if source.part is not None and not known.parts:
        raise UsageError(f"{source}: such a file has no parts; leave out '#{source.part}'")
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
        raise DataError(f"{pattern}: no file matches the pattern; check it, and the folder")
    return files


def _found(pattern: str) -> list[Path]:
    # Path.glob takes no absolute patterns, and it finds hidden files, which a shell would not.
    return [Path(name) for name in sorted(glob.glob(pattern, recursive=True))]  # noqa: PTH207
