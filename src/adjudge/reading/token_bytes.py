"""A token as a server shows it → the bytes that it stands for.

A token may end within a character, which no text can show. Some servers tell the bytes; others
write them out, put a mark in their place, or show the token as the tokenizer keeps it.
"""

from __future__ import annotations

import re
from collections.abc import Callable

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


def _from_hex(found: re.Match[bytes]) -> bytes:
    return bytes.fromhex(found[1].decode())


def _byte_signs() -> dict[str, int]:
    """The alphabet of GPT-2: bytes that can be seen as they are, the others from U+0100 on."""
    seen = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    unseen = [byte for byte in range(0x100) if byte not in seen]
    return {chr(byte): byte for byte in seen} | {
        chr(0x100 + place): byte for place, byte in enumerate(unseen)
    }


_SIGNS = _byte_signs()
