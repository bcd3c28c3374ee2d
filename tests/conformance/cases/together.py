"""Together AI."""

from __future__ import annotations

from tests.conformance.case import Case
from tests.conformance.cases.chat import misnamed, schema_of, text_of
from tests.doubles.chat import KEY
from tests.doubles.http import Refuses, Says
from tests.doubles.together import CONTEXT, TogetherDouble

CASE = Case(
    model="together/author/x",
    double=TogetherDouble,
    ask="POST /v1/chat/completions",
    key=KEY,
    variable="TOGETHER_API_KEY",
    text_of=text_of,
    schema_of=schema_of,
    misnamed=misnamed,
    cut_off=Says("half a", finish="length"),
    declined=None,
    filtered=None,
    bad_key=Refuses(401, "Invalid API key provided.", more={"code": "invalid_api_key"}),
    forbidden=Refuses(403, "Your tier may not use this model."),
    invalid=Refuses(400, "Invalid 'messages[0].content'"),
    unknown_model=Refuses(404, "Unable to access model.", more={"code": "model_not_available"}),
    too_long=Refuses(
        422,
        "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193.",
        more={"param": "max_tokens"},
    ),
    limited=Refuses(
        429,
        "You have been rate limited.",
        headers={"x-ratelimit-limit": "1", "x-ratelimit-remaining": "0", "x-ratelimit-reset": "4"},
    ),
    waits=4.0,
    broken=Refuses(500, "Internal server error", "server_error"),
    overloaded=Refuses(503, "The server is overloaded or not ready yet.", "server_error"),
    context=CONTEXT,
)
