"""A double of Azure OpenAI: one resource with one deployment, gpt-x.

After "Azure OpenAI in Microsoft Foundry Models REST API reference" (the dated data plane: path,
`api-version`, `api-key`), "Azure OpenAI v1 API" (the path without a version), "Content filtering"
(the 400 with its `innererror`, `prompt_filter_results`, `content_filter_results`) and "Manage
quota" (the headers of a 429). `Says(finish="content_filter", reason="violence")` is a completion
that was filtered for that category.
"""

from __future__ import annotations

import re
from typing import Any

from .chat import ChatDouble
from .http import Refuses, Request, Response, Says, as_json

DEPLOYMENT = "gpt-x"
DATED = f"/openai/deployments/{DEPLOYMENT}/chat/completions"
V1 = "/openai/v1/chat/completions"
_CATEGORIES = ("hate", "self_harm", "sexual", "violence")


def filtered_prompt(category: str) -> Refuses:
    """How a prompt that the filter stopped is answered."""
    return Refuses(
        400,
        "The response was filtered due to the prompt triggering Azure OpenAI's content management"
        " policy. Please modify your prompt and retry.",
        more={
            "type": None,
            "param": "prompt",
            "code": "content_filter",
            "status": 400,
            "innererror": {
                "code": "ResponsibleAIPolicyViolation",
                "content_filter_result": _results(category),
            },
        },
    )


class AzureDouble(ChatDouble):
    root = ""

    def knows(self, request: Request) -> bool:
        return request.headers.get("api-key") == self.key

    def unauthorized(self) -> Refuses:
        message = "Access denied due to invalid subscription key or wrong API endpoint."
        return Refuses(401, message, more={"code": "401"})

    def refusal(self, refuses: Refuses) -> Response:
        error = {"code": str(refuses.status), "message": refuses.message} | dict(refuses.more)
        response = as_json({"error": error}, refuses.status)
        return Response(response.status, response.body, refuses.headers)

    def other(self, request: Request) -> Response:
        if request.method == "POST" and request.path == DATED:
            if re.fullmatch(r"\d{4}-\d\d-\d\d(-preview)?", request.query.get("api-version", "")):
                return self.direct(request)
            return self.refusal(Refuses(404, "Resource not found"))
        if request.method == "POST" and request.path == V1:
            if request.json.get("model") == DEPLOYMENT:
                return self.direct(request)
            return self._no_deployment()
        if re.fullmatch("/openai/deployments/[^/]+/chat/completions", request.path):
            return self._no_deployment()
        return self.refusal(Refuses(404, "Resource not found"))

    def _no_deployment(self) -> Response:
        message = "The API deployment for this resource does not exist."
        return self.refusal(Refuses(404, message, more={"code": "DeploymentNotFound"}))

    def completion(self, body: dict[str, Any], says: Says) -> dict[str, Any]:
        seen = [{"prompt_index": 0, "content_filter_results": _results("")}]
        return super().completion(body, says) | {"prompt_filter_results": seen}

    def choice(self, body: dict[str, Any], says: Says) -> dict[str, Any]:
        category = says.reason if says.finish == "content_filter" else ""
        return super().choice(body, says) | {"content_filter_results": _results(category)}


def _results(category: str) -> dict[str, Any]:
    results: dict[str, Any] = {
        name: {"filtered": name == category, "severity": "high" if name == category else "safe"}
        for name in _CATEGORIES
    }
    return results | {"jailbreak": {"filtered": category == "jailbreak", "detected": False}}
