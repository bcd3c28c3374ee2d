"""OpenRouter."""

from __future__ import annotations

from tests.conformance.case import Case
from tests.conformance.cases.chat import misnamed, schema_of, text_of
from tests.doubles.chat import KEY
from tests.doubles.http import Refuses, Says
from tests.doubles.openrouter import CONTEXT, COST, OpenRouterDouble, flagged

CASE = Case(
    model="openrouter/author/x",
    double=OpenRouterDouble,
    ask="POST /api/v1/chat/completions",
    key=KEY,
    variable="OPENROUTER_API_KEY",
    text_of=text_of,
    schema_of=schema_of,
    misnamed=misnamed,
    cut_off=Says("half a", finish="length"),
    declined=Says("", reason="I'm sorry, I can't help with that."),
    filtered=flagged("harassment"),
    bad_key=Refuses(401, "User not found."),
    forbidden=Refuses(403, "Key limit exceeded (total limit)."),
    invalid=Refuses(400, "Input required: specify 'messages'"),
    unknown_model=Refuses(400, "author/x is not a valid model ID"),
    too_long=Refuses(400, "This endpoint's maximum context length is 32768 tokens."),
    limited=Refuses(
        429,
        "Rate limit exceeded: free-models-per-min.",
        more={"metadata": {"headers": {"Retry-After": "11", "X-RateLimit-Remaining": "0"}}},
    ),
    waits=11.0,
    broken=Refuses(502, "Provider returned error"),
    overloaded=Refuses(503, "No instances available"),
    context=CONTEXT,
    unpriced=COST,
)
