"""Opening a UTF-8 file, or saying what is wrong with it as a whole."""

from __future__ import annotations

import codecs
import shlex
from difflib import get_close_matches
from pathlib import Path
from typing import BinaryIO

from adjudge.errors import DataError

_SAMPLE = 64 * 1024
# Below this many undecodable lines it may be a stray byte, which is the row's fault alone.
_CLEARLY = 3

_WIDE_MARKS = {
    codecs.BOM_UTF32_LE: "UTF-32",  # before UTF-16, whose mark it begins with
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}

SAVE_AS_UTF8 = "save the file as UTF-8"


def check_file(path: Path) -> None:
    """Raises DataError unless there is a regular file: rows are read more than once."""
    if path.is_dir():
        raise DataError(f"{path}: is a folder; name a file in it")
    if not path.exists():
        names = [other.name for other in path.parent.iterdir()] if path.parent.is_dir() else []
        close = get_close_matches(path.name, names, n=1)
        hint = f"did you mean {path.with_name(close[0])}?" if close else "check the path"
        raise DataError(f"{path}: there is no such file; {hint}")
    if not path.is_file():
        raise DataError(f"{path}: is no regular file; write the rows to a file and name that")


def open_utf8(path: Path) -> BinaryIO:
    """The file, open for bytes behind its byte-order mark.

    Raises DataError when it is empty, cannot be read, or is plainly in another encoding. Only the
    beginning is looked at: a stray byte further on is for the format to find.
    """
    check_file(path)
    try:
        file = path.open("rb")
    except OSError as error:
        why = error.strerror or error
        raise DataError(f"{path}: cannot be read ({why}); check its permissions") from error
    try:
        _check_start(path, file.read(_SAMPLE))
        file.seek(0)
        if file.read(len(codecs.BOM_UTF8)) != codecs.BOM_UTF8:
            file.seek(0)
    except BaseException:
        file.close()
        raise
    return file


def _check_start(path: Path, start: bytes) -> None:
    if not start.removeprefix(codecs.BOM_UTF8).strip():
        raise DataError(f"{path}: the file is empty; it needs at least one row")
    for mark, name in _WIDE_MARKS.items():
        if start.startswith(mark):
            raise DataError(_wrong(path, f"is {name}", name))
    # Text in UTF-16 without a mark: every other byte of ASCII is zero.
    if start.count(0) * 4 > len(start):
        raise DataError(
            _wrong(path, "is full of zero bytes, as UTF-16 without a mark is", "UTF-16LE")
        )
    lines = start.splitlines()
    if len(start) == _SAMPLE:
        lines.pop()  # it may be cut in the middle of a character
    foreign = [line for line in lines if not line.isascii()]
    broken = sum(not _decodes(line) for line in foreign)
    if broken >= _CLEARLY and broken * 2 > len(foreign):
        raise DataError(_wrong(path, f"is not UTF-8 ({broken} lines of its beginning)", "ENCODING"))


def _decodes(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def _wrong(path: Path, what: str, encoding: str) -> str:
    target = path.with_name(f"{path.stem}.utf8{path.suffix}")
    command = f"iconv -f {encoding} -t UTF-8 {shlex.quote(str(path))} > {shlex.quote(str(target))}"
    hint = " (e.g. CP949 for Korean, CP1258 for Vietnamese, CP1252 for German)"
    return (
        f"{path}: {what}, but data must be UTF-8; {SAVE_AS_UTF8}, or convert it: {command}"
        f"{hint if encoding == 'ENCODING' else ''}"
    )
