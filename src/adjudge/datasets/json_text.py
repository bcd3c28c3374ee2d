"""A JSON text taken apart piece by piece, so that a long one is never in memory as a whole."""

from __future__ import annotations

import codecs
import json
import re
from typing import BinaryIO

from adjudge.errors import DataError

from . import bounds
from .base import Source

_CHUNK = 1024 * 1024
_SPACE = re.compile(r"[ \t\n\r]*")
# An error this close to the end of what was read so far may only mean that the rest is missing.
_NEAR_END = 16
_OPEN = "Unterminated string"
# Only where a value ends is asked for: a number of many digits is not worked out.
_DECODER = json.JSONDecoder(parse_int=str, parse_float=str)


class JsonText:
    """Stands before the next piece of the text. DataError where the text is broken.

    Bytes that are not UTF-8 come through as lone surrogates, for the row that holds them.
    """

    def __init__(self, file: BinaryIO, source: Source) -> None:
        self._file, self._source = file, source
        self._decode = codecs.getincrementaldecoder("utf-8")("surrogateescape").decode
        self._text, self._at = "", 0
        self._lines_before = 0
        self._ended = False

    def peek(self) -> str:
        """The next character that is no space; "" at the end."""
        while True:
            found = _SPACE.match(self._text, self._at)
            self._at = found.end() if found else self._at
            if self._at < len(self._text):
                return self._text[self._at]
            if self._ended:
                return ""
            self._more()

    def take(self, sign: str) -> None:
        """Goes past `sign`, which must come next."""
        if self.peek() != sign:
            raise self._broken(f"expected {sign!r}", self._at)
        self._at += 1

    def key(self) -> str:
        """Goes past the next value, which must be a text, and gives that."""
        if self.peek() != '"':
            raise self._broken("expected a key", self._at)
        return str(json.loads(self.value()))

    def value(self) -> str:
        """Goes past the next value, of whatever kind, and gives its text."""
        self.peek()
        while True:
            try:
                _, end = _DECODER.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                if self._ended or self._is_real(error):
                    raise self._broken(error.msg, error.pos) from None
            except RecursionError:
                raise self._broken("nested too deeply", self._at) from None
            else:
                # A number may go on in what is not read yet.
                if end < len(self._text) or self._ended:
                    start, self._at = self._at, end
                    return self._text[start:end]
            if len(self._text) - self._at > bounds.ROW:
                raise self._broken(f"one value of more than {bounds.ROW:,} characters", self._at)
            self._more()

    def _is_real(self, error: json.JSONDecodeError) -> bool:
        return not error.msg.startswith(_OPEN) and error.pos < len(self._text) - _NEAR_END

    def _more(self) -> None:
        """Forgets what is passed; reads as much as is left over, so that long values stay cheap."""
        self._lines_before += self._text.count("\n", 0, self._at)
        rest = self._text[self._at :]
        read = self._file.read(max(_CHUNK, len(rest)))
        self._ended = not read
        self._text, self._at = rest + self._decode(read, final=self._ended), 0

    def _broken(self, what: str, at: int) -> DataError:
        line = self._lines_before + self._text.count("\n", 0, at) + 1
        if self._ended and (what.startswith(_OPEN) or not self._text[at:].strip()):
            what, remedy = "ends too early", "is it cut off? Fetch it again"
        else:
            what, remedy = f"broken JSON ({what})", "mend it"
        return DataError(f"{self._source}, line {line}: {what}; {remedy}")
