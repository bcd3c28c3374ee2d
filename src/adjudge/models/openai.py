"""OpenAI, and any server that speaks chat completions: `openai/NAME`, with --base-url."""

from __future__ import annotations

from dataclasses import replace

from .base import ModelOptions
from .chat_completions import FORMS, ContextAt, Dialect, OpenAIModel, base_url_of, open_dialect

__all__ = ["DIALECT", "ELSEWHERE", "OpenAIModel", "open_model"]

DIALECT = Dialect(
    provider="openai",
    key="OPENAI_API_KEY",
    base="OPENAI_BASE_URL",
    default_base="https://api.openai.com/v1",
    batches=True,
    address="it often ends in /v1",
)
# Nothing is assumed about another server: what it refuses is sent in another way, and what it may
# report is looked for under all the names in use. The limit goes by its older name first:
# some servers ignore the newer one in silence, and their replies would then have no end.
ELSEWHERE = replace(
    DIALECT,
    completions="/completions",
    forms={**FORMS, "limit": ("max_tokens", "max_completion_tokens")},
    context=ContextAt(
        "/models", ("max_model_len", "context_length", "context_window", "max_context_length")
    ),
)


def open_model(rest: str, options: ModelOptions) -> OpenAIModel:
    """The model NAME of `openai/NAME`, at the base URL of the options, else of the environment."""
    at_home = base_url_of(DIALECT, options) == DIALECT.default_base
    return open_dialect(DIALECT if at_home else ELSEWHERE, rest, options)
