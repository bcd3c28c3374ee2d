"""Opening a UTF-8 file, or saying what is wrong with it as a whole."""

from __future__ import annotations

import codecs
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import BinaryIO

from adjudge import open_files
from adjudge.errors import DataError

from . import encodings, gzip_file
from .base import Source
from .content import binary_ending

_SAMPLE = 64 * 1024
# Below this many undecodable lines it may be a stray byte, which is the row's fault alone ...
_CLEARLY = 3
# ... unless the few lines are a good part of the file, and full of such bytes.
_MANY_BYTES, _GOOD_PART = 8, 20

_BINARY = {
    ".parquet": "holds Parquet",
    ".xlsx": "holds an XLSX workbook or another ZIP archive",
}
SAVE_AS_UTF8 = "save the file as UTF-8"


@dataclass(frozen=True, slots=True)
class TextFile:
    """An open file; `remedy` is for rows with bytes that are not UTF-8."""

    file: BinaryIO
    remedy: str


def check_file(path: Path) -> None:
    """Raises DataError unless there is a regular file: rows are read more than once."""
    if not path.exists():
        names = [other.name for other in path.parent.iterdir()] if path.parent.is_dir() else []
        close = get_close_matches(path.name, names, n=1)
        hint = f"did you mean {path.with_name(close[0])}?" if close else "check the path"
        raise DataError(f"{path}: there is no such file; {hint}")
    if not path.is_file():
        raise DataError(f"{path}: is no regular file; write the rows to a file and name that")


@contextmanager
def open_utf8(source: Source) -> Iterator[TextFile]:
    """The file, unpacked if need be, open for bytes behind its byte-order mark.

    Raises DataError when it is empty, cannot be read, or is plainly in another encoding. Only the
    beginning is looked at: a stray byte further on is for the format to find.
    """
    with _opened(source) as file:
        start = file.read(_SAMPLE)
    remedy = _check_start(source, start)
    with _opened(source) as file:
        if start.startswith(codecs.BOM_UTF8):
            file.read(len(codecs.BOM_UTF8))
        yield TextFile(file, remedy)


def open_bytes(source: Source) -> BinaryIO:
    """The file as it is; DataError when it cannot be read."""
    check_file(source.path)
    try:
        return source.path.open("rb")
    except OSError as error:
        why = error.strerror or error
        remedy = open_files.remedy(error) or "check its permissions"
        raise DataError(f"{source}: cannot be read ({why}); {remedy}") from error


def _opened(source: Source) -> BinaryIO:
    file = open_bytes(source)
    packed = source.path.suffix.casefold() == gzip_file.ENDING
    return gzip_file.unpacked(source, file) if packed else file


def _check_start(source: Source, start: bytes) -> str:
    """What to tell rows with wrong bytes; DataError where the whole file is at fault."""
    if not start.removeprefix(codecs.BOM_UTF8).strip():
        raise DataError(f"{source}: the file is empty; it needs at least one row")
    if start.startswith(gzip_file.MAGIC):
        raise DataError(f"{source}: is packed with gzip; name it {source}{gzip_file.ENDING}")
    if ending := binary_ending(start):
        raise DataError(f"{source}: {_BINARY[ending]}, no text; {_named(source.path, ending)}")
    if wide := encodings.marked(start):
        raise DataError(_wrong(source, f"is {wide}", wide))
    if wide := encodings.unmarked_wide(start):
        raise DataError(_wrong(source, f"is {wide} without a mark", wide))
    lines = start.splitlines()
    if len(start) == _SAMPLE:
        lines.pop()  # it may be cut in the middle of a character
    foreign = [line for line in lines if not line.isascii()]
    broken = [line for line in foreign if not _decodes(line)]
    if not broken:
        return f"{SAVE_AS_UTF8} (iconv -t UTF-8) or mend the line"
    # With the line before, which tells a header or plain English from what is foreign.
    name = encodings.looks_like(b"\n".join(lines[max(0, lines.index(broken[0]) - 1) :]))
    said = f"looks like {encodings.spoken(name)}" if name else "is in an unknown encoding"
    if _plainly_foreign(lines, foreign, broken):
        raise DataError(_wrong(source, f"is not UTF-8 and {said}", name))
    return f"the file {said}; convert it: {_command(source, name)}, or mend the line"


def _named(path: Path, ending: str) -> str:
    """What to do about a name that does not say what the file is."""
    if path.suffix.casefold() == gzip_file.ENDING:
        return f"unpack it (gunzip) and name it {path.with_suffix('').with_suffix(ending).name}"
    return f"name it {path.with_suffix(ending)}"


def _plainly_foreign(lines: list[bytes], foreign: list[bytes], broken: list[bytes]) -> bool:
    if len(broken) * 2 <= len(foreign):
        return False
    high = sum(byte > 0x7F for line in broken for byte in line)
    return len(broken) >= _CLEARLY or (
        high >= _MANY_BYTES and len(broken) * _GOOD_PART >= len(lines)
    )


def _decodes(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def _wrong(source: Source, what: str, encoding: str | None) -> str:
    return (
        f"{source}: {what}, but data must be UTF-8; {SAVE_AS_UTF8}, "
        f"or convert it: {_command(source, encoding)}"
    )


def _command(source: Source, encoding: str | None) -> str:
    convert = f"iconv -f {encoding or 'ENCODING'} -t UTF-8"
    if source.shown:
        return f"… | {convert} | adjudge run -"
    path = source.path
    if path.suffix.casefold() == gzip_file.ENDING:
        inner = path.with_suffix("")
        target = shlex.quote(str(inner.with_name(f"{inner.stem}.utf8{inner.suffix}")))
        return f"gunzip -c {shlex.quote(str(path))} | {convert} > {target}"
    target = shlex.quote(str(path.with_name(f"{path.stem}.utf8{path.suffix}")))
    return f"{convert} {shlex.quote(str(path))} > {target}"
