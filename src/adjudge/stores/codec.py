"""Nouns ↔ JSON bytes, and times as they are kept.

Of verdicts and replies there are millions: what has its default is left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, asdict, fields
from datetime import UTC, datetime
from typing import Any

import orjson

from adjudge.core.reason import Reason
from adjudge.core.reply import Reply, TokenLogprob, Usage
from adjudge.core.run import Manifest
from adjudge.core.score import Outcome, OverallScore, Quotation, Score, ScorePart, TurnScore
from adjudge.core.verdict import Call, Cut, CutPart, Exchange, ExchangeKind, Verdict

# How a repair was asked for in each language, by versions that kept no kind with an exchange.
_REPAIRS = (
    "Your reply could not be used",
    "방금 답변은 사용할 수 없습니다",
    "Không thể sử dụng câu trả lời",
)


def now() -> str:
    """ISO 8601 in UTC, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def at(seconds: float) -> str:
    """The same for a time that is given in seconds since 1970."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")


def _defaults_of(noun: type) -> tuple[tuple[str, Any], ...]:
    """The names of the fields with their defaults: MISSING, which no value equals, for those that
    must be given."""
    return tuple(
        (part.name, part.default if factory is MISSING else factory())
        for part in fields(noun)
        for factory in (part.default_factory,)
    )


_VERDICT, _SCORE, _CALL, _EXCHANGE, _USAGE, _REPLY = map(
    _defaults_of, (Verdict, Score, Call, Exchange, Usage, Reply)
)
# The fields of a verdict that have columns of their own in a store.
COLUMNS = ("item", "judge", "model", "repeat", "fingerprint", "outcome")
_BESIDE_COLUMNS = tuple(part for part in _VERDICT if part[0] not in COLUMNS)


def _slim(noun: object, defaults: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    return {
        name: value
        for name, default in defaults
        # Most are the default itself; only the others have to be compared.
        if (value := getattr(noun, name)) is not default and value != default
    }


def encode_verdict(verdict: Verdict, *, beside_columns: bool = False) -> bytes:
    """All of it, or what the `COLUMNS` do not have."""
    kept = _slim(verdict, _BESIDE_COLUMNS if beside_columns else _VERDICT)
    kept["scores"] = {name: _slim(score, _SCORE) for name, score in verdict.scores.items()}
    if verdict.calls:
        kept["calls"] = [_slim_call(call) for call in verdict.calls]
    if "usage" in kept:
        kept["usage"] = _slim(verdict.usage, _USAGE)
    return encode(kept)


def _slim_call(call: Call) -> dict[str, Any]:
    kept = _slim(call, _CALL)
    if call.exchanges:
        kept["exchanges"] = [_slim(exchange, _EXCHANGE) for exchange in call.exchanges]
    return kept


def encode_reply(reply: Reply) -> bytes:
    kept = _slim(reply, _REPLY)
    if "usage" in kept:
        kept["usage"] = _slim(reply.usage, _USAGE)
    if "latency_ms" in kept:
        kept["latency_ms"] = round(reply.latency_ms, 1)
    return encode(kept)


def encode(noun: object) -> bytes:
    """Any of our dataclasses, field by field."""
    try:
        return orjson.dumps(noun)
    except TypeError:
        # A reply can spell out half of a surrogate pair, which is no character. One such text must
        # not cost a whole batch of verdicts: it is kept with a "?" in its place.
        return json.dumps(noun, ensure_ascii=False, default=asdict).encode(errors="replace")


def decode_verdict(data: bytes, **kept: object) -> Verdict:
    """From its JSON, and the fields that are `kept` elsewhere."""
    raw: dict[str, Any] = kept | orjson.loads(data)
    raw["outcome"] = Outcome(raw["outcome"])
    raw["scores"] = {name: _score(score) for name, score in raw["scores"].items()}
    raw["feedback"] = {
        name: tuple(text) if isinstance(text, list) else text
        for name, text in raw.get("feedback", {}).items()
    }
    raw["notes"] = tuple(map(Reason.of, raw.get("notes", ())))
    raw["usage"] = _usage(raw.get("usage", {}))
    raw["calls"] = tuple(_call(call, raw["scores"]) for call in raw.get("calls", ()))
    raw["cuts"] = {name: _cut(cut) for name, cut in raw.get("cuts", {}).items()}
    if raw.get("overall") is not None:
        raw["overall"] = _overall(raw["overall"])
    return Verdict(**raw)


def _usage(raw: dict[str, Any]) -> Usage:
    raw["doubts"] = tuple(map(Reason.of, raw.get("doubts", ())))
    return Usage(**raw)


def _score(raw: dict[str, Any]) -> Score:
    raw["outcome"] = Outcome(raw["outcome"])
    if raw.get("explanation_outcome") is not None:
        raw["explanation_outcome"] = Outcome(raw["explanation_outcome"])
    if raw.get("span") is not None:
        raw["span"] = tuple(raw["span"])
    if "evidence" in raw:
        raw["evidence"] = tuple(Quotation(**quotation) for quotation in raw["evidence"])
    if "parts" in raw:
        raw["parts"] = tuple(map(_part, raw["parts"]))
    if "turns" in raw:
        raw["turns"] = tuple(
            TurnScore(turn=part["turn"], role=part["role"], score=_score(part["score"]))
            for part in raw["turns"]
        )
    words = raw.pop("why", None)
    if words:
        raw["reason"] = _reason_in_words(words)
    elif raw.get("reason"):
        raw["reason"] = Reason.of(raw["reason"])
    return Score(**raw)


def _part(raw: dict[str, Any]) -> ScorePart:
    if raw.get("quotation") is not None:
        raw["quotation"] = Quotation(**raw["quotation"])
    return ScorePart(**raw)


def _overall(raw: dict[str, Any]) -> OverallScore:
    raw["outcome"] = Outcome(raw["outcome"])
    raw["reason"] = Reason.of(raw["reason"]) if raw.get("reason") else None
    return OverallScore(**raw)


def _reason_in_words(text: str) -> Reason:
    """As scores were kept earlier; of a pair, the words began with the order that failed."""
    order, _, why = text.partition(": ")
    if why and order in {"order ab", "order ba"}:
        return Reason("reply.order", order=order.removeprefix("order "), why=Reason.of(why))
    return Reason.of(text)


def _cut(raw: dict[str, Any]) -> Cut:
    parts = raw.pop("parts", ())  # newer still
    return Cut(**raw, parts=tuple(CutPart(**part) for part in parts))


def _call(raw: dict[str, Any], scores: Mapping[str, Score]) -> Call:
    raw["error"] = Reason.of(raw["error"]) if raw.get("error") else None
    if "replies" in raw:
        return _call_without_kinds(raw, scores)
    raw["exchanges"] = tuple(Exchange(**exchange) for exchange in raw.get("exchanges", ()))
    raw["failure"] = Outcome(raw["failure"]) if raw.get("failure") else None
    return Call(**raw)


def _call_without_kinds(raw: dict[str, Any], scores: Mapping[str, Score]) -> Call:
    """As calls were kept earlier: texts alone, and how the last reply ended. The rest is in the
    scores that the call failed to bring.

    An earlier reply came whole, or no repair was asked for; but one that was cut off can have been
    asked for its language, and what it then lacked was called truncated.
    """
    criterion, order, error = raw["criterion"], raw["order"], raw["error"]
    failed = [
        score
        for name, score in scores.items()
        if criterion in (None, name) and score.value is None and _is_of_order(score, order)
    ]
    if not raw["replies"]:
        same = (score.outcome for score in failed if _words(score, order) == error)
        failure = next(same, Outcome.PROVIDER_ERROR)
        return Call(criterion=criterion, order=order, failure=failure, error=error)
    refused = (_words(score, order) for score in failed if score.outcome is Outcome.REFUSED)
    refusal = next((str(why) for why in refused if why), None)
    kinds: list[ExchangeKind] = ["question"]
    for at, text in enumerate(raw["questions"], 1):
        repaired = at == 1 and (text.startswith(_REPAIRS) or raw["counted"] == 1)
        kinds.append("repair" if repaired else "language")
    cut_off = any(score.outcome is Outcome.TRUNCATED for score in failed)
    ends = ["length" if cut_off and kind == "language" else "stop" for kind in kinds[1:]]
    rows = zip(raw["replies"], kinds, ["", *raw["questions"]], [*ends, raw["finish"]], strict=True)
    exchanges = tuple(
        Exchange(reply=reply, kind=kind, question=question, finish=finish, refusal=refusal)
        for reply, kind, question, finish in rows
    )
    return Call(
        criterion=criterion, order=order, exchanges=exchanges, counted=raw["counted"], error=error
    )


def _is_of_order(score: Score, order: str | None) -> bool:
    """Whether the score may have failed in this order of a pair."""
    return not order or score.reason is None or score.reason.fields.get("order") == order


def _words(score: Score, order: str | None) -> Reason | None:
    return score.reason.without("reply.order") if score.reason and order else score.reason


def decode_manifest(data: bytes) -> Manifest:
    raw: dict[str, Any] = orjson.loads(data)
    raw["models"] = tuple(raw["models"])
    raw["unpriced"] = tuple(raw.get("unpriced", ()))
    return Manifest(**raw)


def decode_reply(data: bytes) -> Reply:
    raw: dict[str, Any] = orjson.loads(data)
    raw["usage"] = _usage(raw.get("usage", {}))
    if raw.get("logprobs") is not None:
        raw["logprobs"] = tuple(TokenLogprob(**token) for token in raw["logprobs"])
    return Reply(**raw)
