"""Claude through the Messages API: `anthropic/NAME`."""

from __future__ import annotations

import os
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from time import time
from typing import Any
from urllib.parse import quote

import orjson

from adjudge.core.prompt import Message, Prompt, Sampling
from adjudge.core.reason import Reason
from adjudge.core.reply import Finish, Reply, Usage
from adjudge.errors import ProviderError

from .base import BatchState, Capabilities, ModelOptions
from .http import Complaint, Endpoint, HttpAnswer, Remedies, complaint_of, decode
from .http_model import (
    Forms,
    HttpBatches,
    HttpModel,
    SentRequest,
    Ways,
    api_key,
    encode,
    model_name,
)
from .prices import Price, published_price
from .usage import ReportedUsage, usage_from_report

_KEY, _BASE = "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"
_DEFAULT_BASE = "https://api.anthropic.com"
_PATH = "/messages"
_VERSION = "2023-06-01"
_NAMES: Mapping[str, re.Pattern[str]] = {
    "json": re.compile(r"tool_choice|\btools\b|input_schema|output_config|output_format"),
    "temperature": re.compile(r"temperature.*(deprecated|not.{0,12}support|unsupported)"),
}


def open_model(rest: str, options: ModelOptions) -> AnthropicModel:
    """The model NAME of `anthropic/NAME`, at Anthropic or at the base URL of a gateway."""
    name = model_name("anthropic", rest)
    base = options.base_url or os.environ.get(_BASE) or _DEFAULT_BASE
    root = base.rstrip("/").removesuffix(_PATH).removesuffix("/v1")
    own = root == _DEFAULT_BASE
    key = api_key(_KEY, name, needed=own and not options.offline)
    headers = {"anthropic-version": _VERSION} | ({"x-api-key": key} if key else {})
    remedies = Remedies(
        key=Reason("model.check_key", name=_KEY), address=Reason("model.address", name=_BASE)
    )
    endpoint = Endpoint(f"{root}/v1", _PATH, headers, key, options.timeout, remedies)
    price = options.price or (published_price("anthropic", rest) if own else None)
    return AnthropicModel(rest, endpoint, price)


class AnthropicModel(HttpModel):
    """A model behind `POST {base}/v1/messages`.

    JSON comes as the input of a tool that the model must use; where it refuses that, as an output
    format. What it refuses is sent in another form from then on: `capabilities` says so afterwards.
    """

    def __init__(self, model: str, endpoint: Endpoint, price: Price | None) -> None:
        # Its newer models count up to a third more tokens than others do.
        able = Capabilities(logprobs=False, seed=False, bytes_per_token=(3.0, 2.0))
        super().__init__(f"anthropic/{model}", endpoint, price, capabilities=able, forms=FORMS)
        self.batches = AnthropicBatches(endpoint, self._write_for_batch, self._read_of_batch)
        self._model = model

    async def context_size(self) -> int | None:
        """None at a gateway that does not describe its models."""
        answer = await self._endpoint.call("GET", f"/models/{quote(self._model, safe='')}")
        data = decode(answer.body)
        if answer.status not in (200, 404, 405):
            raise self._endpoint.failure(complaint_in(answer, data))
        size = data.get("max_input_tokens") if isinstance(data, dict) else None
        return size if isinstance(size, int) else None

    def _abilities(self, before: Ways) -> dict[str, bool]:  # noqa: ARG002
        return {"json_schema": self.capabilities.json_schema and self._ways["json"] is not None}

    def _body(self, prompt: Prompt, sampling: Sampling, ways: Ways) -> dict[str, Any]:
        return body_of(self._model, prompt, sampling, ways)

    def _read(self, answer: HttpAnswer, data: Any, sent: SentRequest) -> Reply | Complaint:
        if answer.status == 200:
            reply = reply_of(data, self.price, sent.in_batch)
            pause = pause_until_reset(answer.headers)
            return replace(reply, latency_ms=answer.latency_ms, pause=pause)
        complaint = complaint_in(answer, data)
        refused = filter_refusal(complaint)
        return replace(refused, latency_ms=answer.latency_ms) if refused else complaint

    def _adapted(self, complaint: Complaint, sent: SentRequest) -> Ways | None:
        if complaint.status != 400 or complaint.too_long:
            return None
        refused = (part for part, names in _NAMES.items() if names.search(complaint.message))
        part = next(refused, None)
        return self._without(part, sent.ways) if part else None


# The newer models take neither a forced tool nor a temperature, the older ones no format.
FORMS: Forms = {"json": ("tool", "format", None), "temperature": ("temperature", None)}
_TOOL = "verdict"
# A format takes no bounds; the reader checks them in any case.
_BOUNDS = frozenset({"minimum", "maximum", "minItems", "maxItems", "minLength", "maxLength"})


def body_of(model: str, prompt: Prompt, sampling: Sampling, ways: Ways) -> dict[str, Any]:
    body: dict[str, Any] = {
        "model": model,
        "max_tokens": sampling.max_tokens,
        "messages": [_turn(turn) for turn in prompt.messages if turn.role != "system"],
    }
    system = [turn.content for turn in prompt.messages if turn.role == "system" and turn.content]
    if system:
        body["system"] = _cached(system)
    if sampling.temperature is not None and ways["temperature"]:
        if sampling.temperature > 1.0:
            raise ProviderError(Reason("model.temperature"), fatal=True)
        body["temperature"] = sampling.temperature
    if prompt.schema is not None:
        body |= _binding(prompt.schema, ways["json"])
    return body


def _cached(texts: list[str]) -> list[dict[str, object]]:
    """The texts that are the same for all items of a judge, to be kept up to the last of them.

    The tool stands before them, and is kept with them.
    """
    blocks: list[dict[str, object]] = [{"type": "text", "text": text} for text in texts]
    blocks[-1]["cache_control"] = {"type": "ephemeral"}
    return blocks


