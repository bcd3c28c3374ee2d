"""What generateContent answers: a reply with its usage, or a complaint."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from adjudge.core.reply import Finish, Reply, TokenLogprob, Usage

from .prices import Price
from .usage import Told, usage_as_told
from .wire import Answer, Complaint, complaint_of

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
        why = _reason(feedback["blockReason"], feedback)
        return Reply(
            text="", finish="refused", usage=usage, refusal=f"the prompt is blocked: {why}"
        )
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
    )


def _text(content: Mapping[str, Any]) -> str:
    """The parts without those that the model thought."""
    parts = content.get("parts") or ()
    return "".join(part.get("text") or "" for part in parts if not part.get("thought"))


def _reason(code: str, told: Mapping[str, Any]) -> str:
    """The code with the categories that were rated as harmful, and what the API says of it."""
    rated = [
        str(rating.get("category")).removeprefix("HARM_CATEGORY_").lower().replace("_", " ")
        for rating in told.get("safetyRatings") or ()
        if rating.get("blocked") or rating.get("probability") == "HIGH"
    ]
    said = told.get("finishMessage") or told.get("blockReasonMessage")
    shown = f"{code} ({', '.join(rated)})" if rated else code
    return f"{shown}: {said}" if said else shown


def _usage(given: Any, price: Price | None) -> Usage:
    """Cached tokens are within those of the prompt; thoughts are paid for as output."""
    usage: Mapping[str, Any] = given if isinstance(given, dict) else {}
    told = Told(
        input_tokens=usage.get("promptTokenCount"),
        output_tokens=usage.get("candidatesTokenCount"),
        thought_tokens=usage.get("thoughtsTokenCount"),
        cached_tokens=usage.get("cachedContentTokenCount"),
    )
    return usage_as_told(told, price)


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
    found: dict[str, float] = {}
    for other in top.get("candidates") or ():
        found.setdefault(_shown(other), float(other["logProbability"]))
    return found


def _shown(token: Mapping[str, Any]) -> str:
    """Half a character may be an empty text, and an empty field is left out of an answer."""
    return str(token.get("token", ""))


def complaint(answer: Answer, data: Any) -> Complaint:
    """What the server complains about, with a status that says what it means.

    A key that is no key comes as 400, and so does a prompt that is too long.
    """
    error = _error(data)
    told = replace(complaint_of(answer, error or data), code=str(error.get("status") or ""))
    for detail in _details(data):
        if str(detail.get("reason")).startswith("API_KEY_"):
            return replace(told, status=401, code=str(detail["reason"]))
    if told.status == 400 and _TOO_LONG.search(told.message):
        return replace(told, status=413)
    if told.retry_after is None:
        told = replace(told, retry_after=_retry_delay(data))
    return told


def for_good(told: Complaint, data: Any) -> str | None:
    """Why every further request of this run will meet the same; None when it need not."""
    if told.status == 400 and told.code == "FAILED_PRECONDITION":
        return "look up what the project may use, and enable billing for it"
    for detail in _details(data):
        for violation in detail.get("violations") or ():
            # The delay that comes with it is that of a minute's quota.
            if told.status == 429 and "PerDay" in str(violation.get("quotaId")):
                return "the quota of the day is used up: go on tomorrow, or raise it"
            if told.status == 429 and str(violation.get("quotaValue")) == "0":
                return "the plan has no quota for this model: enable billing, or name another"
    return None


def _retry_delay(data: Any) -> float | None:
    for detail in _details(data):
        found = _SECONDS.fullmatch(str(detail.get("retryDelay") or ""))
        if found:
            return float(found.group(1))
    return None


def _details(data: Any) -> list[Mapping[str, Any]]:
    return [detail for detail in _error(data).get("details") or () if isinstance(detail, dict)]


def _error(data: Any) -> Mapping[str, Any]:
    """The error in an answer, which is in a list where it could have been streamed."""
    if isinstance(data, list) and data:
        data = data[0]
    error = data.get("error") if isinstance(data, dict) else None
    return error if isinstance(error, dict) else {}
