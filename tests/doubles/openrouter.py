"""A double of OpenRouter, with one model, author/x, that one provider has.

After "Create a chat completion", "Provider Routing" (`require_parameters`), "Usage Accounting"
(`cost`), "Errors and Debugging" (codes, moderation metadata, errors inside a choice), "Limits" (the
headers of a 429) and "List models" of the OpenRouter documentation. `refuses` names the parameters
that the provider behind does not take: they are dropped in silence, unless all are required.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from .chat import KINDS, ChatDouble
from .http import Refuses, Request, Response, Says, as_json

MODEL = "author/x"
CONTEXT = 32768
COST = 0.00125
_ROUTING = {"require_parameters", "order", "allow_fallbacks", "data_collection", "only", "ignore"}


def flagged(reason: str) -> Refuses:
    """How a prompt that the moderation stopped is answered."""
    return Refuses(
        403,
        f'{MODEL} requires moderation on Provider. Your input was flagged for "{reason}".',
        more={
            "metadata": {
                "reasons": [reason],
                "flagged_input": "the beginning … the end",
                "provider_name": "Provider",
                "model_slug": MODEL,
            }
        },
    )


class OpenRouterDouble(ChatDouble):
    root = "/api/v1"
    chat = "/api/v1/chat/completions"
    kinds: ClassVar[Mapping[str, Any]] = {**KINDS, "provider": dict, "usage": dict}

    def refusal(self, refuses: Refuses) -> Response:
        code = refuses.status if refuses.status != 200 else 502
        error = {"code": code, "message": refuses.message} | dict(refuses.more)
        response = as_json({"error": error, "user_id": "user_1"}, refuses.status)
        return Response(response.status, response.body, refuses.headers)

    def unauthorized(self) -> Refuses:
        return Refuses(401, "No auth credentials found")

    def other(self, request: Request) -> Response:
        if str(request) != "GET /api/v1/models":
            return self.refusal(Refuses(404, "Not Found"))
        entry = {
            "id": MODEL,
            "name": "Author: X",
            "context_length": 2 * CONTEXT,
            "pricing": {"prompt": "0.00000015", "completion": "0.0000006"},
            "top_provider": {"context_length": CONTEXT, "is_moderated": True},
            "supported_parameters": sorted({"max_tokens", "seed"} - self.refuses),
        }
        return as_json({"data": [{"id": "another/y", "context_length": 1}, entry]})

    def problem(self, body: dict[str, Any]) -> Refuses | None:
        routing = body.get("provider", {})
        if routing.keys() - _ROUTING or body.get("usage", {}).keys() - {"include"}:
            return Refuses(400, "Invalid routing")
        if body.get("model") != MODEL:
            return Refuses(400, f"{body.get('model')} is not a valid model ID")
        return super().problem(body)

    def unsupported(self, name: str) -> Refuses:
        return Refuses(
            404,
            "No endpoints found that can handle the requested parameters. To learn more about"
            " provider routing, visit: https://openrouter.ai/docs/provider-routing",
        )

    def schema_problem(self, schema: dict[str, Any], strict: bool) -> Refuses | None:
        refused = super().schema_problem(schema, strict)
        if refused is None:
            return None
        raw = {"raw": refused.message, "provider_name": "Provider"}
        return Refuses(400, "Provider returned error", more={"metadata": raw})

    def usage(self, says: Says) -> dict[str, Any]:
        return super().usage(says) | {"cost": COST, "is_byok": False, "cost_details": {}}
