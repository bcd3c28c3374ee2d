"""Many providers' models through OpenRouter: `openrouter/AUTHOR/NAME`."""

from __future__ import annotations

import re
from functools import partial

from .chat_completions import FORMS, ContextAt, Dialect, open_dialect

# Left alone, it picks a provider behind it that drops what it does not know, a schema for one.
# `require_parameters` has it look for one that takes everything, and say so if there is none.
DIALECT = Dialect(
    provider="openrouter",
    key="OPENROUTER_API_KEY",
    base="OPENROUTER_BASE_URL",
    default_base="https://openrouter.ai/api/v1",
    forms={**FORMS, "limit": ("max_tokens", "max_completion_tokens")},
    always={"provider": {"require_parameters": True}, "usage": {"include": True}},
    unnamed=re.compile(r"no endpoints found.{0,40}\bparameters", re.IGNORECASE),
    context=ContextAt("/models", ("top_provider.context_length", "context_length")),
    tells_cost=True,
)

open_model = partial(open_dialect, DIALECT)
