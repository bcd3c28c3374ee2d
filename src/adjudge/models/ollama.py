"""Ollama's own API: `ollama/NAME`."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from time import perf_counter
from urllib.parse import urlsplit

from adjudge.core.prompt import Prompt, Sampling
from adjudge.core.reply import Reply
from adjudge.errors import ModelUnavailable, ProviderError, UsageError

from .base import Capabilities, Model, ModelOptions
from .json_body import decode, encode
from .ollama_answer import complaint, reply_of
from .ollama_host import base_of
from .ollama_request import FORMS, SMALLEST, body_of, larger, window_for
from .prices import FREE, Price
from .ways import Ways, after, best, further
from .ways import known as still_known
from .wire import Answer, Complaint, Endpoint, Remedies

_KEY, _HOST = "OLLAMA_API_KEY", "OLLAMA_HOST"
_PATH = "/api/chat"
# A request that was given no --timeout: the model may have to be loaded first, and others asked
# before. Nobody should lose a reply for a limit that is meant for a network.
_PATIENCE = 900.0
_RENTED = re.compile("[:-]cloud$")
_NO_FORMAT = re.compile(r"(required|schema).{0,4} (in|for) format|grammar", re.IGNORECASE)
_NO_ROOM = re.compile("requires more system memory|out of memory", re.IGNORECASE)


def open_model(rest: str, options: ModelOptions) -> OllamaModel:
    """The model NAME of `ollama/NAME`, at the base URL, else where OLLAMA_HOST says."""
    if not rest:
        raise UsageError("ollama needs the name of a model: write ollama/NAME")
    base = base_of(options.base_url or os.environ.get(_HOST, ""))
    base = base.removesuffix(_PATH).removesuffix("/api").removesuffix("/v1")
    key = os.environ.get(_KEY, "").strip()
    if not (key.isascii() and key.isprintable()):
        raise ModelUnavailable(f"{_KEY} holds characters that no key has: set it again")
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    limit = _PATIENCE if options.timeout == ModelOptions().timeout else options.timeout
    remedies = Remedies(
        key=f"sign in with `ollama signin`, or check that {_KEY} holds a valid key for it",
        address=f"--base-url or {_HOST}",
        start="start it (ollama serve)",
    )
    endpoint = Endpoint(base, _PATH, headers, key, limit, remedies)
    # On one's own machine a model costs nothing; the names of rented ones end like this.
    rented = _RENTED.search(rest) or (urlsplit(base).hostname or "").endswith("ollama.com")
    return OllamaModel(rest, endpoint, options.price or (None if rented else FREE))


class OllamaModel(Model):
    """A model behind `POST {host}/api/chat`.

    The window is made as large as the prompt needs it, within the context that the model was made
    for; a prompt that does not fit is an error, and never cut.
    """

    def __init__(self, model: str, endpoint: Endpoint, price: Price | None) -> None:
        self.name = f"ollama/{model}"
        self.identity = f"{self.name} at {endpoint.address}"
        self.capabilities = Capabilities()
        self.price = price
        self._model = model
        self._endpoint = endpoint
        self._ways = best(FORMS)
        self._looked = False
        self._window = SMALLEST

    @property
    def ways(self) -> Ways:
        return self._ways

    @ways.setter
    def ways(self, found: Ways) -> None:
        self._ways = still_known(FORMS, found)
        able = self.capabilities
        self.capabilities = replace(
            able,
            json_schema=able.json_schema and self._ways["format"] == "schema",
            logprobs=able.logprobs and self._ways["logprobs"] is not None,
        )

    async def ask(self, prompt: Prompt, sampling: Sampling) -> Reply:
        """The reply; sent again within the call only in a larger window or another form."""
        if self.capabilities.context is None and not self._looked:
            await self.context_size()
        ways = self._ways
        need = estimate = window_for(prompt, sampling)
        while True:
            window = self._window_of(need)
            body = encode(body_of(self._model, prompt, sampling, ways, window), prompt.item)
            started = perf_counter()
            answer = await self._endpoint.post(body)
            latency_ms = (perf_counter() - started) * 1000
            told, reply = self._read(answer, window)
            if reply is not None:
                lacks = bool(sampling.top_logprobs and reply.text and not reply.logprobs)
                self._learn(ways, lacks_logprobs=lacks)
                return replace(reply, latency_ms=latency_ms)
            limit = self.capabilities.context
            more = larger(told.message, window, estimate, sampling.max_tokens, limit)
            other = _other(told, ways, bound=prompt.schema is not None)
            if told.too_long and more:
                need = more
            elif other:
                ways = other
            else:
                raise self._failure(told, window)

    async def context_size(self) -> int | None:
        """What the model was made for; that the server has no such model is an error already."""
        body = encode({"model": self._model}, "")
        answer = await self._endpoint.call("POST", "/api/show", body)
        data = decode(answer.body)
        told = complaint(answer, data)
        if answer.status == 404 and "not found" in told.message:
            raise self._failure(told, SMALLEST)
        self._looked = True
        info = data.get("model_info") if isinstance(data, dict) else None
        sizes = [
            size
            for name, size in (info or {}).items()
            if name.endswith(".context_length") and isinstance(size, int)
        ]
        if sizes:
            self.capabilities = replace(self.capabilities, context=sizes[0])
        return sizes[0] if sizes else None

    async def aclose(self) -> None:
        await self._endpoint.aclose()

    def _window_of(self, need: int) -> int:
        """Never smaller than one before: the model would be loaded anew for it."""
        window = max(self._window, need)
        self._window = min(window, self.capabilities.context or window)
        return self._window

    def _read(self, answer: Answer, window: int) -> tuple[Complaint, Reply | None]:
        """The reply, None for a complaint."""
        data = decode(answer.body)
        told = complaint(answer, data)
        if answer.status != 200 or (isinstance(data, dict) and data.get("error")):
            return told, None
        try:
            reply = reply_of(data, self.price)
        except (KeyError, TypeError, ValueError, AttributeError):
            raise self._endpoint.malformed(answer.body) from None
        if reply.usage.input_tokens >= window:  # of a version that knows no `truncate`
            message = f"it fills the whole window of {window} tokens, so that a part was cut off"
            return Complaint(status=413, message=message), None
        return told, reply

    def _learn(self, ways: Ways, *, lacks_logprobs: bool) -> None:
        """Older versions do not refuse what they do not know: they leave it out."""
        found = {**ways, "logprobs": None} if lacks_logprobs else ways
        if found != self._ways:
            self.ways = further(FORMS, self._ways, found)

    def _failure(self, told: Complaint, window: int) -> ProviderError:
        error = self._endpoint.failure(told)
        if told.status == 404:
            text = f"{self._endpoint.place} has no model {self._model!r}: "
            return ProviderError(
                f"{text}fetch it with `ollama pull {self._model}`", status=404, fatal=True
            )
        if _NO_ROOM.search(told.message):
            text = f"{error}; use a smaller model, or shorter texts"
            return ProviderError(text, status=told.status, fatal=window == SMALLEST)
        return error


def _other(told: Complaint, ways: Ways, *, bound: bool) -> Ways | None:
    """The ways to try next; None when the complaint is not about the form of the request."""
    if bound and told.status in (400, 500) and _NO_FORMAT.search(told.message):
        return after(FORMS, ways, "format")
    return None
