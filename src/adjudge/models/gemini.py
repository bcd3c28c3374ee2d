"""Gemini through generateContent: `gemini/NAME`."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from adjudge.core.prompt import Message, Prompt, Sampling
from adjudge.core.reason import Reason, reason_of
from adjudge.core.reply import Finish, Reply, TokenLogprob, Usage
from adjudge.errors import ProviderError

from .base import ModelOptions
from .http import Complaint, Endpoint, HttpAnswer, Remedies, complaint_of, decode
from .http_model import Forms, HttpModel, SentRequest, Ways, api_key, model_name, next_way
from .prices import Price, published_price
from .usage import ReportedUsage, usage_from_report

_KEY, _BASE = "GEMINI_API_KEY", "GEMINI_BASE_URL"
_HOST, _API = "https://generativelanguage.googleapis.com", "/v1beta"
_VERSION = re.compile(r"/v\d+(alpha|beta)?\d*$")
_NAMES: Mapping[str, re.Pattern[str]] = {
    "logprobs": re.compile("logprobs", re.IGNORECASE),
    "temperature": re.compile(
        r"temperature.*(deprecated|not.{0,12}support|unsupported|cannot find)", re.IGNORECASE
    ),
    "seed": re.compile(r"\bseed\b", re.IGNORECASE),
}
# The last is all that some schemas are answered with, and some other faults too.
_JSON = re.compile(
    r"schema|constraint|response.?mime.?type|\bjson.mode|nesting depth"
    r"|request contains an invalid argument",
    re.IGNORECASE,
)


def open_model(rest: str, options: ModelOptions) -> GeminiModel:
    """The model NAME of `gemini/NAME`, at Google or at the base URL of a gateway."""
    name = rest.removeprefix("models/")
    full = model_name("gemini", name)
    base = (options.base_url or os.environ.get(_BASE) or _HOST).rstrip("/")
    root = base if _VERSION.search(base) else base + _API
    own = root.startswith(f"{_HOST}/")
    key = api_key(_KEY, full, needed=own and not options.offline)
    # In a header: an address is written into logs.
    headers = {"x-goog-api-key": key} if key else {}
    remedies = Remedies(
        key=Reason("model.check_key", name=_KEY), address=Reason("model.address", name=_BASE)
    )
    path = _path_of(name)
    endpoint = Endpoint(root, f"{path}:generateContent", headers, key, options.timeout, remedies)
    price = options.price or (published_price("gemini", name) if own else None)
    return GeminiModel(name, endpoint, price)


def _path_of(name: str) -> str:
    """Tuned models stand in a collection of their own."""
    return "/" + quote(name if name.startswith("tunedModels/") else f"models/{name}")


class GeminiModel(HttpModel):
    """A model behind `POST {base}/models/NAME:generateContent`.

    JSON is asked for with a JSON Schema; where that is refused, with one in the API's own dialect,
    then with none. Another form counts as found once a request in it has been answered: some
    complaints do not say what they are about.
    """

    def __init__(self, model: str, endpoint: Endpoint, price: Price | None) -> None:
        super().__init__(f"gemini/{model}", endpoint, price, forms=FORMS)
        self._path = _path_of(model)

    async def context_size(self) -> int | None:
        """What a prompt may have; the reply has a limit of its own, on top of that.

        None at a gateway that does not describe its models.
        """
        answer = await self._endpoint.call("GET", self._path)
        data = decode(answer.body)
        if answer.status not in (200, 404, 405):
            raise self._failure(complaint_in(answer, data), data, None)
        try:
            return int(data["inputTokenLimit"])
        except (KeyError, TypeError, ValueError):
            return None

    def _abilities(self, before: Ways) -> dict[str, bool]:  # noqa: ARG002
        able, ways = self.capabilities, self._ways
        return {
            "json_schema": able.json_schema and ways["json"] in ("json_schema", "schema"),
            "logprobs": able.logprobs and ways["logprobs"] is not None,
            "seed": able.seed and ways["seed"] is not None,
        }

    def _body(self, prompt: Prompt, sampling: Sampling, ways: Ways) -> dict[str, Any]:
        return body_of(prompt, sampling, ways)

    def _read(self, answer: HttpAnswer, data: Any, sent: SentRequest) -> Reply | Complaint:  # noqa: ARG002
        # A gateway may report an error with status 200.
        if answer.status != 200 or (isinstance(data, dict) and data.get("error")):
            return complaint_in(answer, data)
        try:
            return replace(reply_of(data, self.price), latency_ms=answer.latency_ms)
        except BrokenOff as reason:
            broken = Reason("model.broken_off", place=self._endpoint.place, why=str(reason))
            raise ProviderError(broken, retryable=True, status=200, sent=True) from None

    def _adapted(self, complaint: Complaint, sent: SentRequest) -> Ways | None:
        if complaint.status != 400:
            return None
        config = sent.body["generationConfig"]
        patterns = {**_NAMES, "json": _JSON} if "responseMimeType" in config else _NAMES
        for part, pattern in patterns.items():
            if (part == "json" or part in config) and pattern.search(complaint.message):
                return next_way(FORMS, sent.ways, part)
        return None

    def _failure(self, complaint: Complaint, data: Any, sent: SentRequest | None) -> ProviderError:
        error = super()._failure(complaint, data, sent)
        if remedy := lasting_remedy(complaint, data):
            reason = Reason("model.lasting", why=reason_of(error), remedy=remedy)
            return ProviderError(reason, status=complaint.status, fatal=True)
        return error


# Older models take only the API's own dialect of schemas, the oldest JSON without any.
FORMS: Forms = {
    "json": ("json_schema", "schema", "json", None),
    "logprobs": ("logprobs", None),
    "temperature": ("temperature", None),
    "seed": ("seed", None),
}
_ROLES = {"user": "user", "assistant": "model"}
_MOST_LOGPROBS = 20


def body_of(prompt: Prompt, sampling: Sampling, ways: Ways) -> dict[str, Any]:
    system = [turn.content for turn in prompt.messages if turn.role == "system" and turn.content]
    body: dict[str, Any] = {
        "contents": [_content(turn) for turn in prompt.messages if turn.role != "system"],
        "generationConfig": _config(prompt, sampling, ways),
    }
    if system:
        body["systemInstruction"] = {"parts": [{"text": text} for text in system]}
    return body


def _content(turn: Message) -> dict[str, object]:
    # The API refuses a part without text, which a model's own earlier reply may be.
    text = turn.content if turn.content.strip() else "(nothing)"
    return {"role": _ROLES[turn.role], "parts": [{"text": text}]}


def _config(prompt: Prompt, sampling: Sampling, ways: Ways) -> dict[str, object]:
    config: dict[str, object] = {"maxOutputTokens": sampling.max_tokens}
    if sampling.temperature is not None and ways["temperature"]:
        config["temperature"] = sampling.temperature
    if sampling.seed is not None and ways["seed"]:
        config["seed"] = sampling.seed
    if sampling.top_logprobs and ways["logprobs"]:
        config["responseLogprobs"] = True
        config["logprobs"] = min(sampling.top_logprobs, _MOST_LOGPROBS)
    if prompt.schema is not None and ways["json"]:
        config["responseMimeType"] = "application/json"
        if ways["json"] == "json_schema":
            config["responseJsonSchema"] = prompt.schema
        elif ways["json"] == "schema":
            config["responseSchema"] = in_own_dialect(prompt.schema)
    return config


def in_own_dialect(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema as a Schema object of the API.

    Its types are in capitals, its enums hold texts only (a list of numbers becomes their least and
    greatest), it knows no additionalProperties, and the order of properties has to be said. The
    length of lists is left out: many such bounds are refused, without a word about which.
    """
    if "anyOf" in schema:
        return {"anyOf": [in_own_dialect(part) for part in schema["anyOf"]]}
    own: dict[str, Any] = {"type": schema["type"].upper()}
    values = schema.get("enum")
    if values and own["type"] == "STRING":
        own |= {"format": "enum", "enum": values}
    elif values:
        own |= {"minimum": min(values), "maximum": max(values)}
    own |= {name: schema[name] for name in ("minimum", "maximum", "required") if name in schema}
    if "items" in schema:
        own["items"] = in_own_dialect(schema["items"])
    if "properties" in schema:
        parts = schema["properties"]
        own["properties"] = {name: in_own_dialect(part) for name, part in parts.items()}
        own["propertyOrdering"] = list(parts)
    return own


