"""Gemini."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.conformance.case import Body, Case
from tests.doubles.gemini import INPUT_LIMIT, KEY, GeminiDouble
from tests.doubles.http import Refuses, Says


def _misnamed(body: Body) -> Body:
    return {**body, "contents": [{**turn, "role": "assistant"} for turn in body["contents"]]}


def _schema_of(body: Body) -> Mapping[str, Any] | None:
    schema: Mapping[str, Any] | None = body["generationConfig"].get("responseJsonSchema")
    return schema


CASE = Case(
    model="gemini/gemini-x",
    double=GeminiDouble,
    ask="POST /v1beta/models/gemini-x:generateContent",
    key=KEY,
    variable="GEMINI_API_KEY",
    text_of=lambda body: body["contents"][-1]["parts"][0]["text"],
    schema_of=_schema_of,
    misnamed=_misnamed,
    cut_off=Says("half a", finish="MAX_TOKENS"),
    declined=Says("", finish="PROHIBITED_CONTENT", reason="hate speech"),
    filtered=Says("", finish="prompt:SAFETY", reason="dangerous content"),
    bad_key=Refuses(400, "API key not valid.", more={"reason": "API_KEY_INVALID"}),
    forbidden=Refuses(403, "The caller does not have permission"),
    invalid=Refuses(400, "Please ensure that the number of function calls is right."),
    unknown_model=Refuses(404, "models/gemini-x is not found for API version v1beta."),
    too_long=Refuses(
        400,
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    ),
    limited=Refuses(
        429,
        "You exceeded your current quota, please check your plan and billing details.",
        "RESOURCE_EXHAUSTED",
        more={"retry_delay": "38.5s", "quota": "GenerateRequestsPerMinutePerProjectPerModel"},
    ),
    waits=38.5,
    broken=Refuses(500, "An internal error has occurred.", "INTERNAL"),
    overloaded=Refuses(503, "The model is overloaded. Please try again later.", "UNAVAILABLE"),
    context=INPUT_LIMIT,
)
