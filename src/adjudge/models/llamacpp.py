"""A llama.cpp server: `llamacpp/NAME`; one with a single model answers to any name."""

from __future__ import annotations

from functools import partial

from .chat_completions import FORMS, ContextAt, Dialect, open_dialect, server_root

# It ignores what it does not know, so that the newer name of the limit would be lost on an older
# server; and it reports no probabilities of a text from outside.
DIALECT = Dialect(
    provider="llamacpp",
    key="LLAMACPP_API_KEY",
    base="LLAMACPP_BASE_URL",
    default_base="http://localhost:8080",
    root=lambda base, _: server_root(base),
    chat="/v1/chat/completions",
    forms={
        **FORMS,
        "response_format": ("json_schema", "object_schema", "json_object", None),
        "limit": ("max_tokens",),
    },
    context=ContextAt("/props", ("default_generation_settings.n_ctx", "n_ctx")),
    own=True,
    start="llama-server -m MODEL.gguf",
)

open_model = partial(open_dialect, DIALECT)
