"""A vLLM server."""

from __future__ import annotations

from tests.conformance.case import Case
from tests.conformance.cases.chat import misnamed, schema_of, text_of
from tests.doubles.chat import KEY
from tests.doubles.http import Refuses, Says
from tests.doubles.vllm import CONTEXT, VllmDouble

CASE = Case(
    model="vllm/x",
    double=VllmDouble,
    ask="POST /v1/chat/completions",
    key=KEY,
    variable="VLLM_API_KEY",
    text_of=text_of,
    schema_of=schema_of,
    misnamed=misnamed,
    cut_off=Says("half a", finish="length"),
    declined=None,
    filtered=None,
    bad_key=Refuses(401, "Unauthorized"),
    forbidden=Refuses(403, "Forbidden"),
    invalid=Refuses(400, "'messages' is a required property", "BadRequestError"),
    unknown_model=Refuses(404, "The model `x` does not exist.", "NotFoundError"),
    too_long=Refuses(400, "This model's maximum context length is 2048 tokens.", "BadRequestError"),
    limited=Refuses(429, "Too many requests", headers={"retry-after": "2"}),
    waits=2.0,
    broken=Refuses(500, "EngineCore encountered an issue.", "InternalServerError"),
    overloaded=Refuses(503, "Service Unavailable", "ServiceUnavailableError"),
    context=CONTEXT,
    unpriced=0.0,
)
