"""A double of llama.cpp's server.

After the README of its `tools/server`: `POST /v1/chat/completions`, `GET /props`, the errors in
their own shape, 503 while the model loads. The real one ignores unknown fields; this one refuses
them, so that none is sent by mistake.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from .chat import KINDS, ChatDouble, properties_of
from .http import Refuses, Request, Response, as_json, bytes_of

CONTEXT = 4096
_MOST = 1000  # properties; a grammar of more is not built


class LlamaCppDouble(ChatDouble):
    root = ""
    schema_of_object = True
    kinds: ClassVar[Mapping[str, Any]] = {
        name: kind for name, kind in KINDS.items() if name != "max_completion_tokens"
    }

    def refusal(self, refuses: Refuses) -> Response:
        error = {"code": refuses.status, "message": refuses.message, "type": refuses.type}
        response = as_json({"error": error | dict(refuses.more)}, refuses.status)
        return Response(response.status, response.body, refuses.headers)

    def unauthorized(self) -> Refuses:
        return Refuses(401, "Invalid API Key", "authentication_error")

    def other(self, request: Request) -> Response:
        if str(request) == "GET /props":
            return as_json(
                {
                    "default_generation_settings": {"id": 0, "n_ctx": CONTEXT, "params": {}},
                    "total_slots": 1,
                    "model_path": "model.gguf",
                }
            )
        return self.refusal(Refuses(404, "File Not Found", "not_found_error"))

    def shown(self, token: str) -> dict[str, Any]:
        """The text is cut where a character is only begun; the bytes are not."""
        data = bytes_of(token)
        return {"token": data.decode(errors="ignore"), "bytes": list(data)}

    def schema_problem(self, schema: dict[str, Any], strict: bool) -> Refuses | None:
        if properties_of(schema) > _MOST:
            return Refuses(400, "failed to parse grammar", "invalid_request_error")
        return None
