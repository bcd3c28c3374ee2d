"""Nouns ↔ JSON bytes."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import orjson

from adjudge.core.reply import Reply, TokenLogprob, Usage
from adjudge.core.run import Manifest
from adjudge.core.score import Outcome, Score
from adjudge.core.verdict import Call, Cut, CutPart, Verdict


def encode(noun: object) -> bytes:
    """Any of our dataclasses, field by field."""
    try:
        return orjson.dumps(noun)
    except TypeError:
        # A reply can spell out half of a surrogate pair, which is no character. One such text must
        # not cost a whole batch of verdicts: it is kept with a "?" in its place.
        return json.dumps(noun, ensure_ascii=False, default=asdict).encode(errors="replace")


def decode_verdict(data: bytes) -> Verdict:
    raw: dict[str, Any] = orjson.loads(data)
    raw["outcome"] = Outcome(raw["outcome"])
    raw["scores"] = {name: _score(score) for name, score in raw["scores"].items()}
    raw["feedback"] = {
        name: tuple(text) if isinstance(text, list) else text
        for name, text in raw["feedback"].items()
    }
    raw["notes"] = tuple(raw["notes"])
    raw["usage"] = _usage(raw["usage"])
    raw["calls"] = tuple(_call(call) for call in raw["calls"])
    raw["cuts"] = {name: _cut(cut) for name, cut in raw.get("cuts", {}).items()}  # new of late
    return Verdict(**raw)


def _usage(raw: dict[str, Any]) -> Usage:
    raw["doubts"] = tuple(raw.get("doubts", ()))  # new of late
    return Usage(**raw)


def _score(raw: dict[str, Any]) -> Score:
    raw["outcome"] = Outcome(raw["outcome"])
    if raw["explanation_outcome"] is not None:
        raw["explanation_outcome"] = Outcome(raw["explanation_outcome"])
    if raw.get("span") is not None:  # kept since it is known
        raw["span"] = tuple(raw["span"])
    return Score(**raw)


def _cut(raw: dict[str, Any]) -> Cut:
    parts = raw.pop("parts", ())  # newer still
    return Cut(**raw, parts=tuple(CutPart(**part) for part in parts))


def _call(raw: dict[str, Any]) -> Call:
    raw["replies"] = tuple(raw["replies"])
    raw["questions"] = tuple(raw["questions"])
    return Call(**raw)


def decode_manifest(data: bytes) -> Manifest:
    raw: dict[str, Any] = orjson.loads(data)
    raw["models"] = tuple(raw["models"])
    return Manifest(**raw)


def decode_reply(data: bytes) -> Reply:
    raw: dict[str, Any] = orjson.loads(data)
    raw["usage"] = _usage(raw["usage"])
    if raw["logprobs"] is not None:
        raw["logprobs"] = tuple(TokenLogprob(**token) for token in raw["logprobs"])
    return Reply(**raw)