_FINISH: Mapping[str, Finish] = {"STOP": "stop", "MAX_TOKENS": "length"}
# The provider's filters; what else there is says that the reply broke off.
_FILTERS = frozenset(
    {"SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY"}
)
_TOO_LONG = re.compile("exceeds? the maximum number of (input )?tokens", re.IGNORECASE)
_SECONDS = re.compile(r"(\d+(?:\.\d+)?)s")


class BrokenOff(Exception):  # noqa: N818 - says what is the case
    """The reply ended for none of the reasons that a reply ends for; the text names it."""


def reply_of(data: Any, price: Price | None) -> Reply:
    """The reply of an answer. Raises KeyError, TypeError or the like when it is none."""
    usage = _usage(data.get("usageMetadata"), price)
    feedback = data.get("promptFeedback") or {}
    if feedback.get("blockReason"):
        why = f"the prompt is blocked: {_reason(feedback['blockReason'], feedback)}"
        return Reply(text="", finish="refused", usage=usage, refusal=why)
    candidate = data["candidates"][0]
    reason = str(candidate.get("finishReason") or "STOP")
    text = _text(candidate.get("content") or {})
    finish: Finish = "refused" if reason in _FILTERS else _FINISH.get(reason, "stop")
    if finish == "stop" and reason != "STOP":
        raise BrokenOff(_reason(reason, candidate))
    return Reply(
        text=text,
        finish=finish,
        usage=usage,
        logprobs=_logprobs(candidate.get("logprobsResult") or {}),
        refusal=_reason(reason, candidate) if finish == "refused" else None,
        version=str(data.get("modelVersion") or ""),
    )


