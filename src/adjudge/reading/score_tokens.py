"""Which tokens of a reply wrote a value, and what the model might have written in their stead."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from adjudge.core.reply import Reply, TokenLogprob
from adjudge.core.scale import Binary, Category, Scale, Value

from .place import Span
from .value_texts import Written, words_of
from .written import DECORATION, NUMBER, TOP_FIRST

_PIECE = "\ufffd"  # stands for bytes that are not a whole character
# "A>>B" on a scale of A, B and a tie: the sign decides, and no alternative to "A" tells it.
_COMPARES = re.compile(r"\s?[<>=≈]")


class Position(NamedTuple):
    """One token of the value: its text from where the value begins, how likely it was, and the
    texts that could have stood there with their probabilities. Texts that look alike add up."""

    text: str
    probability: float
    others: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class ScoreTokens:
    """The tokens of a value, and the one behind them, which may tell that the value has ended."""

    positions: tuple[Position, ...]
    written: Written


def score_tokens(scale: Scale, value: Value, reply: Reply, span: Span) -> ScoreTokens | None:
    """The tokens that wrote the value, which was read in the span; None where none can be told:
    it is written in words that are not known here, or the tokens do not spell the reply."""
    place = value_place(scale, value, reply.text, span)
    spans = spans_of([each.token for each in reply.logprobs or ()], reply.text)
    if place is None or spans is None:
        return None
    begin, end = place
    first = next((n for n, (_, until, _) in enumerate(spans) if until > begin), len(spans))
    last = next((n for n, (start, _, _) in enumerate(spans) if start >= end), len(spans) - 1)
    tokens = (reply.logprobs or ())[first : last + 1]
    if not all(whole for _, _, whole in spans[first : last + 1]) or any(map(_of_pieces, tokens)):
        return None
    lead = tokens[0].token[: begin - spans[first][0]]
    positions = (_first(tokens[0], lead), *(_position(token) for token in tokens[1:]))
    return ScoreTokens(positions, _written(reply.text[begin:end], tokens))


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
    found = min((place for place in places if place), default=None)
    if found is None:
        return None
    if isinstance(scale, Category) and _COMPARES.match(text, begin + found[1]):
        return None
    return begin + found[0], begin + found[1]


def _word_place(scale: Scale, value: Value, text: str) -> Span | None:
    names = [word for word, meant in words_of(scale).items() if meant == value]
    any_of = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    found = re.search(rf"(?<!\w)(?:{any_of})(?!\w)", text) if names else None
    return found.span() if found else None


def _number_place(value: Value, text: str) -> Span | None:
    lead = len(text) - len(text.lstrip(DECORATION))
    top_first = TOP_FIRST.match(text[lead:])
    for found in NUMBER.finditer(text, lead + top_first.end() if top_first else 0):
        if float(found[0].replace(",", ".")) == value:
            return found.span()
    return None


def _first(token: TokenLogprob, lead: str) -> Position:
    """The token that the value begins in, without what it holds before it: " 4", "**4"."""
    others: dict[str, float] = {}
    bound = bool(lead.strip(DECORATION))  # a word that must stand there in the others as well
    for text, probability in _alternatives(token):
        if bound and not text.startswith(lead):
            continue
        own = text[len(lead) :] if bound else text.lstrip(DECORATION)
        others[own] = others.get(own, 0.0) + probability
    return Position(token.token[len(lead) :], _probability(token.logprob), others)


def _position(token: TokenLogprob) -> Position:
    return Position(token.token, _probability(token.logprob), dict(_alternatives(token)))


def _alternatives(token: TokenLogprob) -> list[tuple[str, float]]:
    """All but the token itself; pieces of characters could be anything."""
    return [
        (text, _probability(logprob))
        for text, logprob in token.top.items()
        if text != token.token and _PIECE not in text
    ]


def _probability(logprob: float) -> float:
    return math.exp(min(logprob, 0.0))  # some servers round to a little above


def _of_pieces(token: TokenLogprob) -> bool:
    """Whether a server has put a character together: the probability is that of its last piece."""
    others = any(_PIECE in other for other in token.top)
    return others and not token.token.isascii() and token.token not in token.top


def _written(value: str, tokens: Sequence[TokenLogprob]) -> Written:
    number = re.fullmatch(r"[-+]?\d*(?:([.,])(\d+))?", unicodedata.normalize("NFKC", value))
    point, part = (number[1] or ".", number[2] or "") if number else (".", "")
    seen = (text for token in tokens for text in (token.token, *token.top))
    runs = (len(run) for text in seen for run in re.findall(r"\d+", text))
    return Written(decimals=len(part), point=point, run=max(runs, default=1))


def spans_of(tokens: Sequence[str], text: str) -> list[tuple[int, int, bool]] | None:
    """Where in the text each token lies, and whether it consists of whole characters.

    Tokens before the text (thinking) lie before 0, those behind it (the mark of a turn) beyond its
    end. Pieces of characters share the place that they make up together. None when the tokens do
    not spell the text.
    """
    joined = "".join(tokens)
    at = -joined.rfind(text) if _PIECE not in joined or _PIECE in text else 1
    if at > 0:
        return _spans_with_pieces(tokens, text)
    spans = []
    for token in tokens:
        spans.append((at, at + len(token), True))
        at += len(token)
    return spans


def _spans_with_pieces(tokens: Sequence[str], text: str) -> list[tuple[int, int, bool]] | None:
    spans: list[tuple[int, int, bool]] = []
    at, pieces, most = 0, 0, 0
    for token in tokens:
        literal, piece, _ = token.partition(_PIECE)
        start = _behind_pieces(text, at, literal, most) if pieces and literal else at
        if not text.startswith(literal, start):
            return None
        if literal:
            spans += [(at, start, False)] * pieces
            at, pieces, most = start + len(literal), 0, 0
        if piece or pieces:
            pieces, most = pieces + 1, most + len(token) - len(literal)
        else:
            spans.append((start, at, True))
    spans += [(at, len(text), False)] * pieces
    return spans if pieces or at == len(text) else None


def _behind_pieces(text: str, at: int, token: str, most: int) -> int:
    """Where the token stands behind at most so many characters, none of them of a single byte."""
    for start in range(at + 1, min(at + most, len(text)) + 1):
        if text[start - 1].isascii():
            break
        if text.startswith(token, start):
            return start
    return len(text) + 1
