"""A double of DeepSeek's API.

After "Create Chat Completion", "JSON Output", "Error Codes" and "Context Caching" of the DeepSeek
API documentation: no schema, no seed; JSON only where the prompt speaks of it; the cache is counted
in `prompt_cache_hit_tokens`; `reasoning_content` comes beside the content.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from .chat import KINDS, ChatDouble
from .http import Refuses, Says

_NOT_TAKEN = {"max_completion_tokens", "seed"}


class DeepSeekDouble(ChatDouble):
    root = ""
    chat = "/chat/completions"
    kinds: ClassVar[Mapping[str, Any]] = {
        name: kind for name, kind in KINDS.items() if name not in _NOT_TAKEN
    }
    formats: ClassVar[frozenset[str]] = frozenset({"text", "json_object"})

    def unauthorized(self) -> Refuses:
        message = "Authentication Fails, Your api key: ****6789 is invalid"
        return Refuses(401, message, "authentication_error")

    def problem(self, body: dict[str, Any]) -> Refuses | None:
        wanted = body.get("response_format") == {"type": "json_object"}
        if wanted and not any("json" in turn["content"].lower() for turn in body["messages"]):
            return Refuses(
                400,
                "Prompt must contain the word 'json' in some form to use 'response_format' of type"
                " 'json_object'.",
            )
        return super().problem(body)

    def message(self, says: Says) -> dict[str, Any]:
        message = super().message(says) | {"reasoning_content": says.thought or None}
        del message["refusal"]
        return message

    def usage(self, says: Says) -> dict[str, Any]:
        usage = super().usage(says)
        del usage["prompt_tokens_details"]
        missed = says.input_tokens - says.cached
        return usage | {
            "prompt_cache_hit_tokens": says.cached,
            "prompt_cache_miss_tokens": missed,
            "completion_tokens_details": {"reasoning_tokens": says.thinking},
        }