def _text(content: Mapping[str, Any]) -> str:
    """The parts without those that the model thought."""
    parts = content.get("parts") or ()
    return "".join(part.get("text") or "" for part in parts if not part.get("thought"))


def _reason(code: str, block: Mapping[str, Any]) -> str:
    """The code with the categories that were rated as harmful, and what the API says of it."""
    rated = [
        str(rating.get("category")).removeprefix("HARM_CATEGORY_").lower().replace("_", " ")
        for rating in block.get("safetyRatings") or ()
        if rating.get("blocked") or rating.get("probability") == "HIGH"
    ]
    message = block.get("finishMessage") or block.get("blockReasonMessage")
    shown = f"{code} ({', '.join(rated)})" if rated else code
    return f"{shown}: {message}" if message else shown


def _usage(report: Any, price: Price | None) -> Usage:
    """Cached tokens are within those of the prompt; thoughts are paid for as output."""
    usage: Mapping[str, Any] = report if isinstance(report, dict) else {}
    reported = ReportedUsage(
        input_tokens=usage.get("promptTokenCount"),
        output_tokens=usage.get("candidatesTokenCount"),
        thought_tokens=usage.get("thoughtsTokenCount"),
        cached_tokens=usage.get("cachedContentTokenCount"),
    )
    return usage_from_report(reported, price)


def _logprobs(result: Mapping[str, Any]) -> tuple[TokenLogprob, ...] | None:
    chosen = result.get("chosenCandidates")
    if not chosen:
        return None
    tops = result.get("topCandidates") or [{}] * len(chosen)
    return tuple(
        TokenLogprob(_shown(token), float(token["logProbability"]), _alternatives(top))
        for token, top in zip(chosen, tops, strict=True)
    )


def _alternatives(top: Mapping[str, Any]) -> dict[str, float]:
    """Log-probabilities by token; of byte pieces that look alike, the likeliest."""
    logprobs: dict[str, float] = {}
    for other in top.get("candidates") or ():
        logprobs.setdefault(_shown(other), float(other["logProbability"]))
    return logprobs


def _shown(token: Mapping[str, Any]) -> str:
    """Half a character may be an empty text, and an empty field is left out of an answer."""
    return str(token.get("token", ""))


def complaint_in(answer: HttpAnswer, data: Any) -> Complaint:
    """What the server complains about, with a status that says what it means.

    A key that is no key comes as 400, and so does a prompt that is too long.
    """
    error = _error(data)
    complaint = replace(complaint_of(answer, error or data), code=str(error.get("status") or ""))
    for detail in _details(data):
        if str(detail.get("reason")).startswith("API_KEY_"):
            return replace(complaint, status=401, code=str(detail["reason"]))
    if complaint.status == 400 and _TOO_LONG.search(complaint.message):
        return replace(complaint, status=413)
    if complaint.retry_after is None:
        complaint = replace(complaint, retry_after=_retry_delay(data))
    return complaint


def lasting_remedy(complaint: Complaint, data: Any) -> Reason | None:
    """Why every further request of this run will meet the same; None when it need not."""
    if complaint.status == 400 and complaint.code == "FAILED_PRECONDITION":
        return Reason("model.no_billing")
    for detail in _details(data):
        for violation in detail.get("violations") or ():
            # The delay that comes with it is that of a minute's quota.
            if complaint.status == 429 and "PerDay" in str(violation.get("quotaId")):
                return Reason("model.day_quota")
            if complaint.status == 429 and str(violation.get("quotaValue")) == "0":
                return Reason("model.no_quota")
    return None


def _retry_delay(data: Any) -> float | None:
    for detail in _details(data):
        if match := _SECONDS.fullmatch(str(detail.get("retryDelay") or "")):
            return float(match.group(1))
    return None


def _details(data: Any) -> list[Mapping[str, Any]]:
    return [detail for detail in _error(data).get("details") or () if isinstance(detail, dict)]


def _error(data: Any) -> Mapping[str, Any]:
    """The error in an answer, which is in a list where it could have been streamed."""
    if isinstance(data, list) and data:
        data = data[0]
    error = data.get("error") if isinstance(data, dict) else None
    return error if isinstance(error, dict) else {}
