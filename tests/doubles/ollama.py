"""A double of Ollama: /api/chat, /api/show, and chat completions as OpenAI has them.

After the references "Generate a chat message", "Show model details" and "Errors" and the pages
"Structured outputs", "Thinking", "Context length" and "OpenAI compatibility" of docs.ollama.com,
the OpenAPI description there, and the fields `truncate` and `shift` of the source's ChatRequest. It
is stricter than the real one, which does not mind fields that it does not know: a misspelt one
would go unnoticed. It refuses roles that do not exist, options of a wrong type, a schema that
cannot be made a grammar of, and more than 20 alternatives a token. As there, chat completions
take `max_completion_tokens` and do not keep to it.

`answers` gets the body of a request and returns a text, `Says` or `Refuses`. A prompt has as many
tokens as the answer says; beyond the window it is refused, or, `old`, cut without a word. An `old`
version knows neither `truncate` nor log-probabilities, and ignores them. `context` is what the
model was made for.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from .http import Answers, Double, Refuses, Request, Response, Says, as_json, marked

CONTEXT = 131_072
_KINDS: dict[str, Any] = {
    "model": str,
    "messages": list,
    "stream": bool,
    "format": (str, dict),
    "options": dict,
    "think": (bool, str),
    "keep_alive": (str, int),
    "truncate": bool,
    "shift": bool,
    "logprobs": bool,
    "top_logprobs": int,
}
_OPTION_KINDS: dict[str, Any] = {
    "temperature": (int, float),
    "seed": int,
    "num_ctx": int,
    "num_predict": int,
}
_OPENAI_KINDS: dict[str, Any] = {
    "model": str,
    "messages": list,
    "max_tokens": int,
    "max_completion_tokens": int,
    "temperature": (int, float),
    "seed": int,
    "logprobs": bool,
    "top_logprobs": int,
    "response_format": dict,
}
_MOST_PROPERTIES = 1000  # the grammar of more cannot be loaded


class OllamaDouble(Double):
    root = ""

    def __init__(
        self,
        answers: Answers = lambda body: "4",
        *,
        models: frozenset[str] = frozenset({"gemma3"}),
        old: bool = False,
        context: int = CONTEXT,
    ) -> None:
        super().__init__()
        self.answers, self.models, self.old, self.context = answers, models, old, context

    def refusal(self, refuses: Refuses) -> Response:
        response = as_json({"error": refuses.message}, refuses.status)
        return Response(response.status, response.body, refuses.headers)

    def handle(self, request: Request) -> Response:
        match str(request):
            case "POST /api/chat":
                return self._chat(request.json)
            case "POST /api/show":
                return self._show(request.json)
            case "POST /v1/chat/completions":
                return self._completion(request.json)
        return Response(404, b"404 page not found", {"content-type": "text/plain"})

    def _unknown_model(self, body: Mapping[str, Any]) -> Refuses | None:
        known = body.get("model") in self.models
        return None if known else Refuses(404, f"model '{body.get('model')}' not found")

    def _show(self, body: dict[str, Any]) -> Response:
        wrong = _unknown(body, {"model": str}) or self._unknown_model(body)
        if wrong:
            return self.refusal(wrong)
        info = {
            "general.architecture": "gemma3",
            "gemma3.context_length": self.context,
            "gemma3.embedding_length": 2560,
        }
        return as_json({"details": {"family": "gemma3"}, "model_info": info})

    def _said(self, body: dict[str, Any], wrong: Refuses | None) -> Says | Refuses:
        said = wrong or self._unknown_model(body) or self.answers(body)
        return said if isinstance(said, Says | Refuses) else Says(str(said))

    def _chat(self, body: dict[str, Any]) -> Response:
        said = self._said(body, _fault(body))
        if isinstance(said, Says):
            window = min(body.get("options", {}).get("num_ctx", 4096), self.context)
            said = self._fitted(said, window, cuts=self.old or body.get("truncate", True))
        if isinstance(said, Refuses):
            return self.refusal(said)
        self.billed.add(said, batched=False)
        message = {"role": "assistant", "content": said.text}
        answer = {
            "model": body["model"],
            "created_at": "2026-11-01T10:00:00.100435Z",
            "message": message | ({"thinking": said.thought} if said.thought else {}),
            "done": True,
            "done_reason": said.finish or "stop",
            "total_duration": 4_648_158_584,
            "prompt_eval_count": said.input_tokens,
            "eval_count": said.output_tokens,
        }
        if body.get("logprobs") and not self.old:
            answer["logprobs"] = _logprobs(body, said)
        return as_json(answer)

    def _fitted(self, says: Says, window: int, *, cuts: bool) -> Says | Refuses:
        if says.input_tokens <= window:
            return says
        if cuts:
            return Says(says.text, says.finish, input_tokens=window)
        told = f"request ({says.input_tokens} tokens) exceeds the available context size"
        inner = {"message": f"{told} ({window} tokens)", "type": "exceed_context_size_error"}
        return Refuses(400, json.dumps({"error": {"code": 400, **inner}}))

    def _completion(self, body: dict[str, Any]) -> Response:
        wrong = _unknown(body, _OPENAI_KINDS) or _turns_fault(body.get("messages"))
        said = self._said(body, wrong)
        if isinstance(said, Refuses):
            error = {"message": said.message, "type": "api_error", "param": None, "code": None}
            return Response(said.status, as_json({"error": error}).body, said.headers)
        message = {"role": "assistant", "content": said.text}
        choice: dict[str, Any] = {"index": 0, "message": message, "finish_reason": "stop"}
        if body.get("logprobs"):
            choice["logprobs"] = {"content": _logprobs(body, said)}
        usage = {"prompt_tokens": said.input_tokens, "completion_tokens": said.output_tokens}
        return as_json({"object": "chat.completion", "choices": [choice], "usage": usage})


def _logprobs(body: Mapping[str, Any], says: Says) -> list[dict[str, Any]]:
    """What was thought has its tokens too, before those of the reply."""
    thought = Says(says.thought).tokens(0)
    return [
        {
            **_scored(token, value),
            "top_logprobs": [_scored(*other) for other in top.items()],
        }
        for token, value, top in [*thought, *says.tokens(body.get("top_logprobs", 0))]
    ]


def _scored(token: str, logprob: float) -> dict[str, Any]:
    """Pieces of characters are marks, and so are their bytes (issue 13497)."""
    text = marked(token)
    return {"token": text, "logprob": logprob, "bytes": list(text.encode())}


def _unknown(body: Mapping[str, Any], kinds: Mapping[str, Any]) -> Refuses | None:
    for name, value in body.items():
        if name not in kinds:
            return Refuses(400, f'json: unknown field "{name}"')
        if not isinstance(value, kinds[name]):
            return Refuses(400, f"option {name!r} must be of another type")
    return None


def _fault(body: dict[str, Any]) -> Refuses | None:
    if body.get("stream", True):
        return Refuses(400, "the double streams nothing: say so in the request")
    if not 0 <= body.get("top_logprobs", 0) <= 20:
        return Refuses(400, "top_logprobs must be between 0 and 20")
    return (
        _unknown(body, _KINDS)
        or _unknown(body.get("options", {}), _OPTION_KINDS)
        or _turns_fault(body.get("messages"))
        or _format_fault(body.get("format", "json"))
    )


def _turns_fault(messages: Any) -> Refuses | None:
    for turn in messages or [{}]:
        if turn.keys() != {"role", "content"}:
            return Refuses(400, "json: a message has a role and content")
        if turn["role"] not in ("system", "user", "assistant", "tool"):
            return Refuses(400, f"invalid role: {turn['role']}")
    return None


def _format_fault(form: str | Mapping[str, Any]) -> Refuses | None:
    if isinstance(form, str):
        return None if form == "json" else Refuses(400, f'invalid format: "{form}"')
    if form.get("type") != "object" or "$ref" in json.dumps(form):
        return Refuses(500, "invalid JSON schema in format")
    if len(form.get("properties", {})) > _MOST_PROPERTIES:
        return Refuses(500, "failed to load model vocabulary required for format")
    return None
