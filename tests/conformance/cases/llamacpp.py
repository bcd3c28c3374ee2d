"""A llama.cpp server."""

from __future__ import annotations

from tests.conformance.case import Case
from tests.conformance.cases.chat import misnamed, schema_of, text_of
from tests.doubles.chat import KEY
from tests.doubles.http import Refuses, Says
from tests.doubles.llamacpp import CONTEXT, LlamaCppDouble

CASE = Case(
    model="llamacpp/model",
    double=LlamaCppDouble,
    ask="POST /v1/chat/completions",
    key=KEY,
    variable="LLAMACPP_API_KEY",
    text_of=text_of,
    schema_of=schema_of,
    misnamed=misnamed,
    cut_off=Says("half a", finish="length"),
    declined=None,
    filtered=None,
    bad_key=Refuses(401, "Invalid API Key", "authentication_error"),
    forbidden=Refuses(403, "Forbidden", "permission_error"),
    invalid=Refuses(400, "Expected 'messages' to be an array"),
    unknown_model=Refuses(404, "File Not Found", "not_found_error"),
    too_long=Refuses(
        400, "the request exceeds the available context size.", "exceed_context_size_error"
    ),
    limited=Refuses(429, "Too many requests", headers={"retry-after": "2"}),
    waits=2.0,
    broken=Refuses(500, "Internal error", "server_error"),
    overloaded=Refuses(503, "Loading model", "unavailable_error"),
    context=CONTEXT,
    unpriced=0.0,
)
