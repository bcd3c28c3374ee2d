"""A vLLM server: `vllm/NAME`."""

from __future__ import annotations

from .base import ModelOptions
from .chat_completions import FORMS, ContextAt, Dialect, OpenAIModel, open_dialect, server_root

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


def open_model(rest: str, options: ModelOptions) -> OpenAIModel:
    """The model NAME of `vllm/NAME`, the name that it is served under."""
    return open_dialect(DIALECT, rest, options)
