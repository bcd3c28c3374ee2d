"""What /api/chat answers: a reply with its usage, or a complaint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from adjudge.core.reply import Reply, TokenLogprob

from .json_body import decode
from .prices import Price
from .token_logprobs import aligned, token_logprob
from .usage import Told, usage_as_told
from .wire import Answer, Complaint, complaint_of


def reply_of(data: Any, price: Price | None) -> Reply:
    """The reply of an answer. Raises KeyError, TypeError or the like when it is none."""
    if not data["done"]:
        raise ValueError("not a whole reply")
    message = data["message"]
    text = str(message["content"])  # what the model thought stands beside it
    told = Told(input_tokens=data.get("prompt_eval_count"), output_tokens=data.get("eval_count"))
    return Reply(
        text=text,
        finish="length" if data.get("done_reason") == "length" else "stop",
        usage=usage_as_told(told, price),
        logprobs=_logprobs(data.get("logprobs") or (), text),
    )


def _logprobs(tokens: Sequence[Mapping[str, Any]], text: str) -> tuple[TokenLogprob, ...] | None:
    """Those of the text: what was thought before has its tokens too. All where it cannot be told,
    since halves of characters come without their bytes."""
    return aligned(tokens, text) or tuple(map(token_logprob, tokens)) or None


def complaint(answer: Answer, data: Any) -> Complaint:
    """What the server complains about; newer ones pass on what their runner said, as a text."""
    told = complaint_of(answer, data)
    inner = decode(told.message.encode()) if told.message.startswith("{") else None
    if isinstance(inner, dict):
        passed_on = complaint_of(answer, inner)
        told = replace(told, message=passed_on.message, code=passed_on.code)
    return told
