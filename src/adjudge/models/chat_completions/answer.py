"""What a chat completions server answers: a reply with its usage, or why there is none.

The shapes of all providers are read alike: gateways pass on what the servers behind them say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from adjudge.core.reply import Finish, Reply, TokenLogprob, Usage

from ..http.complaints import Complaint
from ..prices import Price
from ..token_logprobs import in_columns, token_logprob
from ..usage import ReportedUsage, usage_from_report

_FINISH: Mapping[str, Finish] = {
    "length": "length",
    "max_tokens": "length",
    "content_filter": "refused",
}
_VERSION = ("model", "system_fingerprint")
# Reasons to end that leave no reply; the same request may succeed later.
BROKEN_OFF = frozenset({"insufficient_system_resource"})
_FILTERED = re.compile(
    r"content_filter|ResponsibleAIPolicyViolation|content_policy_violation|moderation_blocked"
    r"|data_inspection_failed"
)
_FLAGGED = re.compile(r"\bflagged\b|requires moderation|content exists risk", re.IGNORECASE)


def error_in(data: Any) -> Any:
    """What an answer of status 200 reports as an error after all, as gateways do; else None.

    It stands at the top, or in the choice that broke off.
    """
    if not isinstance(data, dict):
        return None
    if data.get("error"):
        return data
    choices = data.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    return first if isinstance(first, dict) and first.get("error") else None


def filtered(complaint: Complaint, data: Any) -> str | None:
    """Why the provider kept the prompt from the model; None when it complains of something else.

    A filter's refusal comes as an error: 400 with the categories, or 403 with the reasons.
    """
    error = data.get("error") if isinstance(data, dict) else None
    error = error if isinstance(error, dict) else {}
    inner, metadata = _object(error, "innererror"), _object(error, "metadata")
    code = f"{complaint.code} {inner.get('code') or ''} {metadata.get('error_type') or ''}"
    categories = list(_categories(_object(inner, "content_filter_result")))
    reasons = metadata.get("reasons")
    if isinstance(reasons, list):
        categories += [str(reason) for reason in reasons]
    flagged = complaint.status in (400, 403) and bool(_FLAGGED.search(complaint.message))
    if not (_FILTERED.search(code) or flagged or categories):
        return None
    return _why(categories) if categories else complaint.message


def reply_of(data: Any, usage: Usage, latency_ms: float, pause: float | None) -> Reply:
    """The reply of a completion. Raises KeyError, TypeError or the like when it is none."""
    choice = data["choices"][0]
    reason = choice.get("finish_reason")
    if reason == "error":  # a gateway's provider broke off in the middle
        raise ValueError("not a whole reply")
    message = choice["message"]
    refusal = message.get("refusal") or None
    finish: Finish = "refused" if refusal else _FINISH.get(reason, "stop")
    if finish == "refused" and not refusal:
        refusal = _why(_filtered_for(data, choice))
    return Reply(
        text=_text(message),
        finish=finish,
        usage=usage,
        logprobs=_logprobs(choice.get("logprobs")),
        refusal=refusal,
        latency_ms=latency_ms,
        pause=pause,
        version=" ".join(str(data[key]) for key in _VERSION if data.get(key)),
    )


def usage_of(data: Any, price: Price | None, *, batch: bool, tells_cost: bool) -> Usage:
    """The tokens and what they cost: by the price, else as the server reports."""
    usage = _object(data, "usage")
    details = _object(usage, "prompt_tokens_details")
    reported = ReportedUsage(
        input_tokens=usage.get("prompt_tokens"),
        output_tokens=usage.get("completion_tokens"),
        cached_tokens=details.get("cached_tokens") or usage.get("prompt_cache_hit_tokens"),
        written_tokens=details.get("cache_write_tokens"),
        costs=_reported_costs(usage) if tells_cost else (),
    )
    return usage_from_report(reported, price, batch=batch)


def _reported_costs(usage: Mapping[str, Any]) -> tuple[object, ...]:
    """With the user's own key at the provider behind a gateway, the bill of both is paid."""
    behind = _object(usage, "cost_details").get("upstream_inference_cost")
    costs = (usage.get("cost"), usage.get("is_byok") and behind)
    return tuple(cost for cost in costs if cost is not None and cost is not False)


def _object(parent: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = parent.get(name)
    return value if isinstance(value, dict) else {}


def _filtered_for(data: Mapping[str, Any], choice: Mapping[str, Any]) -> list[str]:
    """The categories that stopped the reply, else those that the prompt was stopped for."""
    places = [choice, *(data.get("prompt_filter_results") or ())]
    by_part = [list(_categories(_object(part, "content_filter_results"))) for part in places]
    return next((categories for categories in by_part if categories), [])


def _categories(results: Mapping[str, Any]) -> Iterator[str]:
    for name, result in results.items():
        if isinstance(result, dict) and result.get("filtered"):
            severity = result.get("severity")
            yield f"{name} ({severity})" if severity else name


def _why(categories: list[str]) -> str:
    return f"the provider's content filter: {', '.join(categories) or 'no category is given'}"


def _text(message: Mapping[str, Any]) -> str:
    """The text of a message, whose content may be null or a list of parts.

    What the model thought is left out. Gateways that bind a reply by means of a tool return its
    arguments as a call.
    """
    content = message.get("content")
    if isinstance(content, str) and content:
        return content
    parts = [part.get("text") for part in content or () if part.get("type") == "text"]
    text = "".join(part for part in parts if part)
    for call in () if text else message.get("tool_calls") or ():
        return str(_object(call, "function").get("arguments") or "")
    return text


def _logprobs(logprobs: Any) -> tuple[TokenLogprob, ...] | None:
    if not logprobs:
        return None
    if logprobs.get("token_logprobs"):
        return tuple(
            TokenLogprob(token, float(value), {k: float(v) for k, v in top.items()})
            for token, value, top in in_columns(logprobs)
        )
    return tuple(token_logprob(token) for token in logprobs.get("content") or ()) or None
