"""OpenAI."""

from __future__ import annotations

from tests.conformance.case import Case
from tests.conformance.cases.chat import misnamed, schema_of, text_of
from tests.doubles.http import Refuses, Says
from tests.doubles.openai import KEY, OpenAIDouble

CASE = Case(
    model="openai/gpt-x",
    double=OpenAIDouble,
    ask="POST /v1/chat/completions",
    key=KEY,
    variable="OPENAI_API_KEY",
    text_of=text_of,
    schema_of=schema_of,
    misnamed=misnamed,
    cut_off=Says("half a", finish="length"),
    declined=Says("", reason="I'm sorry, I can't help with that."),
    filtered=Says("", finish="content_filter"),
    bad_key=Refuses(401, "Incorrect API key provided.", more={"code": "invalid_api_key"}),
    forbidden=Refuses(
        403, "Country not supported", more={"code": "unsupported_country_region_territory"}
    ),
    invalid=Refuses(400, "Invalid 'messages[0].content'"),
    unknown_model=Refuses(
        404, "The model `gpt-x` does not exist", more={"code": "model_not_found"}
    ),
    too_long=Refuses(400, "Please reduce it.", more={"code": "context_length_exceeded"}),
    limited=Refuses(
        429,
        "Rate limit reached for gpt-x",
        "tokens",
        {
            "x-ratelimit-remaining-requests": "99",
            "x-ratelimit-reset-requests": "20ms",
            "x-ratelimit-remaining-tokens": "0",
            "x-ratelimit-reset-tokens": "1m30s",
        },
        {"code": "rate_limit_exceeded"},
    ),
    waits=90.0,
    broken=Refuses(500, "The server had an error.", "server_error"),
    overloaded=Refuses(503, "The engine is overloaded.", "server_error"),
)
