"""Where in a reply each of its tokens lies, counted in bytes: a token may end within a character.

How a server shows its tokens is not known in advance. The first way that makes them spell the reply
is the one; where a server leaves out the bytes of pieces, the text between their neighbours is
theirs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from adjudge.core.reply import TokenLogprob

_LONGEST = 4  # bytes of a character


class SpelledToken(NamedTuple):
    """A token with its bytes, which the text has from `start` to `end`.

    Tokens before the text (thinking) lie before 0, those behind it (the mark of a turn) beyond its
    end. `known` is false of one that has bytes there that are not known. `bytes_of` reads the
    alternatives to it.
    """

    token: TokenLogprob
    data: bytes
    start: int
    end: int
    known: bool
    bytes_of: BytesOf


def spell_tokens(tokens: Sequence[TokenLogprob], text: str) -> list[SpelledToken] | None:
    """None when the tokens do not spell the text."""
    wanted = as_sent(text)
    for own, others in (
        (as_sent, with_escapes),  # a reply may quote an escape; in a value's place it is a piece
        (with_escapes, with_escapes),
        (of_byte_level, of_byte_level),
        (of_sentencepiece, of_sentencepiece),
    ):
        data = [_bytes(token, own) for token in tokens]
        start = b"".join(data).rfind(wanted)
        if start >= 0:
            return _one_by_one(tokens, data, -start, others)
    return _around_gaps(tokens, wanted)


def _bytes(token: TokenLogprob, bytes_of: BytesOf) -> bytes:
    return bytes_of(token.token) if token.piece is None else bytes.fromhex(token.piece)


def _one_by_one(
    tokens: Sequence[TokenLogprob], data: Sequence[bytes], at: int, bytes_of: BytesOf
) -> list[SpelledToken]:
    spelled = []
    for token, own in zip(tokens, data, strict=True):
        spelled.append(SpelledToken(token, own, at, at + len(own), True, bytes_of))
        at += len(own)
    return spelled


def _around_gaps(tokens: Sequence[TokenLogprob], wanted: bytes) -> list[SpelledToken] | None:
    """With bytes left out. The text begins with the last token that it can begin with."""
    data = [_bytes(token, with_escapes) for token in tokens]
    room = 0
    for first in reversed(range(len(tokens))):
        room += _most(data[first])
        spans = _spans(data[first:], wanted) if room >= len(wanted) else None
        if spans is not None:
            before = [(-1, 0, False)] * first
            return [
                SpelledToken(token, own, *span, with_escapes)
                for token, own, span in zip(tokens, data, before + spans, strict=True)
            ]
    return None


def _most(data: bytes) -> int:
    """Bytes that a token may have where some are not known."""
    literal, unknown, _ = data.partition(UNKNOWN)
    return len(literal) + (_hidden(data, literal) if unknown or not data else 0)


def _hidden(data: bytes, literal: bytes) -> int:
    """No mark is more than a character. A token that is left out may have a sign before it."""
    return _LONGEST * len(text_of(data[len(literal) :])) or 1 + _LONGEST


def _spans(data: Sequence[bytes], wanted: bytes) -> list[tuple[int, int, bool]] | None:
    """Start, end and whether all is known. Tokens without their bytes share the place of a gap."""
    spans: list[tuple[int, int, bool]] = []
    at, gap = 0, _Gap()
    for own in data:
        literal, unknown, _ = own.partition(UNKNOWN)
        if literal:
            start = gap.passed(wanted, at, literal)
            if start is None:
                return None
            spans += [(at, start, at == start)] * gap.tokens
            at, gap = start, _Gap()
        if unknown or not own:
            at += len(literal)
            gap = gap.wider(_hidden(own, literal), marked=bool(unknown))
        else:
            spans.append((at, at + len(own), True))
            at += len(own)
    spans += [(at, max(at, len(wanted)), False)] * gap.tokens
    return spans if gap.reaches(wanted, at) else None


class _Gap(NamedTuple):
    """Tokens in a row whose bytes are not known: how many, and how many bytes they are at most.

    `marked`: there is surely something, since it has a mark. `empty`: a token is left out, with
    what it has before its piece (a space, a quote); or there is nothing at all.
    """

    tokens: int = 0
    most: int = 0
    marked: bool = False
    empty: bool = False

    def wider(self, most: int, *, marked: bool) -> _Gap:
        return _Gap(
            self.tokens + 1, self.most + most, self.marked or marked, self.empty or not marked
        )

    def passed(self, wanted: bytes, at: int, literal: bytes) -> int | None:
        """Where the literal stands behind the gap; None when it stands nowhere.

        At or beyond the end when the text ends before it.
        """
        for start in range(at + self.marked, min(at + self.most, len(wanted)) + 1):
            if start > at and not self._hides(wanted, start - 1):
                return None
            if wanted.startswith(literal, start):
                return start
        return max(at, len(wanted)) if self.reaches(wanted, at) else None

    def reaches(self, wanted: bytes, at: int) -> bool:
        """Whether nothing of the text is left behind the gap."""
        left = range(at, len(wanted))
        return len(left) <= self.most and all(self._hides(wanted, place) for place in left)

    def _hides(self, wanted: bytes, place: int) -> bool:
        """Whether the byte may be one of a piece, or the sign before it, which is never a value."""
        if wanted[place] >= 0x80:
            return True
        sign = self.empty and not wanted[place : place + 1].isalnum()
        return sign and wanted[place + 1 : place + 2] >= b"\x80"


BytesOf = Callable[[str], bytes]

UNKNOWN = "\ufffd".encode()  # the mark for bytes that are not a whole character
_ESCAPE = re.compile(rb"\\x([89a-f][0-9a-f])", re.IGNORECASE)
_BYTE = re.compile(rb"<0x([0-9a-f]{2})>", re.IGNORECASE)


def as_sent(token: str) -> bytes:
    """A reply can spell out half of a surrogate pair: it must not be an error."""
    return token.encode(errors="surrogatepass")


def text_of(data: bytes) -> str:
    """Bytes that are no character become halves of surrogate pairs, one each."""
    return data.decode(errors="surrogateescape")


def ends_in_a_character(text: str) -> bool:
    """Whether the last character of such a text is only begun."""
    return "\udc80" <= text[-1:] <= "\udcff"


def with_escapes(token: str) -> bytes:
    r"""Pieces as OpenAI and DeepSeek write them: "\xf0\x9f"."""
    return _ESCAPE.sub(_from_hex, as_sent(token))


def of_byte_level(token: str) -> bytes:
    """As a byte-level tokenizer keeps it, with a sign for each byte: "Ġ4", "æĺ¯"."""
    try:
        return bytes(_SIGNS[sign] for sign in token)
    except KeyError:
        return as_sent(token)  # a mark of the chat's template


def of_sentencepiece(token: str) -> bytes:
    """As SentencePiece keeps it: "▁4", "<0xF0>"."""
    return _BYTE.sub(_from_hex, as_sent(token.replace("▁", " ")))


def _from_hex(match: re.Match[bytes]) -> bytes:
    return bytes.fromhex(match[1].decode())


def _byte_signs() -> dict[str, int]:
    """The alphabet of GPT-2: bytes that can be seen as they are, the others from U+0100 on."""
    seen = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    unseen = [byte for byte in range(0x100) if byte not in seen]
    return {chr(byte): byte for byte in seen} | {
        chr(0x100 + place): byte for place, byte in enumerate(unseen)
    }


_SIGNS = _byte_signs()
