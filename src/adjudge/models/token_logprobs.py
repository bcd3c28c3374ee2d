"""Tokens with their probabilities, in the shape that OpenAI gave them and others took over."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from adjudge.core.reply import TokenLogprob


def token_logprob(record: Mapping[str, Any]) -> TokenLogprob:
    """One token with its alternatives; of those that look the same the likeliest.

    Raises KeyError, TypeError or the like when it is none.
    """
    top: dict[str, float] = {}
    for other in record.get("top_logprobs") or ():
        top.setdefault(_text(other), float(other["logprob"]))
    text, data = _text(record), _bytes(record)
    piece = data.hex() if data and text.encode() != data else None
    return TokenLogprob(text, float(record["logprob"]), top, piece)


def in_columns(logprobs: Mapping[str, Any]) -> Iterator[tuple[str, Any, Mapping[str, Any]]]:
    """The older shape, with a list for each: tokens, their log-probabilities, alternatives."""
    tokens = logprobs.get("tokens") or []
    tops = logprobs.get("top_logprobs") or [None] * len(tokens)
    for token, value, top in zip(tokens, logprobs.get("token_logprobs") or [], tops, strict=True):
        yield token, value, top or {}


def aligned(tokens: Sequence[Mapping[str, Any]], text: str) -> tuple[TokenLogprob, ...] | None:
    """The records of exactly the tokens that make up `text`.

    The model may write more than the message holds (a code fence, its thinking): those tokens are
    left out. None when the text does not begin and end between two tokens.
    """
    pieces = [_bytes(token, token["token"].encode(errors="replace")) for token in tokens]
    wanted = text.encode(errors="replace")
    begin = b"".join(pieces).rfind(wanted)
    place, kept = 0, []
    for token, piece in zip(tokens, pieces, strict=True):
        if piece and begin <= place and place + len(piece) <= begin + len(wanted):
            kept.append((token, piece))
        place += len(piece)
    if begin < 0 or b"".join(piece for _, piece in kept) != wanted:
        return None
    return tuple(token_logprob(token) for token, _ in kept)


def _text(record: Mapping[str, Any]) -> str:
    """By the bytes where they are sent: servers differ in how they show half a character."""
    text: str = record["token"]
    return _bytes(record).decode(errors="backslashreplace") or text


def _bytes(record: Mapping[str, Any], unknown: bytes = b"") -> bytes:
    """Those that were sent; `unknown` where there are none: the reply must not be lost for it."""
    values = record.get("bytes")
    try:
        return bytes(values) if isinstance(values, list) else unknown
    except (TypeError, ValueError):
        return unknown
