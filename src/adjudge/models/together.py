"""Together AI: `together/AUTHOR/NAME`."""

from __future__ import annotations

from functools import partial

from .chat_completions import FORMS, ContextAt, Dialect, open_dialect

# Its `logprobs` is a number, that of the alternatives.
DIALECT = Dialect(
    provider="together",
    key="TOGETHER_API_KEY",
    base="TOGETHER_BASE_URL",
    default_base="https://api.together.xyz/v1",
    completions="/completions",
    forms={
        **FORMS,
        "response_format": ("json_schema", "object_schema", "json_object", None),
        "logprobs": ("logprobs_count", None),
        "limit": ("max_tokens",),
    },
    context=ContextAt("/models", ("context_length",)),
)

open_model = partial(open_dialect, DIALECT)
