"""A double of the Gemini API: generateContent and the description of a model.

After the references "Generating content" (GenerateContentRequest, GenerationConfig, Candidate,
FinishReason, PromptFeedback, UsageMetadata, LogprobsResult), "Caching" (Content, Schema), "Models"
and the guides "Structured outputs", "Thinking", "Safety settings", "Rate limits" and
"Troubleshooting" of ai.google.dev, and after google.rpc.Status with its ErrorInfo, RetryInfo and
QuotaFailure. It refuses what the real one refuses: a key anywhere but in its header or its query,
unknown fields at any place, other roles than user and model, parts without text, a schema together
with another one or without its MIME type, keywords of a schema that are not taken, and a schema too
large to be served.

`answers` gets the body of a request and returns a text, `Says` or `Refuses`. A `finish` that begins
with "prompt:" is the reason why the prompt is blocked. `refuses` names what the model does not take
out of "responseJsonSchema", "responseSchema", "responseMimeType", "logprobs", "seed" and
"temperature".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from .http import Answers, Double, Refuses, Request, Response, Says, as_json, marked

KEY = "AIza-double"
INPUT_LIMIT, OUTPUT_LIMIT = 1_048_576, 65_536
_MODEL = re.compile(r"/v1beta/(?:models|tunedModels)/([\w.-]+)(:generateContent)?")
_KINDS: dict[str, Any] = {
    "contents": list,
    "systemInstruction": dict,
    "generationConfig": dict,
    "safetySettings": list,
}
_CONFIG_KINDS: dict[str, Any] = {
    "temperature": (int, float),
    "maxOutputTokens": int,
    "seed": int,
    "responseLogprobs": bool,
    "logprobs": int,
    "responseMimeType": str,
    "responseSchema": dict,
    "responseJsonSchema": dict,
}
_JSON_KEYWORDS = {
    *("$id", "$defs", "$ref", "$anchor", "type", "format", "title", "description", "enum"),
    *("items", "prefixItems", "minItems", "maxItems", "minimum", "maximum", "anyOf", "oneOf"),
    *("properties", "additionalProperties", "required", "propertyOrdering"),
}
_OWN_KEYWORDS = {
    *("type", "format", "title", "description", "nullable", "enum", "maxItems", "minItems"),
    *("properties", "required", "minProperties", "maxProperties", "minLength", "maxLength"),
    *("pattern", "example", "anyOf", "propertyOrdering", "default", "items", "minimum", "maximum"),
}
_TYPES = {"STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"}
_MOST_PROPERTIES = 1000  # the API tells no number
_RPC = "type.googleapis.com/google.rpc"


class GeminiDouble(Double):
    root = "/v1beta"

    def __init__(
        self,
        answers: Answers = lambda body: "4",
        *,
        refuses: frozenset[str] = frozenset(),
    ) -> None:
        super().__init__()
        self.answers, self.refuses = answers, refuses

    def refusal(self, refuses: Refuses) -> Response:
        """`type` is the status, `more` may give `reason`, `retry_delay` and `quota`."""
        kinds = {400: "INVALID_ARGUMENT", 403: "PERMISSION_DENIED", 404: "NOT_FOUND"}
        usual = refuses.type == "invalid_request_error"
        error: dict[str, Any] = {
            "code": refuses.status,
            "message": refuses.message,
            "status": kinds.get(refuses.status, "UNKNOWN") if usual else refuses.type,
        }
        details = _details(refuses.more)
        response = as_json(
            {"error": error | ({"details": details} if details else {})}, refuses.status
        )
        return Response(response.status, response.body, refuses.headers)

    def handle(self, request: Request) -> Response:
        wrong = _key_fault(request)
        if wrong:
            return self.refusal(wrong)
        found = _MODEL.fullmatch(request.path)
        match (request.method, found and found.groups()):
            case "POST", (_, str()):
                return self._generate(request.json)
            case "GET", (str(name), None):
                return as_json(_description(name))
        return self.refusal(Refuses(404, f"Not found: {request}"))

    def _generate(self, body: dict[str, Any]) -> Response:
        said = _fault(body, self.refuses) or self.answers(body)
        if isinstance(said, Refuses):
            return self.refusal(said)
        says = said if isinstance(said, Says) else Says(str(said))
        self.billed.add(says, batched=False)
        answer: dict[str, Any] = {
            "usageMetadata": {
                "promptTokenCount": says.input_tokens,
                "candidatesTokenCount": says.output_tokens - says.thinking,
                "totalTokenCount": says.input_tokens + says.output_tokens,
                **({"cachedContentTokenCount": says.cached} if says.cached else {}),
                **({"thoughtsTokenCount": says.thinking} if says.thinking else {}),
            },
            "modelVersion": "gemini-x",
            "responseId": "r1",
        }
        if says.finish.startswith("prompt:"):
            reason = says.finish.removeprefix("prompt:")
            answer["promptFeedback"] = {"blockReason": reason, "safetyRatings": _ratings(says)}
        else:
            answer["candidates"] = [_candidate(body, says)]
        return as_json(answer)


def _candidate(body: Mapping[str, Any], says: Says) -> dict[str, Any]:
    parts = [{"text": says.thought, "thought": True}] if says.thought else []
    parts += [{"text": says.text}] if says.text else []
    candidate: dict[str, Any] = {
        "content": {"role": "model", **({"parts": parts} if parts else {})},
        "finishReason": says.finish or "STOP",
        "index": 0,
    }
    if says.reason:
        candidate["safetyRatings"] = _ratings(says)
    config = body.get("generationConfig", {})
    if config.get("responseLogprobs"):
        tokens = says.tokens(config.get("logprobs", 1))
        candidate["logprobsResult"] = {
            "topCandidates": [
                {"candidates": [_scored(token, value) for token, value in top.items()]}
                for _, _, top in tokens
            ],
            "chosenCandidates": [_scored(token, value) for token, value, _ in tokens],
        }
    return candidate


def _scored(token: str, logprob: float) -> dict[str, Any]:
    """An empty text is left out, as every empty field."""
    text = {"token": marked(token)} if token else {}
    return {**text, "tokenId": 7, "logProbability": logprob}


def _ratings(says: Says) -> list[dict[str, Any]]:
    """The category that the reason names is rated high, another one is not."""
    named = f"HARM_CATEGORY_{says.reason.upper().replace(' ', '_')}"
    return [
        {"category": "HARM_CATEGORY_HARASSMENT", "probability": "NEGLIGIBLE"},
        {"category": named, "probability": "HIGH", "blocked": True},
    ]


def _description(name: str) -> dict[str, Any]:
    return {
        "name": f"models/{name}",
        "version": "001",
        "displayName": name,
        "inputTokenLimit": INPUT_LIMIT,
        "outputTokenLimit": OUTPUT_LIMIT,
        "supportedGenerationMethods": ["generateContent", "countTokens"],
    }


def _details(more: Mapping[str, Any]) -> list[dict[str, Any]]:
    details: list[dict[str, Any]] = []
    if "reason" in more:
        details.append({"@type": f"{_RPC}.ErrorInfo", "reason": more["reason"]})
    if "quota" in more:
        violation = {"quotaId": more["quota"], "quotaValue": more.get("value", "15")}
        details.append({"@type": f"{_RPC}.QuotaFailure", "violations": [violation]})
    if "retry_delay" in more:
        details.append({"@type": f"{_RPC}.RetryInfo", "retryDelay": more["retry_delay"]})
    return details


def _key_fault(request: Request) -> Refuses | None:
    if "key" in request.query:  # taken by the API; never sent by adjudge, as addresses get logged
        return Refuses(400, "the double takes no key in an address")
    key = request.headers.get("x-goog-api-key")
    if key is None:
        return Refuses(403, "Method doesn't allow unregistered callers.")
    if key != KEY:
        message = "API key not valid. Please pass a valid API key."
        return Refuses(400, message, more={"reason": "API_KEY_INVALID"})
    return None


def _fault(body: dict[str, Any], refuses: frozenset[str]) -> Refuses | None:
    config = body.get("generationConfig", {})
    return (
        _unknown(body, _KINDS, "")
        or _contents_fault(body.get("contents"))
        or _parts_fault(body.get("systemInstruction", {"parts": [{"text": "x"}]}))
        or _unknown(config, _CONFIG_KINDS, " at 'generation_config'")
        or _model_fault(config, refuses)
        or _format_fault(config)
    )


def _unknown(body: Mapping[str, Any], kinds: Mapping[str, Any], place: str) -> Refuses | None:
    for name, value in body.items():
        if name not in kinds:
            told = f'Unknown name "{name}"{place}: Cannot find field.'
            return Refuses(400, f"Invalid JSON payload received. {told}")
        if not isinstance(value, kinds[name]):
            return Refuses(400, f"Invalid value{place} ({name})")
    return None


def _contents_fault(contents: Any) -> Refuses | None:
    if not contents:
        return Refuses(400, "* GenerateContentRequest.contents: contents is not specified")
    for turn in contents:
        if turn.get("role") not in ("user", "model"):
            return Refuses(400, "Please use a valid role: user, model.")
        wrong = _unknown(turn, {"role": str, "parts": list}, " at 'contents'") or _parts_fault(turn)
        if wrong:
            return wrong
    return None


def _parts_fault(content: Mapping[str, Any]) -> Refuses | None:
    for part in content.get("parts") or [{}]:
        wrong = _unknown(part, {"text": str}, " at 'parts'")
        if wrong or not part.get("text"):
            return wrong or Refuses(400, "Unable to submit request: it must have a text parameter.")
    return None


def _model_fault(config: Mapping[str, Any], refuses: frozenset[str]) -> Refuses | None:
    sent = refuses & config.keys()
    if "logprobs" in sent:
        return Refuses(400, "Logprobs is not enabled for models/gemini-x")
    if "responseMimeType" in sent:
        return Refuses(400, "Json mode is not enabled for models/gemini-x")
    for name in ("temperature", "seed"):
        if name in sent:
            return Refuses(400, f"{name} is deprecated and not supported by models/gemini-x")
    for name in ("responseJsonSchema", "responseSchema"):
        if name in sent:  # some schemas get no more said of them than this
            return Refuses(400, "Request contains an invalid argument.")
    return None


def _format_fault(config: Mapping[str, Any]) -> Refuses | None:
    if not 0 <= config.get("temperature", 0) <= 2:
        return Refuses(400, "Unable to submit request: temperature must be from 0 to 2.")
    if "logprobs" in config and not (config.get("responseLogprobs") and config["logprobs"] <= 20):
        return Refuses(400, "logprobs must be from 0 to 20, with response_logprobs set")
    given = [name for name in ("responseSchema", "responseJsonSchema") if name in config]
    if len(given) > 1:
        return Refuses(400, "Only one of response_schema and response_json_schema may be set")
    if given and config.get("responseMimeType") != "application/json":
        return Refuses(400, "A schema needs the response_mime_type application/json")
    if not given:
        return None
    own = given == ["responseSchema"]
    return _schema_fault(config[given[0]], _OWN_KEYWORDS if own else _JSON_KEYWORDS, own)


def _schema_fault(schema: Mapping[str, Any], keywords: set[str], own: bool) -> Refuses | None:
    unknown = schema.keys() - keywords
    if unknown:
        return Refuses(400, f'Unknown name "{unknown.pop()}" at a response schema')
    if own and schema.get("type") not in _TYPES:
        return Refuses(400, f"Invalid value at 'response_schema.type': {schema.get('type')}")
    if own and not all(isinstance(value, str) for value in schema.get("enum", ())):
        return Refuses(400, "Invalid value at 'response_schema.enum' (TYPE_STRING)")
    parts = schema.get("properties", {})
    if len(parts) > _MOST_PROPERTIES:
        told = "The specified schema produces a constraint that has too many states for serving."
        return Refuses(400, told)
    inside = [*parts.values(), *([schema["items"]] if "items" in schema else [])]
    return next(filter(None, (_schema_fault(part, keywords, own) for part in inside)), None)
