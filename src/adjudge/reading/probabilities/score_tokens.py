"""Which tokens of a reply wrote a value, and what the model might have written instead."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from adjudge.core.reply import Reply
from adjudge.core.scale import Binary, Category, Scale, Value

from ..readings import Span
from ..values import DECORATION, NUMBER, TOP_FIRST
from ..vocabulary import one_of
from .tokens import UNKNOWN, SpelledToken, as_sent, spell_tokens, text_of
from .value_texts import NumberStyle, words_of

# "A>>B" on a scale of A, B and a tie: the sign decides, and no alternative to "A" shows it.
_COMPARES = re.compile(r"\s?[<>=≈]")


class Position(NamedTuple):
    """One token of the value: its bytes from where the value begins, how likely it was, and what
    could have stood there with its probability. What looks the same adds up."""

    data: bytes
    probability: float
    others: Mapping[bytes, float]


@dataclass(frozen=True, slots=True)
class ScoreTokens:
    """The tokens of a value, and the one behind them, which may show that the value has ended."""

    positions: tuple[Position, ...]
    written: NumberStyle


def score_tokens(scale: Scale, value: Value, reply: Reply, span: Span) -> ScoreTokens | None:
    """The tokens that wrote the value, which was read in the span; None where they are not known:
    it is written in words that are not known here, or the tokens do not spell the reply."""
    place = value_place(scale, value, reply.text, span)
    spelt = spell_tokens(reply.logprobs or (), reply.text)
    if place is None or spelt is None:
        return None
    begin = len(as_sent(reply.text[: place[0]]))
    tokens = _tokens_of(spelt, reply.text, place)
    if not all(token.known for token in tokens) or any(map(_of_pieces, tokens)):
        return None
    positions = tuple(_position(token, begin) for token in tokens)
    return ScoreTokens(positions, _written(reply.text[slice(*place)], tokens))


def _tokens_of(tokens: Sequence[SpelledToken], text: str, place: Span) -> Sequence[SpelledToken]:
    """Those from where the value begins up to the end of the character behind it, as far as it is
    known.

    A server may show pieces of a character as empty tokens, before the one that completes it.
    """
    begin, end, behind = (len(as_sent(text[:at])) for at in (*place, place[1] + 1))
    first = next((n for n, token in enumerate(tokens) if token.end > begin), len(tokens))
    while not text[place[0]].isascii() and first and not tokens[first - 1].data:
        first -= 1
    of_value: list[SpelledToken] = []
    for token in tokens[first:]:
        ended = token.start >= end
        if ended and not token.known:
            break
        of_value.append(token)
        if ended and token.data and token.end >= behind:
            break
    return of_value


def value_place(scale: Scale, value: Value, text: str, span: Span) -> Span | None:
    """Where exactly the value stands in a span that may hold more: "**4** out of 5", "4, since…".

    Of a number and a name of the same value the one that comes first: it decided the other.
    """
    begin, end = span
    inside = text[begin:end]
    plain = unicodedata.normalize("NFKC", inside).casefold()
    if len(plain) != len(inside):
        plain = inside.casefold() if len(inside.casefold()) == len(inside) else inside
    places = [_word_place(scale, value, plain)]
    if not isinstance(scale, Binary | Category):
        places.append(_number_place(value, plain))
    place = min((place for place in places if place), default=None)
    if place is None:
        return None
    if isinstance(scale, Category) and _COMPARES.match(text, begin + place[1]):
        return None
    return begin + place[0], begin + place[1]


def _word_place(scale: Scale, value: Value, text: str) -> Span | None:
    names = [word for word, meant in words_of(scale).items() if meant == value]
    match = re.search(rf"(?<!\w)(?:{one_of(names)})(?!\w)", text) if names else None
    return match.span() if match else None


def _number_place(value: Value, text: str) -> Span | None:
    lead = len(text) - len(text.lstrip(DECORATION))
    top_first = TOP_FIRST.match(text[lead:])
    for match in NUMBER.finditer(text, lead + top_first.end() if top_first else 0):
        if float(match[0].replace(",", ".")) == value:
            return match.span()
    return None


def _position(token: SpelledToken, begin: int) -> Position:
    """Of the token that the value begins in, without what it holds before it: " 4", "**4"."""
    lead = token.data[: max(0, begin - token.start)]
    bound = bool(text_of(lead).strip(DECORATION))  # a word that must stand in the others as well
    others: dict[bytes, float] = defaultdict(float)
    for data, probability in _alternatives(token):
        if token.start > begin:
            others[data] += probability
        elif not bound:
            others[_undecorated(data)] += probability
        elif data.startswith(lead):
            others[data[len(lead) :]] += probability
    return Position(token.data[len(lead) :], _probability(token.token.logprob), others)


def _undecorated(data: bytes) -> bytes:
    return text_of(data).lstrip(DECORATION).encode(errors="surrogateescape")


def _alternatives(token: SpelledToken) -> list[tuple[bytes, float]]:
    """All but the token itself; pieces whose bytes are not known could be anything."""
    return [
        (data, _probability(logprob))
        for text, logprob in token.token.top.items()
        if text != token.token.token and UNKNOWN not in (data := token.bytes_of(text))
    ]


def _probability(logprob: float) -> float:
    return math.exp(min(logprob, 0.0))  # some servers round it to slightly above 0


def _of_pieces(token: SpelledToken) -> bool:
    """Whether a server has put a character together: the probability is that of its last piece."""
    record = token.token
    if token.data.isascii() or _is_piece(token.data) or record.token in record.top:
        return False
    return any(map(_is_piece, map(token.bytes_of, record.top)))


def _is_piece(data: bytes) -> bool:
    return UNKNOWN in data or bool(re.search("[\udc80-\udcff]", text_of(data)))


def _written(value: str, tokens: Sequence[SpelledToken]) -> NumberStyle:
    number = re.fullmatch(r"[-+]?\d*(?:([.,])(\d+))?", unicodedata.normalize("NFKC", value))
    point, part = (number[1] or ".", number[2] or "") if number else (".", "")
    seen = (
        data for token in tokens for data in (token.data, *map(token.bytes_of, token.token.top))
    )
    runs = (len(run) for data in seen for run in re.findall(r"\d+", text_of(data)))
    return NumberStyle(decimals=len(part), point=point, run=max(runs, default=1))
