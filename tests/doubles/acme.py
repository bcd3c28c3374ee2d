"""A double of the API that docs/adding-a-provider.md makes up.

`answers` gets the body of a request and returns a text, `Says` or `Refuses`.
"""

from __future__ import annotations

from typing import Any

from .http import Answers, Double, Refuses, Request, Response, Says, as_json

KEY = "acme-double"
_KINDS: dict[str, Any] = {
    "model": str,
    "turns": list,
    "limit": int,
    "temperature": (int, float),
    "schema": dict,
}


class AcmeDouble(Double):
    def __init__(self, answers: Answers = lambda body: "4") -> None:
        super().__init__()
        self.answers = answers

    def refusal(self, refuses: Refuses) -> Response:
        response = as_json({"error": {"message": refuses.message}}, refuses.status)
        return Response(response.status, response.body, refuses.headers)

    def handle(self, request: Request) -> Response:
        if request.headers.get("authorization") != f"Bearer {KEY}":
            return self.refusal(Refuses(401, "who are you?"))
        if str(request) != "POST /v1/chat":
            return self.refusal(Refuses(404, f"no {request} here"))
        said = _fault(request.json) or self.answers(request.json)
        if isinstance(said, Refuses):
            return self.refusal(said)
        says = said if isinstance(said, Says) else Says(str(said))
        tokens = {"in": says.input_tokens, "out": says.output_tokens, "cached": says.cached}
        end = {"text": says.text, "end": says.finish or "done", "why": says.reason}
        return as_json({**end, "tokens": tokens})


def _fault(body: dict[str, Any]) -> Refuses | None:
    for name, value in body.items():
        if name not in _KINDS or not isinstance(value, _KINDS[name]):
            return Refuses(400, f"what is {name}?")
    if any(turn.get("by") not in ("system", "user", "assistant") for turn in body["turns"]):
        return Refuses(400, "by whom?")
    if len(body.get("schema", {}).get("properties", {})) > 100:
        return Refuses(400, "the schema is too large")
    return None