def _turn(turn: Message) -> dict[str, str]:
    # The API refuses a turn without text, which a model's own earlier reply may be.
    return {"role": turn.role, "content": turn.content if turn.content.strip() else "(nothing)"}


def _binding(schema: Mapping[str, object], way: str | None) -> dict[str, object]:
    if way == "tool":
        tool = {"name": _TOOL, "description": "Reports the verdict.", "input_schema": schema}
        choice = {"type": "tool", "name": _TOOL, "disable_parallel_tool_use": True}
        return {"tools": [tool], "tool_choice": choice}
    if way == "format":
        form = {"type": "json_schema", "schema": _unbounded(schema)}
        return {"output_config": {"format": form}}
    return {}


def _unbounded(node: Any) -> Any:
    """A schema without bounds. A property of that name is none: its value is a mapping."""
    if isinstance(node, Mapping):
        return {
            name: _unbounded(value)
            for name, value in node.items()
            if name not in _BOUNDS or isinstance(value, Mapping)
        }
    return [_unbounded(value) for value in node] if isinstance(node, list | tuple) else node


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
        version=str(data.get("model") or ""),
    )


def _text(blocks: list[dict[str, Any]]) -> str:
    """What the tool was given, as JSON; else the text. What the model thought is left out."""
    if inputs := [block["input"] for block in blocks if block["type"] == "tool_use"]:
        return orjson.dumps(inputs[0]).decode()
    return "".join(block["text"] for block in blocks if block["type"] == "text")


def _usage(report: Any, price: Price | None, batch: bool) -> Usage:
    """Tokens read from the cache and written to it are not among the other input."""
    usage: Mapping[str, Any] = report if isinstance(report, dict) else {}
    reported = ReportedUsage(
        input_tokens=usage.get("input_tokens"),
        output_tokens=usage.get("output_tokens"),
        cached_tokens=usage.get("cache_read_input_tokens"),
        written_tokens=usage.get("cache_creation_input_tokens"),
        cached_apart=True,
    )
    return usage_from_report(reported, price, batch=batch)


def complaint_in(answer: HttpAnswer, data: Any) -> Complaint:
    """What the server complains about; some of it in words of Anthropic's own."""
    complaint = complaint_of(answer, data)
    if complaint.retry_after is None:
        complaint = replace(complaint, retry_after=pause_until_reset(answer.headers))
    if _NO_CREDIT.search(complaint.message):  # it comes as an invalid request
        complaint = replace(complaint, code=f"{complaint.code} billing")
    return complaint


def filter_refusal(complaint: Complaint) -> Reply | None:
    """The refusal that a complaint stands for: the output filter reports itself as an error."""
    if complaint.status == 400 and _FILTERED.search(complaint.message):
        return Reply(text="", finish="refused", refusal=complaint.message)
    return None


def pause_until_reset(headers: Mapping[str, str]) -> float | None:
    """Seconds until all used-up limits are reset; None when none is used up."""
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


_UPLOAD_SECONDS = 900.0  # seconds for an upload: 256 MB over 2.5 Mbit/s
# A result has no HTTP status, but the type of its error stands for one.
_STATUS_BY_ERROR = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "overloaded_error": 529,
}


class AnthropicBatches(HttpBatches):
    """The provider keeps no labels, so a batch whose id was lost cannot be found again."""

    _path = "/messages/batches"
    most_requests = 100_000
    most_bytes = 255_000_000  # 256 MB with what stands between the requests

    def line(self, key: str, prompt: Prompt, sampling: Sampling) -> bytes:
        return encode({"custom_id": key, "params": self._write(prompt, sampling)}, prompt.item)

    async def submit(self, lines: Sequence[bytes], label: str) -> str:  # noqa: ARG002 - not kept
        body = b'{"requests":[' + b",".join(lines) + b"]}"
        return self._new_id(
            await self._endpoint.call("POST", self._path, body, seconds=_UPLOAD_SECONDS)
        )

    async def find(self, label: str) -> str | None:  # noqa: ARG002 - not kept
        return None

    def _state(self, data: Any) -> BatchState:
        counts: Mapping[str, int] = data.get("request_counts") or {}
        total = sum(counts.values())
        done = total - counts.get("processing", 0)
        if data.get("archived_at"):
            return BatchState("failed", done, total, Reason("batch.results_gone"))
        ended = data.get("processing_status") == "ended"
        return BatchState("ended" if ended else "running", done, total)

    async def results(self, batch: str) -> AsyncIterator[tuple[str, Reply | ProviderError]]:
        # Not the `results_url`: the key goes nowhere but where the user sends it.
        async for line in self._endpoint.lines(f"{self._path}/{batch}/results"):
            yield self._result(line)

    def _reply(self, row: Mapping[str, Any], line: bytes) -> Reply:
        result = row["result"]
        kind = str(result["type"])
        if kind == "succeeded":
            return self._read(HttpAnswer(200, {}, line), result.get("message"))
        if kind == "errored":
            report = result.get("error")
            inner = report.get("error") if isinstance(report, dict) else None
            status = _STATUS_BY_ERROR.get(str((inner or {}).get("type")), 500)
            return self._read(HttpAnswer(status, {}, line), report)
        raise ProviderError(Reason("batch.not_answered", kind=kind), retryable=True)

    def _data(self, answer: HttpAnswer) -> Any:
        data = decode(answer.body)
        if answer.status >= 300:
            raise self._endpoint.failure(complaint_in(answer, data))
        if not isinstance(data, dict):
            raise self._endpoint.malformed(answer.body)
        return data
