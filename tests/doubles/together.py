"""A double of Together AI.

After "Create chat completion", "Create completion", "List all models", "Logprobs", "Structured
outputs", "Error codes" and "Rate limits" of the Together documentation: `logprobs` is a number and
comes back in columns, the usual end is "eos", an echoed prompt stands apart under `prompt`, and the
list of models is a bare list. `likelihoods` are the tokens of the prompts that are echoed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from .chat import KINDS, ChatDouble
from .http import Refuses, Request, Response, Says, as_json, marked

MODEL = "author/x"
CONTEXT = 8192
_COMPLETION_KINDS: Mapping[str, Any] = {
    "model": str,
    "prompt": str,
    "max_tokens": int,
    "temperature": (int, float),
    "echo": bool,
    "logprobs": int,
}


class TogetherDouble(ChatDouble):
    usual_end = "eos"
    schema_of_object = True
    kinds: ClassVar[Mapping[str, Any]] = {
        **{name: kind for name, kind in KINDS.items() if "completion" not in name},
        "logprobs": int,
    }
    likelihoods: ClassVar[list[tuple[str, float | None]]] = []

    def unauthorized(self) -> Refuses:
        return Refuses(401, "Invalid API key provided.", more={"code": "invalid_api_key"})

    def other(self, request: Request) -> Response:
        if str(request) == "GET /v1/models":
            listed = {"id": MODEL, "object": "model", "type": "chat", "context_length": CONTEXT}
            return as_json([{"id": "another/y", "context_length": 1}, listed])
        if str(request) == "POST /v1/completions":
            return self._echoed(request.json)
        return super().other(request)

    def _echoed(self, body: dict[str, Any]) -> Response:
        for name, value in body.items():
            if not isinstance(value, _COMPLETION_KINDS.get(name, ())):
                return self.refusal(Refuses(400, f"Unknown or wrong field: {name}"))
        tokens = [token for token, _ in self.likelihoods]
        values = [value for _, value in self.likelihoods]
        columns = {"tokens": tokens, "token_logprobs": values}
        generated = {"tokens": [" x"], "token_logprobs": [-1.0]}
        choice = {"text": " x", "index": 0, "finish_reason": "length", "logprobs": generated}
        return as_json(
            {
                "object": "text.completion",
                "prompt": [{"text": body["prompt"], "logprobs": columns}],
                "choices": [choice],
                "usage": self.usage(Says(" x", input_tokens=len(tokens), output_tokens=1)),
            }
        )

    def problem(self, body: dict[str, Any]) -> Refuses | None:
        if body.get("model") != MODEL:
            message = f"Unable to access model {body.get('model')}."
            return Refuses(404, message, more={"code": "model_not_available"})
        return super().problem(body)

    def logprobs(self, body: dict[str, Any], says: Says) -> Any:
        if not body.get("logprobs"):
            return None
        tokens = says.tokens(body["logprobs"])
        return {
            "token_ids": list(range(len(tokens))),
            "tokens": [marked(token) for token, _, _ in tokens],
            "token_logprobs": [value for _, value, _ in tokens],
            "top_logprobs": [
                {marked(other): value for other, value in reversed(top.items())}
                for _, _, top in tokens
            ],
        }

    def message(self, says: Says) -> dict[str, Any]:
        message = super().message(says)
        del message["refusal"]
        return message | {"tool_calls": message.get("tool_calls", [])}
