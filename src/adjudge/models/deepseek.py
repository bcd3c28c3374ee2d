"""DeepSeek's own API: `deepseek/NAME`."""

from __future__ import annotations

from functools import partial

from .chat_completions import FORMS, Dialect, open_dialect

# It takes no schema and no seed. Its prices change with the hour, so that none is known.
DIALECT = Dialect(
    provider="deepseek",
    key="DEEPSEEK_API_KEY",
    base="DEEPSEEK_BASE_URL",
    default_base="https://api.deepseek.com",
    forms={
        **FORMS,
        "response_format": ("json_object", None),
        "limit": ("max_tokens",),
        "seed": (None,),
    },
)

open_model = partial(open_dialect, DIALECT)
