"""A double of a vLLM server that serves the model x.

After "OpenAI-Compatible Server" and "Structured Outputs" of the vLLM documentation and the request
and answer classes of its `entrypoints/openai`. The real one ignores unknown fields; this one
refuses them, so that none is sent by mistake. `old` is a version before formats with a schema: it
takes `guided_json` and complains in its older shape. `likelihoods` are the tokens of any prompt,
the first without a probability; without them it cannot tell any, and `prompt_logprobs` has a single
empty entry (vllm-metal, issue 680). `most_logprobs` is its `--max-logprobs`, beyond which it
refuses. `show` makes a text of a token, and the bytes that are told are those of that text: pieces
of characters have been marks (issue 27300) and nothing at all (pull request 28874), and tokens the
signs of a byte-level tokenizer (issue 19177).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from .chat import KINDS, ChatDouble, properties_of
from .http import Answers, Refuses, Request, Response, Says, as_json, marked

MODEL = "x"
CONTEXT = 2048
_MOST = 1000  # properties; a grammar of more is not compiled
_COMPLETION_KINDS: Mapping[str, type | tuple[type, ...]] = {
    "model": str,
    "prompt": str,
    "max_tokens": int,
    "temperature": (int, float),
    "echo": bool,
    "logprobs": int,
    "prompt_logprobs": int,
}
_NEEDED = {"model", "prompt", "max_tokens", "temperature"}
_GENERATED = (" x", -1.5)


class VllmDouble(ChatDouble):
    kinds: ClassVar[Mapping[str, Any]] = {**KINDS, "guided_json": dict, "structured_outputs": dict}
    show: Callable[[str], str] = staticmethod(marked)

    def __init__(
        self,
        answers: Answers = lambda body: "4",
        *,
        refuses: frozenset[str] = frozenset(),
        old: bool = False,
        likelihoods: list[tuple[str, float | None]] | None = None,
        most_logprobs: int = 20,
    ) -> None:
        super().__init__(answers, refuses=refuses | ({"json_schema"} if old else set()))
        self.old, self.likelihoods, self.most_logprobs = old, likelihoods, most_logprobs

    def shown(self, token: str) -> dict[str, Any]:
        text = self.show(token)
        return {"token": text, "bytes": list(text.encode())}

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
            return self._completed(request.json)
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

    def _completed(self, body: dict[str, Any]) -> Response:
        refused = self._completion_problem(body)
        if refused:
            return self.refusal(refused)
        prompt = self.likelihoods or []
        shown = [*prompt, _GENERATED] if body.get("echo") else [_GENERATED]
        alternatives = body.get("prompt_logprobs")
        if alternatives is None and body.get("echo"):
            alternatives = body.get("logprobs")
        choice = {
            "index": 0,
            "text": "".join(token for token, _ in shown),
            "logprobs": _columns(shown) if "logprobs" in body else None,
            "finish_reason": "length",
            "stop_reason": None,
            "prompt_logprobs": None if alternatives is None else _entries(prompt, alternatives),
        }
        asked = len(prompt) if self.likelihoods is not None else 7
        usage = self.usage(Says(" x", input_tokens=asked, output_tokens=1))
        return as_json({"object": "text_completion", "choices": [choice], "usage": usage})

    def _completion_problem(self, body: dict[str, Any]) -> Refuses | None:
        for name, value in body.items():
            kind = _COMPLETION_KINDS.get(name, ())
            if not isinstance(value, kind) or (isinstance(value, bool) and kind is int):
                return Refuses(400, f"Unknown or wrong field: {name}", "BadRequestError")
            if name in self.refuses:
                return self.unsupported(name)
        if not body.keys() >= _NEEDED or body["model"] != MODEL or not body["prompt"]:
            return Refuses(400, "Either prompt or prompt_embeds must be provided and non-empty.")
        for name in ("logprobs", "prompt_logprobs"):
            if not -1 <= body.get(name, 0) <= self.most_logprobs:
                most = f"which is greater than max allowed: {self.most_logprobs}"
                message = f"Requested {name} of {body[name]}, {most}"
                return Refuses(400, message, "BadRequestError", more={"param": name})
        return None


def _columns(shown: Sequence[tuple[str, float | None]]) -> dict[str, Any]:
    offsets, at = [], 0
    for token, _ in shown:
        offsets.append(at)
        at += len(token)
    return {
        "text_offset": offsets,
        "tokens": [token for token, _ in shown],
        "token_logprobs": [value for _, value in shown],
        "top_logprobs": [None if v is None else {token: v} for token, v in shown],
    }


def _entries(
    prompt: Sequence[tuple[str, float | None]], alternatives: int
) -> list[dict[str, dict[str, Any]] | None]:
    """`prompt_logprobs`: the token of the prompt by its id, and the likeliest beside it."""
    entries: list[dict[str, dict[str, Any]] | None] = [None]
    for number, (token, value) in enumerate(prompt[1:], start=1):
        own = {"logprob": value, "rank": 5, "decoded_token": token}
        best = {"logprob": -0.0625, "rank": 1, "decoded_token": " best"}
        entries.append({str(number): own} | ({"0": best} if alternatives else {}))
    return entries
