"""Files as bytes and as text: packed or not, in UTF-8 or in a named encoding."""

from __future__ import annotations

import codecs
import gzip
import io
import unicodedata
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import orjson

from adjudge import open_files
from adjudge.core.reason import Reason
from adjudge.errors import DataError, UsageError

from .base import Source
from .encodings import guess, known_codec, marked, spoken, unmarked_wide

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


_SAMPLE = 64 * 1024
# Below this many undecodable lines it may be a stray byte, which is the row's fault alone ...
_CLEARLY = 3
# ... unless the few lines are a good part of the file, and full of such bytes.
_MANY_BYTES, _GOOD_PART = 8, 20

SAVE_AS_UTF8 = Reason("rows.save")
KEPT_ENCODING = b'["encoding",'  # begins the first line of kept rows (kept_rows.py)


@dataclass(frozen=True, slots=True)
class TextFile:
    """An open file; `remedy` is for rows with bytes that are not UTF-8."""

    file: BinaryIO
    remedy: Reason


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
    """The file as UTF-8, unpacked and decoded if need be, open behind its byte-order mark.

    Raises DataError when it is empty, cannot be read, or is in an encoding that nobody named and
    that is not sure. Only the beginning is looked at: a stray byte further on is for the format to
    find.
    """
    start = _start(source)
    written_in = source.encoding or _sure_encoding(start)
    if written_in:
        codec = _codec(written_in)
        with io.BufferedReader(_Decoding(source, _opened(source), codec), _GZIP_BUFFER) as file:
            yield TextFile(file, SAVE_AS_UTF8)
        return
    remedy = _check_start(source, start)
    with _opened(source) as file:
        if start.startswith(codecs.BOM_UTF8):
            file.read(len(codecs.BOM_UTF8))
        yield TextFile(file, remedy)


def encoding_read(source: Source) -> str | None:
    """The encoding that the file is read in without anybody having named it; None where it is
    UTF-8."""
    if source.encoding or not source.path.is_file():
        return None
    start = _start(source)
    if start.startswith(KEPT_ENCODING):  # the rows of a file that was read earlier
        return str(orjson.loads(start.partition(b"\n")[0])[1])
    return _sure_encoding(start)


def proposed_encoding(source: Source) -> str | None:
    """What else than UTF-8 a text file is likely written in, sure or not; None for UTF-8, and
    where nothing fits."""
    start = _start(source)
    if sure := _sure_encoding(start):
        return sure
    lines = _Lines.of(start)
    seen = guess(lines.sample) if lines.plainly_foreign else None
    return seen and seen.name


def encodings_read(sources: Iterable[Source]) -> dict[str, str]:
    """By file, what it is read in where that is not UTF-8 and nobody has named it."""
    read = ((str(source), encoding_read(source)) for source in sources)
    return {name: encoding for name, encoding in read if encoding}


def _start(source: Source) -> bytes:
    with _opened(source) as file:
        return file.read(_SAMPLE)


def _codec(encoding: str) -> str:
    """Python's name of it; UsageError where there is none."""
    codec = known_codec(encoding)
    if codec is None:
        why = Reason("file.no_codec", name=encoding)
        raise UsageError(why.at_option("encoding", encoding))
    return codec


def _sure_encoding(start: bytes) -> str | None:
    """What else than UTF-8 the file is surely in; None where it is not sure, or is no text."""
    if not start.strip() or start.startswith(GZIP_MAGIC) or binary_ending(start):
        return None
    if wide := marked(start) or unmarked_wide(start):
        return wide
    lines = _Lines.of(start)
    if not lines.plainly_foreign:
        return None
    seen = guess(lines.sample)
    return seen.name if seen and seen.sure else None


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


