"""Files as bytes and as text: packed or not, in UTF-8 or told what else they are in."""

from __future__ import annotations

import codecs
import gzip
import io
import shlex
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import orjson

from adjudge import open_files
from adjudge.core.reason import Reason
from adjudge.errors import DataError

from .base import Source

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


_SAMPLE = 64 * 1024
# Below this many undecodable lines it may be a stray byte, which is the row's fault alone ...
_CLEARLY = 3
# ... unless the few lines are a good part of the file, and full of such bytes.
_MANY_BYTES, _GOOD_PART = 8, 20

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
        if close:
            like = str(path.with_name(close[0]))
            raise DataError(Reason("file.absent_like", close=like).in_file(path))
        raise DataError(Reason("file.absent").in_file(path))
    if not path.is_file():
        raise DataError(Reason("file.irregular").in_file(path))


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
        why = error.strerror or str(error)
        limit = open_files.remedy(error)
        if limit:
            raise source.error(Reason("file.too_many_open", why=why, limit=limit)) from error
        raise source.error(Reason("file.no_permission", why=why)) from error


def _opened(source: Source) -> BinaryIO:
    file = open_bytes(source)
    packed = source.path.suffix.casefold() == GZIP_ENDING
    return unpack_gzip(source, file) if packed else file


def _check_start(source: Source, start: bytes) -> str:
    """What to tell rows with wrong bytes; DataError where the whole file is at fault."""
    if not start.removeprefix(codecs.BOM_UTF8).strip():
        raise source.error(Reason("file.empty"))
    if start.startswith(GZIP_MAGIC):
        raise source.error(Reason("file.gzip", name=f"{source}{GZIP_ENDING}"))
    if ending := binary_ending(start):
        raise source.error(_binary(source.path, ending))
    if wide := marked(start) or unmarked_wide(start):
        known = Reason("encoding.known", name=wide)
        encoding = known if marked(start) else Reason("encoding.unmarked", name=wide)
        command = _command(source, wide)
        raise source.error(Reason("file.wide_encoding", encoding=encoding, command=command))
    lines = start.splitlines()
    if len(start) == _SAMPLE:
        lines.pop()  # it may be cut in the middle of a character
    foreign = [line for line in lines if not line.isascii()]
    broken = [line for line in foreign if not _decodes(line)]
    if not broken:
        return f"{SAVE_AS_UTF8} (iconv -t UTF-8) or mend the line"
    # With the line before, which tells a header or plain English from what is foreign.
    name = looks_like(b"\n".join(lines[max(0, lines.index(broken[0]) - 1) :]))
    command = _command(source, name)
    said = f"looks like {spoken(name)}" if name else "is in an unknown encoding"
    if _plainly_foreign(lines, foreign, broken):
        if name:
            like = spoken(name)
            raise source.error(Reason("file.other_encoding", encoding=like, command=command))
        raise source.error(Reason("file.unknown_encoding", command=command))
    return f"the file {said}; convert it: {command}, or mend the line"


def _binary(path: Path, ending: str) -> Reason:
    """A file that is no text, and how to name it so that it is read as what it is."""
    packed = path.suffix.casefold() == GZIP_ENDING
    bare = path.with_suffix("").with_suffix(ending).name if packed else path.with_suffix(ending)
    name = Reason("file.unpacked", name=str(bare)) if packed else str(bare)
    if ending == ".parquet":
        return Reason("file.parquet", name=name)
    return Reason("file.zip", name=name)


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


def _command(source: Source, encoding: str | None) -> str:
    convert = f"iconv -f {encoding or 'ENCODING'} -t UTF-8"
    if source.shown:
        return f"… | {convert} | adjudge run -"
    path = source.path
    if path.suffix.casefold() == GZIP_ENDING:
        inner = path.with_suffix("")
        target = shlex.quote(str(inner.with_name(f"{inner.stem}.utf8{inner.suffix}")))
        return f"gunzip -c {shlex.quote(str(path))} | {convert} > {target}"
    target = shlex.quote(str(path.with_name(f"{path.stem}.utf8{path.suffix}")))
    return f"{convert} {shlex.quote(str(path))} > {target}"


_PARQUET, _ZIP = b"PAR1", b"PK\x03\x04"


def ending_by_content(start: bytes) -> str:
    """The ending that a file beginning like this should have; a table where nothing else fits."""
    if binary := binary_ending(start):
        return binary
    text = start.removeprefix(codecs.BOM_UTF8).lstrip()
    if text.startswith(b"["):
        return ".json"
    if text.startswith(b"{"):
        # An object spread over lines goes on after an opening bracket or a comma.
        first = text.partition(b"\n")[0].rstrip()
        return ".json" if first.endswith((b"{", b"[", b",")) else ".jsonl"
    return ".csv"


def binary_ending(start: bytes) -> str | None:
    """The ending of what is no text at all, `.parquet` or `.xlsx` (any ZIP file); else None."""
    # The letters alone may begin the header of a table; in Parquet a control character follows.
    if start.startswith(_PARQUET) and start[4:5] < b" " and not start[4:5].isspace():
        return ".parquet"
    if start.startswith(_ZIP):
        return ".xlsx"
    return None


