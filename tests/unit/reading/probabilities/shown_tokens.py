"""Tokens as servers show them, which may end within a character: bytes → text, and what is told."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from adjudge.core.reply import TokenLogprob

# GPT-2's signs for the bytes of a space, a line's end and those from 0x80 on, as far as needed.
_SEEN = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
_UNSEEN = [byte for byte in range(0x100) if byte not in _SEEN]
_SIGNS = {byte: chr(byte) for byte in _SEEN}
_SIGNS |= {byte: chr(0x100 + place) for place, byte in enumerate(_UNSEEN)}


def _whole(data: bytes) -> bool:
    return "\ufffd" not in data.decode(errors="replace")


def _escaped(data: bytes) -> str:
    return data.decode(errors="backslashreplace")


def _in_sentencepiece(data: bytes) -> str:
    if _whole(data):
        return data.decode().replace(" ", "▁")
    return "".join(f"<0x{byte:02X}>" for byte in data)


# How a server shows the bytes of a token, by what it is known from.
SHOWN: Mapping[str, Callable[[bytes], str]] = {
    "escaped": _escaped,
    "byte level": lambda data: "".join(_SIGNS[byte] for byte in data),
    "sentencepiece": _in_sentencepiece,
    "marked": lambda data: data.decode(errors="replace"),
    "left out": lambda data: data.decode() if _whole(data) else "",
}
# These leave out what a piece is.
HIDING = frozenset({"marked", "left out"})

Top = Mapping[bytes, float]


def shown(tokens: Sequence[tuple[bytes, Top]], how: str) -> tuple[TokenLogprob, ...]:
    """Each token is among what could have stood in its place; "told" is with the bytes."""
    show = SHOWN.get(how, _escaped)
    return tuple(
        TokenLogprob(
            show(data),
            top[data],
            {show(other): logprob for other, logprob in reversed(top.items())},
            data.hex() if how == "told" and not _whole(data) else None,
        )
        for data, top in tokens
    )
