"""A vLLM server: `vllm/NAME`, by the name that the model is served under."""

from __future__ import annotations

from functools import partial

from .chat_completions import FORMS, ContextAt, Dialect, open_dialect, server_root

# It ignores what it does not know, so that the newer name of the limit would be lost on an older
# server. A format with a schema is refused by versions that bind replies by fields of their own.
DIALECT = Dialect(
    provider="vllm",
    key="VLLM_API_KEY",
    base="VLLM_BASE_URL",
    default_base="http://localhost:8000",
    root=lambda base, _: server_root(base),
    chat="/v1/chat/completions",
    completions="/v1/completions",
    forms={
        **FORMS,
        "response_format": ("json_schema", "guided", "json_object", None),
        "limit": ("max_tokens", "max_completion_tokens"),
    },
    context=ContextAt("/v1/models", ("max_model_len",)),
    own=True,
    start="vllm serve MODEL",
)

open_model = partial(open_dialect, DIALECT)
