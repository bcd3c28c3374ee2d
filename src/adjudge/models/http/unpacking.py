"""Packed answers. None are asked for, but some gateways pack all the same."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping

from . import failures
from .failures import Broken, TooLarge

_PIECE = 2**20  # bytes that are unpacked at once


class Unpacked:
    """Undoes gzip and deflate. Neither is asked for, but some gateways pack all the same."""

    def __init__(self, fields: Mapping[bytes, bytes]) -> None:
        self._coding = fields.get(b"content-encoding", b"identity").strip().lower()
        self._packed = self._coding in (b"gzip", b"x-gzip", b"deflate")
        if not self._packed and self._coding != b"identity":
            raise Broken(f"packed as {self._coding.decode('latin-1')}, which was not asked for")
        self._unpack = zlib.decompressobj(zlib.MAX_WBITS | 32)  # tells gzip from deflate

    def parts(self, piece: bytes) -> Iterator[bytes]:
        """The content of a piece, in parts that fit in memory."""
        if not self._packed:
            yield piece
            return
        try:
            while piece:
                yield self._unpack.decompress(piece, _PIECE)
                piece = self._unpack.unconsumed_tail
        except zlib.error as error:
            raise Broken(str(error)) from None

    def end(self) -> None:
        if self._packed and not self._unpack.eof:
            raise Broken("the packed answer is cut off")


def unpacked(fields: Mapping[bytes, bytes], body: bytes) -> bytes:
    unpack, whole = Unpacked(fields), bytearray()
    for part in unpack.parts(body):
        whole += part
        if len(whole) > failures.MOST:
            raise TooLarge
    unpack.end()
    return bytes(whole)
