"""A vLLM server: `vllm/NAME`."""

from __future__ import annotations

from .base import ModelOptions
from .openai_dialect import ContextAt, Dialect, beside_v1
from .openai_fields import FORMS
from .openai_model import OpenAIModel
from .openai_open import opened

# It ignores what it does not know, so that the newer name of the limit would be lost on an older
# server. A format with a schema is refused by versions that bind replies by fields of their own.
DIALECT = Dialect(
    provider="vllm",
    key="VLLM_API_KEY",
    base="VLLM_BASE_URL",
    default_base="http://localhost:8000",
    root=lambda base, _: beside_v1(base),
    chat="/v1/chat/completions",
    completions="/v1/completions",
    forms={
        **FORMS,
        "response_format": ("json_schema", "guided", "json_object", None),
        "limit": ("max_tokens", "max_completion_tokens"),
    },
    context=ContextAt("/v1/models", ("max_model_len",)),
    own=True,
    start="start it (vllm serve MODEL)",
)


def open_model(rest: str, options: ModelOptions) -> OpenAIModel:
    """The model NAME of `vllm/NAME`, the name that it is served under."""
    return opened(DIALECT, rest, options)