def holds_lines(start: bytes) -> bool:
    """Whether this is one object per line, and more than one: JSON Lines under another name."""
    first, _, rest = start.removeprefix(codecs.BOM_UTF8).lstrip().partition(b"\n")
    if not first.startswith(b"{") or not rest.lstrip().startswith(b"{"):
        return False
    try:
        orjson.loads(first)
    except orjson.JSONDecodeError:
        return False
    return True


GZIP_ENDING = ".gz"
GZIP_MAGIC = b"\x1f\x8b"
_GZIP_BUFFER = 256 * 1024


def unpack_gzip(source: Source, packed: BinaryIO) -> BinaryIO:
    """The bytes inside, unpacked as they are read; DataError where they are broken."""
    return io.BufferedReader(_Unpacking(source, packed), _GZIP_BUFFER)


class _Unpacking(io.RawIOBase):
    def __init__(self, source: Source, packed: BinaryIO) -> None:
        self._source, self._packed = source, packed
        self._inside = gzip.GzipFile(fileobj=packed, mode="rb")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        view = memoryview(buffer)
        try:
            data = self._inside.read(len(view))
        except gzip.BadGzipFile as error:
            raise self._source.error(Reason("file.no_gzip", why=str(error))) from error
        except EOFError:
            raise self._source.error(Reason("file.gzip_cut")) from None
        except zlib.error as error:
            raise self._source.error(Reason("file.gzip_broken", why=str(error))) from error
        view[: len(data)] = data
        return len(data)

    def close(self) -> None:
        if not self.closed:
            self._inside.close()
            self._packed.close()
        super().close()


_MARKS = {
    codecs.BOM_UTF32_LE: "UTF-32",  # before UTF-16, whose mark it begins with
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}

# What data files are saved in where UTF-8 is not the habit. Fewer choices make better guesses on
# short texts; each stands for its subsets too (CP949 for EUC-KR, GB18030 for GBK).
_LIKELY = {
    name: name.upper().replace("_", "-")
    for name in (
        "cp949", "cp932", "euc_jp", "gb18030", "big5", "cp874", "cp1250", "cp1251", "koi8_r",
        "cp1252", "cp1253", "cp1254", "cp1255", "cp1256", "cp1258",
    )
}  # fmt: skip
_SPOKEN = {
    "CP949": "Korean, EUC-KR",
    "CP932": "Japanese, Shift-JIS",
    "EUC-JP": "Japanese",
    "GB18030": "Chinese, GBK",
    "BIG5": "Chinese",
    "CP1252": "Windows-1252, Latin-1",
    "CP1258": "Vietnamese, Windows-1258",
}
_FEWEST_ZEROS = 3
_MOST = 16 * 1024  # bytes that are looked at; more makes no better guess


def spoken(encoding: str) -> str:
    """The name with what people call it: "CP949 (Korean, EUC-KR)"."""
    return f"{encoding} ({_SPOKEN[encoding]})" if encoding in _SPOKEN else encoding


def marked(start: bytes) -> str | None:
    """The wide encoding that a byte-order mark names."""
    return next((name for mark, name in _MARKS.items() if start.startswith(mark)), None)


def unmarked_wide(start: bytes) -> str | None:
    """UTF-16 or UTF-32 without a mark: their zero bytes stand at every other place or more.

    Also where most letters are Korean, line breaks and punctuation leave such zeros. A few that
    strayed into other text do not count: they do not stand beside every line break.
    """
    zeros = [start[place::4].count(0) for place in range(4)]
    total = sum(zeros)
    if total < _FEWEST_ZEROS or total * 50 < len(start):
        return None
    even, odd = zeros[0] + zeros[2], zeros[1] + zeros[3]
    if total * 2 > len(start):
        return "UTF-32BE" if zeros[0] > zeros[3] else "UTF-32LE"
    if min(even, odd) * 4 > total:
        return None
    name, line_break = ("UTF-16BE", b"\0\n") if even > odd else ("UTF-16LE", b"\n\0")
    return name if start.count(line_break) * 2 >= start.count(b"\n") else None


def looks_like(text: bytes) -> str | None:
    """The likeliest encoding of bytes that are not UTF-8; None where nothing fits."""
    from charset_normalizer import from_bytes  # noqa: PLC0415 - needed for broken files alone

    matches = from_bytes(
        text[:_MOST],
        cp_isolation=list(_LIKELY),
        preemptive_behaviour=False,
        enable_fallback=False,
    )
    best = matches.best()
    if best is None:
        return None
    # Texts with few foreign letters fit several of these equally well; one is far more common.
    fits = {match.encoding for match in matches} | set(best.could_be_from_charset)
    if best.encoding == "cp1250" and "cp1252" in fits:
        return "CP1252"
    return _LIKELY.get(best.encoding)