def _check_start(source: Source, start: bytes) -> Reason:
    """What to tell rows with wrong bytes; DataError where the whole file is at fault."""
    if not start.removeprefix(codecs.BOM_UTF8).strip():
        raise source.error(Reason("file.empty"))
    if start.startswith(GZIP_MAGIC):
        raise source.error(Reason("file.gzip", name=f"{source}{GZIP_ENDING}"))
    if ending := binary_ending(start):
        raise source.error(_binary(source.path, ending))
    lines = _Lines.of(start)
    if not lines.broken:
        return Reason("rows.save_or_correct")
    seen = guess(lines.sample)
    if lines.plainly_foreign:
        if seen:
            name = seen.name.lower()
            raise source.error(Reason("file.other_encoding", encoding=spoken(seen.name), name=name))
        raise source.error(Reason("file.unknown_encoding"))
    if not seen:
        return Reason("rows.unknown_encoding")
    return Reason("rows.other_encoding", encoding=spoken(seen.name), name=seen.name.lower())


@dataclass(frozen=True, slots=True)
class _Lines:
    """The lines at the beginning of a file: those with other signs than ASCII has, and of these the
    ones that are not UTF-8."""

    every: list[bytes]
    foreign: list[bytes]
    broken: list[bytes]

    @classmethod
    def of(cls, start: bytes) -> _Lines:
        lines = start.splitlines()
        if len(start) == _SAMPLE:
            lines.pop()  # it may be cut in the middle of a character
        foreign = [line for line in lines if not line.isascii()]
        return cls(lines, foreign, [line for line in foreign if not _decodes(line)])

    @property
    def plainly_foreign(self) -> bool:
        """Whether the file as a whole is in another encoding, and no byte has merely strayed."""
        if not self.broken or len(self.broken) * 2 <= len(self.foreign):
            return False
        high = sum(byte > 0x7F for line in self.broken for byte in line)
        return len(self.broken) >= _CLEARLY or (
            high >= _MANY_BYTES and len(self.broken) * _GOOD_PART >= len(self.every)
        )

    @property
    def sample(self) -> bytes:
        """With the line before, which tells a header or plain English from what is foreign."""
        return b"\n".join(self.every[max(0, self.every.index(self.broken[0]) - 1) :])


def _binary(path: Path, ending: str) -> Reason:
    """A file that is no text, and how to name it so that it is read as what it is."""
    packed = path.suffix.casefold() == GZIP_ENDING
    bare = path.with_suffix("").with_suffix(ending).name if packed else path.with_suffix(ending)
    name = Reason("file.unpacked", name=str(bare)) if packed else str(bare)
    if ending == ".parquet":
        return Reason("file.parquet", name=name)
    return Reason("file.zip", name=name)


def _decodes(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


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


class _Decoding(io.RawIOBase):
    """The text of a file in another encoding, as UTF-8, decoded as it is read."""

    def __init__(self, source: Source, file: BinaryIO, codec: str) -> None:
        self._source, self._codec = source, codec
        self._text = io.TextIOWrapper(file, encoding=codec, errors="strict", newline="")
        self._line, self._left = 0, b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        view = memoryview(buffer)
        if not self._left:
            self._left = self._next()
        data, self._left = self._left[: len(view)], self._left[len(view) :]
        view[: len(data)] = data
        return len(data)

    def _next(self) -> bytes:
        """A line, or the beginning of a very long one. Vietnamese tones of CP1258 are put together
        with their letters, as everybody else writes them."""
        self._line += 1
        try:
            line = self._text.readline(_SAMPLE)
        except UnicodeError as error:
            why = Reason("file.wrong_encoding", name=self._codec, why=str(error))
            raise self._source.error(why, line=self._line) from None
        if self._line == 1:
            line = line.removeprefix("\ufeff")
        return (
            unicodedata.normalize("NFC", line).encode()
            if self._codec == _VIETNAMESE
            else line.encode()
        )

    def close(self) -> None:
        if not self.closed:
            self._text.close()
        super().close()


_VIETNAMESE = "cp1258"
