"""Gemini through generateContent: `gemini/NAME`."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import replace
from time import perf_counter
from typing import Any
from urllib.parse import quote

from adjudge.core.prompt import Prompt, Sampling
from adjudge.core.reply import Reply
from adjudge.errors import ModelUnavailable, ProviderError, UsageError

from .base import Capabilities, Model, ModelOptions
from .gemini_answer import BrokenOff, complaint, for_good, reply_of
from .gemini_request import FORMS, body_of
from .json_body import decode, encode
from .prices import Price, known
from .ways import Ways, after, best, further
from .ways import known as still_known
from .wire import Answer, Complaint, Endpoint, Remedies

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
    if not name:
        raise UsageError("gemini needs the name of a model: write gemini/NAME")
    base = (options.base_url or os.environ.get(_BASE) or _HOST).rstrip("/")
    root = base if _VERSION.search(base) else base + _API
    own = root.startswith(f"{_HOST}/")
    key = os.environ.get(_KEY, "").strip()
    if not key and own:
        raise ModelUnavailable(f"gemini/{name} needs a key: set {_KEY}")
    if not (key.isascii() and key.isprintable()):
        raise ModelUnavailable(f"{_KEY} holds characters that no key has: set it again")
    # In a header: an address is written into logs.
    headers = {"x-goog-api-key": key} if key else {}
    remedies = Remedies(
        key=f"check that {_KEY} holds a valid key for it", address=f"--base-url or {_BASE}"
    )
    path = _path_of(name)
    endpoint = Endpoint(root, f"{path}:generateContent", headers, key, options.timeout, remedies)
    price = options.price or (known("gemini", name) if own else None)
    return GeminiModel(name, endpoint, price)


def _path_of(name: str) -> str:
    """Tuned models stand in a collection of their own."""
    return "/" + quote(name if name.startswith("tunedModels/") else f"models/{name}")


class GeminiModel(Model):
    """A model behind `POST {base}/models/NAME:generateContent`.

    JSON is asked for with a JSON Schema; where that is refused, with one in the API's own dialect,
    then with none. Another form counts as found once a request in it has been answered: some
    complaints do not say what they are about.
    """

    def __init__(self, model: str, endpoint: Endpoint, price: Price | None) -> None:
        self.name = f"gemini/{model}"
        self.identity = f"{self.name} at {endpoint.address}"
        self.capabilities = Capabilities()
        self.price = price
        self._path = _path_of(model)
        self._endpoint = endpoint
        self._ways = best(FORMS)

    @property
    def ways(self) -> Ways:
        return self._ways

    @ways.setter
    def ways(self, found: Ways) -> None:
        self._ways = still_known(FORMS, found)
        able = self.capabilities
        self.capabilities = replace(
            able,
            json_schema=able.json_schema and self._ways["json"] in ("json_schema", "schema"),
            logprobs=able.logprobs and self._ways["logprobs"] is not None,
            seed=able.seed and self._ways["seed"] is not None,
        )

    async def ask(self, prompt: Prompt, sampling: Sampling) -> Reply:
        """The reply; sent again within the call only where the server refuses a form."""
        ways = self._ways
        while True:
            body = body_of(prompt, sampling, ways)
            started = perf_counter()
            answer = await self._endpoint.post(encode(body, prompt.item))
            latency_ms = (perf_counter() - started) * 1000
            data = decode(answer.body)
            if answer.status == 200 and not _has_error(data):
                reply = self._reply(answer, data)
                if ways != self._ways:
                    self.ways = further(FORMS, self._ways, ways)
                return replace(reply, latency_ms=latency_ms)
            told = complaint(answer, data)
            other = _other(told, ways, body["generationConfig"])
            if other is None:
                raise self._failure(told, data)
            ways = other

    async def context_size(self) -> int | None:
        """What a prompt may have; the reply has a limit of its own, on top of that.

        None at a gateway that does not describe its models.
        """
        answer = await self._endpoint.call("GET", self._path)
        data = decode(answer.body)
        if answer.status not in (200, 404, 405):
            raise self._failure(complaint(answer, data), data)
        try:
            return int(data["inputTokenLimit"])
        except (KeyError, TypeError, ValueError):
            return None

    async def aclose(self) -> None:
        await self._endpoint.aclose()

    def _reply(self, answer: Answer, data: Any) -> Reply:
        try:
            return reply_of(data, self.price)
        except BrokenOff as reason:
            text = f"{self._endpoint.place} broke its reply off: {reason}"
            raise ProviderError(text, retryable=True, status=200, sent=True) from None
        except (KeyError, IndexError, TypeError, ValueError, AttributeError):
            raise self._endpoint.malformed(answer.body) from None

    def _failure(self, told: Complaint, data: Any) -> ProviderError:
        error = self._endpoint.failure(told)
        remedy = for_good(told, data)
        if remedy:
            return ProviderError(f"{error}; {remedy}", status=told.status, fatal=True)
        return error


def _has_error(data: Any) -> bool:
    """Whether an answer of status 200 reports an error after all, as gateways do."""
    return isinstance(data, dict) and bool(data.get("error"))


def _other(told: Complaint, ways: Ways, config: Mapping[str, object]) -> Ways | None:
    """The ways to try next; None when the complaint is about nothing that was sent so."""
    if told.status != 400:
        return None
    patterns = {**_NAMES, "json": _JSON} if "responseMimeType" in config else _NAMES
    for name, pattern in patterns.items():
        if (name == "json" or name in config) and pattern.search(told.message):
            return after(FORMS, ways, name)
    return None
