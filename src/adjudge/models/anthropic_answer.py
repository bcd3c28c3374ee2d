"""What the Messages API answers: a reply with its usage, or a complaint."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from time import time
from typing import Any

import orjson

from adjudge.core.reply import Finish, Reply, Usage

from .prices import Price
from .usage import Told, usage_as_told
from .wire import Answer, Complaint, complaint_of

_FINISH: Mapping[str, Finish] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refused",
}
_FILTERED = re.compile("blocked by content filter", re.IGNORECASE)
_NO_CREDIT = re.compile(r"credit balance|usage limits", re.IGNORECASE)


def reply_of(data: Any, price: Price | None, batch: bool) -> Reply:
    """The reply of a message. Raises KeyError, TypeError or the like when it is none."""
    finish = _FINISH.get(data["stop_reason"], "stop")
    details = data.get("stop_details") or {}
    reason = details.get("explanation") or details.get("category") or "declined by the model"
    return Reply(
        text=_text(data["content"]),
        finish=finish,
        usage=_usage(data.get("usage"), price, batch),
        refusal=reason if finish == "refused" else None,
    )


def _text(blocks: list[dict[str, Any]]) -> str:
    """What the tool was given, as JSON; else the text. What the model thought is left out."""
    given = [block["input"] for block in blocks if block["type"] == "tool_use"]
    if given:
        return orjson.dumps(given[0]).decode()
    return "".join(block["text"] for block in blocks if block["type"] == "text")


def _usage(given: Any, price: Price | None, batch: bool) -> Usage:
    """What is read from the cache and written to it stands beside the other input."""
    usage: Mapping[str, Any] = given if isinstance(given, dict) else {}
    told = Told(
        input_tokens=usage.get("input_tokens"),
        output_tokens=usage.get("output_tokens"),
        cached_tokens=usage.get("cache_read_input_tokens"),
        written_tokens=usage.get("cache_creation_input_tokens"),
        cached_apart=True,
    )
    return usage_as_told(told, price, batch=batch)


def complaint(answer: Answer, data: Any) -> Complaint:
    """What the server complains about; some of it only Anthropic words so."""
    told = complaint_of(answer, data)
    if told.retry_after is None:
        told = replace(told, retry_after=used_up(answer.headers))
    if _NO_CREDIT.search(told.message):  # told as an invalid request
        told = replace(told, code=f"{told.code} billing")
    return told


def blocked(told: Complaint) -> Reply | None:
    """The refusal that a complaint stands for: the filter of what Claude writes is told as one."""
    if told.status == 400 and _FILTERED.search(told.message):
        return Reply(text="", finish="refused", refusal=told.message)
    return None


def used_up(headers: Mapping[str, str]) -> float | None:
    """Seconds until all limits that are used up are whole again; None when none is."""
    waits = []
    for limit in ("requests", "tokens", "input-tokens", "output-tokens"):
        name = f"anthropic-ratelimit-{limit}"
        if headers.get(f"{name}-remaining") == "0":
            try:
                ends = datetime.fromisoformat(headers.get(f"{name}-reset") or "")
            except ValueError:
                continue
            waits.append(max(0.0, ends.timestamp() - time()))
    return max(waits, default=None)
