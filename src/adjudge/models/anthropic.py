"""Claude through the Messages API: `anthropic/NAME`."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import replace
from time import perf_counter
from typing import Any

from adjudge.core.prompt import Message, Prompt, Sampling
from adjudge.core.reply import Reply
from adjudge.errors import ModelUnavailable, ProviderError, UsageError

from .anthropic_answer import complaint, reply_of, used_up
from .anthropic_batch import AnthropicBatches
from .base import Batches, Capabilities, ModelOptions
from .json_body import decode, encode
from .prices import Price, known
from .wire import Answer, Complaint, Endpoint, Remedies

_KEY, _BASE = "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"
_DEFAULT_BASE = "https://api.anthropic.com"
_PATH = "/messages"
_VERSION = "2023-06-01"
_TOOL = "verdict"

# Forms that a part of the request is sent in, best first, None for leaving it out. The models
# differ: the newer ones take neither a forced tool nor a temperature, the older ones no format.
_WAYS: Mapping[str, tuple[str | None, ...]] = {
    "json": ("tool", "format", None),
    "temperature": ("temperature", None),
}
_NAMES: Mapping[str, re.Pattern[str]] = {
    "json": re.compile(r"tool_choice|\btools\b|input_schema|output_config|output_format"),
    "temperature": re.compile(r"temperature.*(deprecated|not.{0,12}support|unsupported)"),
}
# A format takes no bounds; the reader checks them in any case.
_BOUNDS = frozenset({"minimum", "maximum", "minItems", "maxItems", "minLength", "maxLength"})


def open_model(rest: str, options: ModelOptions) -> AnthropicModel:
    """The model NAME of `anthropic/NAME`, at Anthropic or at the base URL of a gateway."""
    if not rest:
        raise UsageError("anthropic needs the name of a model: write anthropic/NAME")
    base = options.base_url or os.environ.get(_BASE) or _DEFAULT_BASE
    root = base.rstrip("/").removesuffix(_PATH).removesuffix("/v1")
    own = root == _DEFAULT_BASE
    key = os.environ.get(_KEY, "").strip()
    if not key and own:
        raise ModelUnavailable(f"anthropic/{rest} needs a key: set {_KEY}")
    if not (key.isascii() and key.isprintable()):
        raise ModelUnavailable(f"{_KEY} holds characters that no key has: set it again")
    headers = {"anthropic-version": _VERSION} | ({"x-api-key": key} if key else {})
    remedies = Remedies(
        key=f"check that {_KEY} holds a valid key for it", address=f"--base-url or {_BASE}"
    )
    endpoint = Endpoint(f"{root}/v1", _PATH, headers, key, options.timeout, remedies)
    price = options.price or (known("anthropic", rest) if own else None)
    return AnthropicModel(rest, endpoint, price)


class AnthropicModel:
    """A model behind `POST {base}/v1/messages`.

    JSON comes as the input of a tool that the model must use; where it refuses that, as an output
    format. What it refuses is sent in another form from then on: `capabilities` says so afterwards.
    """

    def __init__(self, model: str, endpoint: Endpoint, price: Price | None) -> None:
        self.name = f"anthropic/{model}"
        self.identity = f"{self.name} at {endpoint.address}"
        self.capabilities = Capabilities(logprobs=False)
        self.price = price
        self.batches: Batches | None = AnthropicBatches(endpoint, self._for_batch, self._of_batch)
        self._model = model
        self._endpoint = endpoint
        self._ways = {name: ways[0] for name, ways in _WAYS.items()}
        self._ways_of_batch = self._ways

    async def ask(self, prompt: Prompt, sampling: Sampling) -> Reply:
        """The reply; sent again within the call only where the server refuses a form."""
        while True:
            ways = self._ways
            body = encode(self._body(prompt, sampling), prompt.item)
            started = perf_counter()
            answer = await self._endpoint.post(body)
            latency_ms = (perf_counter() - started) * 1000
            data = decode(answer.body)
            if answer.status == 200:
                reply = self._reply(answer, data)
                return replace(reply, latency_ms=latency_ms, pause=used_up(answer.headers))
            told = complaint(answer, data)
            if not self._adapt(told, ways):
                raise self._endpoint.failure(told)

    async def aclose(self) -> None:
        await self._endpoint.aclose()

    def _body(self, prompt: Prompt, sampling: Sampling) -> dict[str, object]:
        body: dict[str, object] = {
            "model": self._model,
            "max_tokens": sampling.max_tokens,
            "messages": [_turn(turn) for turn in prompt.messages if turn.role != "system"],
        }
        system = [turn.content for turn in prompt.messages if turn.role == "system"]
        if any(system):
            # The same for all items of a judge, so it pays to have it cached, with the tool.
            cached = {"cache_control": {"type": "ephemeral"}}
            body["system"] = [{"type": "text", "text": "\n\n".join(system)} | cached]
        if sampling.temperature is not None and self._ways["temperature"]:
            body["temperature"] = _checked(sampling.temperature)
        if prompt.schema is not None:
            body |= _binding(prompt.schema, self._ways["json"])
        return body

    def _reply(self, answer: Answer, data: Any, *, batch: bool = False) -> Reply:
        try:
            return reply_of(data, self.price, batch)
        except (KeyError, TypeError, ValueError, AttributeError):
            raise self._endpoint.malformed(answer.body) from None

    def _for_batch(self, prompt: Prompt, sampling: Sampling) -> dict[str, object]:
        self._ways_of_batch = self._ways
        return self._body(prompt, sampling)

    def _of_batch(self, answer: Answer, data: Any) -> Reply:
        """The reply within a batch; what was refused can be sent again in another form."""
        if answer.status == 200:
            return self._reply(answer, data, batch=True)
        told = complaint(answer, data)
        error = self._endpoint.failure(told)
        error.retryable |= self._adapt(told, self._ways_of_batch)
        raise error

    def _adapt(self, told: Complaint, ways: Mapping[str, str | None]) -> bool:
        """Whether the request can be sent in another way than `ways`, which the server refused."""
        if told.status != 400 or told.too_long:
            return False
        refused = (name for name, pattern in _NAMES.items() if pattern.search(told.message))
        name = next(refused, None)
        if name is None or ways[name] is None:
            return False
        # Another request may have met the same refusal meanwhile: then its finding is used.
        if self._ways[name] == ways[name]:
            order = _WAYS[name]
            self._ways = {**self._ways, name: order[order.index(ways[name]) + 1]}
            self.capabilities = replace(self.capabilities, json_schema=bool(self._ways["json"]))
        return True


def _turn(turn: Message) -> dict[str, str]:
    # The API refuses a turn without text, which a model's own earlier reply may be.
    return {"role": turn.role, "content": turn.content if turn.content.strip() else "(nothing)"}


def _checked(temperature: float) -> float:
    if temperature > 1.0:
        raise ProviderError("Claude takes temperatures from 0 to 1: give a lower one", fatal=True)
    return temperature


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
