"""A double of a vLLM server that serves the model x.

After "OpenAI-Compatible Server" and "Structured Outputs" of the vLLM documentation and the request
and answer classes of its `entrypoints/openai`. The real one ignores unknown fields; this one
refuses them, so that none is sent by mistake. `old` is a version before formats with a schema: it
takes `guided_json` and complains in its older shape. `likelihoods` are the tokens of the prompts
that are echoed, the first without a probability.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from .chat import KINDS, ChatDouble, properties_of
from .http import Answers, Refuses, Request, Response, Says, as_json

MODEL = "x"
CONTEXT = 2048
_MOST = 1000  # properties; a grammar of more is not compiled
_COMPLETION_KINDS: Mapping[str, Any] = {
    "model": str,
    "prompt": str,
    "max_tokens": int,
    "temperature": (int, float),
    "echo": bool,
    "logprobs": int,
}


class VllmDouble(ChatDouble):
    kinds: ClassVar[Mapping[str, Any]] = {**KINDS, "guided_json": dict, "structured_outputs": dict}

    def __init__(
        self,
        answers: Answers = lambda body: "4",
        *,
        refuses: frozenset[str] = frozenset(),
        old: bool = False,
        likelihoods: list[tuple[str, float | None]] | None = None,
    ) -> None:
        super().__init__(answers, refuses=refuses | ({"json_schema"} if old else set()))
        self.old, self.likelihoods = old, likelihoods

    def refusal(self, refuses: Refuses) -> Response:
        error = {
            "message": refuses.message,
            "type": refuses.type,
            "param": None,
            "code": refuses.status,
        } | dict(refuses.more)
        told = {"object": "error", **error} if self.old else {"error": error}
        if refuses.status == 401:
            told = {"error": "Unauthorized"}
        response = as_json(told, refuses.status)
        return Response(response.status, response.body, refuses.headers)

    def other(self, request: Request) -> Response:
        if str(request) == "GET /v1/models":
            entry = {"id": MODEL, "object": "model", "owned_by": "vllm", "max_model_len": CONTEXT}
            return as_json({"object": "list", "data": [entry]})
        if str(request) == "POST /v1/completions":
            return self._echoed(request.json)
        return self.refusal(Refuses(404, "Not Found"))

    def problem(self, body: dict[str, Any]) -> Refuses | None:
        if body.get("model") != MODEL:
            message = f"The model `{body.get('model')}` does not exist."
            return Refuses(404, message, "NotFoundError")
        guided = body.get("guided_json" if self.old else "structured_outputs")
        return super().problem(body) or self.schema_problem(guided or {}, strict=False)

    def schema_problem(self, schema: dict[str, Any], strict: bool) -> Refuses | None:
        if properties_of(schema) > _MOST:
            return Refuses(400, "Grammar error: the JSON schema is too large.", "BadRequestError")
        return None

    def _echoed(self, body: dict[str, Any]) -> Response:
        for name, value in body.items():
            if not isinstance(value, _COMPLETION_KINDS.get(name, ())):
                return self.refusal(Refuses(400, f"Unknown or wrong field: {name}"))
        shown = [*(self.likelihoods or ()), (" x", -1.5)]  # and what was generated
        offsets, at = [], 0
        for token, _ in shown:
            offsets.append(at)
            at += len(token)
        columns = {
            "text_offset": offsets,
            "tokens": [token for token, _ in shown],
            "token_logprobs": [value for _, value in shown],
            "top_logprobs": [None if v is None else {token: v} for token, v in shown],
        }
        asked = len(shown) - 1 if self.likelihoods is not None else 7
        choice = {"index": 0, "text": "…", "logprobs": columns, "finish_reason": "length"}
        usage = self.usage(Says(" x", input_tokens=asked, output_tokens=1))
        return as_json({"object": "text_completion", "choices": [choice], "usage": usage})
