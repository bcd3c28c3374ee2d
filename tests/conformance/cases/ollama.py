"""Ollama."""

from __future__ import annotations

from tests.conformance.case import Case
from tests.doubles.http import Refuses, Says
from tests.doubles.ollama import CONTEXT, OllamaDouble

CASE = Case(
    model="ollama/gemma3",
    double=OllamaDouble,
    ask="POST /api/chat",
    text_of=lambda body: body["messages"][-1]["content"],
    schema_of=lambda body: body["format"],
    misnamed=lambda body: {**body, "messages": [{"role": "model", "content": "x"}]},
    cut_off=Says("half a", finish="length"),
    declined=None,
    filtered=None,
    bad_key=None,
    forbidden=Refuses(403, "forbidden"),
    invalid=Refuses(400, "gemma3 does not support tools"),
    unknown_model=Refuses(404, "model 'gemma3' not found"),
    remedy="ollama pull gemma3",
    too_long=Refuses(400, "the input length exceeds the context length"),
    limited=Refuses(429, "too many requests", headers={"retry-after": "12"}),
    waits=12.0,
    broken=Refuses(500, "llama runner process has terminated: exit status 2"),
    overloaded=Refuses(503, "server busy, please try again. maximum pending requests exceeded"),
    context=CONTEXT,
    counts_cached=False,
    unpriced=0.0,
)
