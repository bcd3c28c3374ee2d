"""Claude."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.conformance.case import Body, Case
from tests.doubles.anthropic import CONTEXT, KEY, AnthropicDouble
from tests.doubles.http import Answers, Refuses, Says

# So far away that the minutes until it is asked do not count.
_ENDS = (datetime.now(UTC) + timedelta(days=1)).isoformat().replace("+00:00", "Z")


def _schema_of(body: Body) -> Mapping[str, Any] | None:
    schema: Mapping[str, Any] = body["tools"][0]["input_schema"]
    return schema


def _compiling(answers: Answers) -> AnthropicDouble:
    return AnthropicDouble(answers, refuses=frozenset({"tool_choice"}))


CASE = Case(
    model="anthropic/claude-x",
    double=AnthropicDouble,
    compiles=_compiling,
    ask="POST /v1/messages",
    key=KEY,
    variable="ANTHROPIC_API_KEY",
    version="anthropic-version",
    tool=True,
    text_of=lambda body: body["messages"][-1]["content"],
    schema_of=_schema_of,
    misnamed=lambda body: {**body, "messages": [{"role": "system", "content": "x"}]},
    cut_off=Says("half a", finish="max_tokens"),
    declined=Says("", finish="refusal", reason="It may do harm."),
    filtered=Refuses(400, "Output blocked by content filtering policy"),
    bad_key=Refuses(401, "invalid x-api-key", "authentication_error"),
    forbidden=Refuses(403, "Your key may not use this resource.", "permission_error"),
    invalid=Refuses(400, "messages.0.content: invalid"),
    unknown_model=Refuses(404, "model: claude-x", "not_found_error"),
    too_long=Refuses(413, "Request exceeds the maximum size", "request_too_large"),
    limited=Refuses(
        429,
        "This request would exceed your rate limit.",
        "rate_limit_error",
        {
            "anthropic-ratelimit-output-tokens-remaining": "0",
            "anthropic-ratelimit-output-tokens-reset": _ENDS,
        },
    ),
    waits=86_400.0,
    broken=Refuses(500, "Internal server error", "api_error"),
    overloaded=Refuses(529, "Overloaded", "overloaded_error"),
    context=CONTEXT,
)
