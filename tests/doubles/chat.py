"""What the doubles of the chat completions servers share.

A double knows the fields of its API and their types, and refuses all else: unknown fields, wrong
roles, a missing key, a schema that is too large. Subclasses say in which points their API differs;
they cite its reference.

`answers` gets the body of a request and returns a text, `Says` or `Refuses`. A `Says` that
finishes with "tool_calls" has its text as the arguments of a call. `refuses` names fields, or types
of a response_format, that the model does not take.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from .http import Answers, Double, Refuses, Request, Response, Says, as_json, bytes_of

KEY = "sk-double"
MOST_PROPERTIES = 5000

KINDS: Mapping[str, Any] = {
    "model": str,
    "messages": list,
    "max_completion_tokens": int,
    "max_tokens": int,
    "temperature": (int, float),
    "seed": int,
    "logprobs": bool,
    "top_logprobs": int,
    "response_format": dict,
}


class ChatDouble(Double):
    key = KEY
    chat = "/v1/chat/completions"
    kinds: ClassVar[Mapping[str, Any]] = KINDS
    formats: ClassVar[frozenset[str]] = frozenset({"text", "json_object", "json_schema"})
    roles: ClassVar[frozenset[str]] = frozenset({"system", "user", "assistant"})
    usual_end = "stop"
    schema_of_object = False  # whether {"type": "json_object"} may have a schema

    def __init__(
        self, answers: Answers = lambda body: "4", *, refuses: frozenset[str] = frozenset()
    ) -> None:
        super().__init__()
        self.answers, self.refuses = answers, refuses

    def refusal(self, refuses: Refuses) -> Response:
        error = {"message": refuses.message, "type": refuses.type, "param": None, "code": None}
        return _with_headers(
            as_json({"error": error | dict(refuses.more)}, refuses.status), refuses
        )

    def handle(self, request: Request) -> Response:
        if not self.knows(request):
            return self.refusal(self.unauthorized())
        if str(request) == f"POST {self.chat}":
            return self.direct(request)
        return self.other(request)

    def knows(self, request: Request) -> bool:
        return request.headers.get("authorization") == f"Bearer {self.key}"

    def unauthorized(self) -> Refuses:
        return Refuses(401, "Incorrect API key provided", more={"code": "invalid_api_key"})

    def other(self, request: Request) -> Response:
        return self.refusal(Refuses(404, f"Invalid URL ({request})"))

    def direct(self, request: Request) -> Response:
        said = self.said(request.json)
        if isinstance(said, Refuses):
            return self.refusal(said)
        self.billed.add(said, batched=False)
        return as_json(self.completion(request.json, said))

    def said(self, body: dict[str, Any]) -> Says | Refuses:
        said = self.problem(body) or self.answers(body)
        assert isinstance(said, str | Says | Refuses)
        return Says(said) if isinstance(said, str) else said

    def problem(self, body: dict[str, Any]) -> Refuses | None:
        """What the API does not take of this body."""
        for name, value in body.items():
            if name not in self.kinds:
                return Refuses(400, f"Unrecognized request argument supplied: {name}")
            kind = self.kinds[name]
            if not isinstance(value, kind) or (isinstance(value, bool) and kind is int):
                return Refuses(400, f"Invalid type for '{name}'", more={"param": name})
            if name in self.refuses:
                return self.unsupported(name)
        if {"max_tokens", "max_completion_tokens"} <= body.keys():
            return Refuses(400, "Setting both max_tokens names is not possible.")
        for turn in body["messages"]:
            if turn.keys() != {"role", "content"} or turn["role"] not in self.roles:
                return Refuses(400, f"Invalid value: {turn}", more={"param": "messages"})
        return self.format_problem(body.get("response_format"))

    def unsupported(self, name: str) -> Refuses:
        message = f"Unsupported parameter: '{name}' is not supported with this model."
        return Refuses(400, message, more={"param": name, "code": "unsupported_parameter"})

    def format_problem(self, form: dict[str, Any] | None) -> Refuses | None:
        if form is None:
            return None
        kind = form.get("type")
        named = {"param": "response_format"}
        if kind not in self.formats or kind in self.refuses:
            return Refuses(400, f"Invalid value: '{kind}'", more=named)
        if kind == "json_object" and self.schema_of_object and "schema" in form:
            return self.schema_problem(form["schema"], False)
        if kind != "json_schema":
            return None if form.keys() == {"type"} else Refuses(400, "Malformed", more=named)
        inner = form.get("json_schema") or {}
        if form.keys() != {"type", "json_schema"} or not {"name", "schema"} <= inner.keys():
            return Refuses(400, "Malformed response_format", more=named)
        return self.schema_problem(inner["schema"], bool(inner.get("strict")))

    def schema_problem(self, schema: dict[str, Any], strict: bool) -> Refuses | None:
        if properties_of(schema) > MOST_PROPERTIES:
            message = "Invalid schema for response_format 'verdict': too many properties."
            return Refuses(400, message, more={"param": "response_format"})
        return None

    def completion(self, body: dict[str, Any], says: Says) -> dict[str, Any]:
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1711652795,
            "model": body.get("model", ""),
            "choices": [self.choice(body, says)],
            "usage": self.usage(says),
        }

    def choice(self, body: dict[str, Any], says: Says) -> dict[str, Any]:
        return {
            "index": 0,
            "message": self.message(says),
            "finish_reason": says.finish or self.usual_end,
            "logprobs": self.logprobs(body, says),
        }

    def message(self, says: Says) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": says.text, "refusal": None}
        if says.finish == "tool_calls":
            function = {"name": "verdict", "arguments": says.text}
            calls = [{"id": "call_1", "type": "function", "function": function}]
            return message | {"content": None, "tool_calls": calls}
        if says.reason and says.finish != "content_filter":
            return message | {"content": None, "refusal": says.reason}
        return message

    def usage(self, says: Says) -> dict[str, Any]:
        return {
            "prompt_tokens": says.input_tokens,
            "completion_tokens": says.output_tokens,
            "total_tokens": says.input_tokens + says.output_tokens,
            "prompt_tokens_details": {
                "cached_tokens": says.cached,
                "cache_write_tokens": says.written,
            },
        }

    def logprobs(self, body: dict[str, Any], says: Says) -> Any:
        if not body.get("logprobs"):
            return None
        return {
            "content": [
                {
                    **self.shown(token),
                    "logprob": logprob,
                    "top_logprobs": [
                        {**self.shown(other), "logprob": value} for other, value in top.items()
                    ],
                }
                for token, logprob, top in says.tokens(body["top_logprobs"])
            ],
            "refusal": None,
        }

    def shown(self, token: str) -> dict[str, Any]:
        """Bytes that are no character are written out in the text."""
        data = bytes_of(token)
        return {"token": data.decode(errors="backslashreplace"), "bytes": list(data)}


def properties_of(node: Any) -> int:
    """How many properties a schema has, however deep."""
    if isinstance(node, list):
        return sum(map(properties_of, node))
    if not isinstance(node, dict):
        return 0
    own = len(node["properties"]) if isinstance(node.get("properties"), dict) else 0
    return own + sum(map(properties_of, node.values()))


def _with_headers(response: Response, refuses: Refuses) -> Response:
    return Response(response.status, response.body, refuses.headers)
