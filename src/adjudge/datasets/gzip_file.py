"""Files packed with gzip, read as if they were not."""

from __future__ import annotations

import gzip
import io
import zlib
from typing import TYPE_CHECKING, BinaryIO

from adjudge.errors import DataError

from .base import Source

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

ENDING = ".gz"
MAGIC = b"\x1f\x8b"
_BUFFER = 256 * 1024


def unpacked(source: Source, packed: BinaryIO) -> BinaryIO:
    """The bytes inside, unpacked as they are read; DataError where they are broken."""
    return io.BufferedReader(_Unpacking(source, packed), _BUFFER)


class _Unpacking(io.RawIOBase):
    def __init__(self, source: Source, packed: BinaryIO) -> None:
        self._source, self._packed = source, packed
        self._inside = gzip.GzipFile(fileobj=packed, mode="rb")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        view = memoryview(buffer)
        try:
            found = self._inside.read(len(view))
        except gzip.BadGzipFile as error:
            raise DataError(
                f"{self._source}: is broken or not gzip at all ({error}); "
                f"pack it again, or take {ENDING} off its name"
            ) from error
        except EOFError:
            raise DataError(
                f"{self._source}: the gzip file is cut off; fetch or pack it again"
            ) from None
        except zlib.error as error:
            raise DataError(
                f"{self._source}: the gzip file is broken ({error}); fetch or pack it again"
            ) from error
        view[: len(found)] = found
        return len(found)

    def close(self) -> None:
        if not self.closed:
            self._inside.close()
            self._packed.close()
        super().close()
