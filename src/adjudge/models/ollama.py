"""Ollama's own API: `ollama/NAME`."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from adjudge.core.prompt import Prompt, Sampling
from adjudge.core.reason import Reason, reason_of
from adjudge.core.reply import Reply
from adjudge.errors import ProviderError

from .base import ModelOptions, sampling_fields
from .http import Complaint, Endpoint, HttpAnswer, Remedies, complaint_of, decode
from .http_model import Forms, HttpModel, SentRequest, Ways, api_key, encode, model_name, next_way
from .prices import FREE, Price
from .token_logprobs import aligned, token_logprob
from .usage import ReportedUsage, usage_from_report

_KEY, _HOST = "OLLAMA_API_KEY", "OLLAMA_HOST"
_PATH = "/api/chat"
# A request that was given no --timeout: the model may have to be loaded first, and others asked
# before. No reply should be lost for a limit that is meant for a network.
_PATIENCE = 900.0
_RENTED = re.compile("[:-]cloud$")
_NO_FORMAT = re.compile(r"(required|schema).{0,4} (in|for) format|grammar", re.IGNORECASE)
_NO_ROOM = re.compile("requires more system memory|out of memory", re.IGNORECASE)


def open_model(rest: str, options: ModelOptions) -> OllamaModel:
    """The model NAME of `ollama/NAME`, at the base URL, else where OLLAMA_HOST says."""
    name = model_name("ollama", rest)
    base = base_url_of(options.base_url or os.environ.get(_HOST, ""))
    base = base.removesuffix(_PATH).removesuffix("/api").removesuffix("/v1")
    key = api_key(_KEY, name, needed=False)
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    limit = _PATIENCE if options.timeout == ModelOptions().timeout else options.timeout
    remedies = Remedies(
        key=Reason("model.sign_in", command="ollama signin", name=_KEY),
        address=Reason("model.address", name=_HOST),
        start="ollama serve",
    )
    endpoint = Endpoint(base, _PATH, headers, key, limit, remedies)
    # On the user's own machine a model costs nothing; the names of rented ones end like this.
    rented = _RENTED.search(rest) or (urlsplit(base).hostname or "").endswith("ollama.com")
    return OllamaModel(rest, endpoint, options.price or (None if rented else FREE))


class OllamaModel(HttpModel):
    """A model behind `POST {host}/api/chat`.

    The window is made as large as the prompt needs it, within the context that the model was made
    for; a prompt that does not fit is an error, and never cut.
    """

    def __init__(self, model: str, endpoint: Endpoint, price: Price | None) -> None:
        super().__init__(f"ollama/{model}", endpoint, price, forms=FORMS)
        self._model = model
        self._looked = False
        self._window = SMALLEST_WINDOW

    async def ask(self, prompt: Prompt, sampling: Sampling) -> Reply:
        """The reply; sent again within the call only in a larger window or another form."""
        if self.capabilities.context is None and not self._looked:
            await self.context_size()
        return await super().ask(prompt, sampling)

    async def context_size(self) -> int | None:
        """What the model was made for; that the server has no such model is an error already."""
        body = encode({"model": self._model}, "")
        answer = await self._endpoint.call("POST", "/api/show", body)
        data = decode(answer.body)
        complaint = complaint_in(answer, data)
        if answer.status == 404 and "not found" in complaint.message:
            raise self._failure(complaint, data, None)
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

    def _abilities(self, before: Ways) -> dict[str, bool]:  # noqa: ARG002
        able, ways = self.capabilities, self._ways
        return {
            "json_schema": able.json_schema and ways["format"] == "schema",
            "logprobs": able.logprobs and ways["logprobs"] is not None,
        }

    def _first_ways(self, prompt: Prompt, sampling: Sampling) -> Ways:
        """With the window that this one request needs."""
        return {**self._ways, _WINDOW: str(window_for(prompt, sampling))}

    def _body(self, prompt: Prompt, sampling: Sampling, ways: Ways) -> dict[str, Any]:
        # Never smaller than one before: the model would be loaded again for it.
        window = max(self._window, int(ways[_WINDOW] or 0))
        self._window = min(window, self.capabilities.context or window)
        return body_of(self._model, prompt, sampling, ways, self._window)

    def _read(self, answer: HttpAnswer, data: Any, sent: SentRequest) -> Reply | Complaint:
        if answer.status != 200 or (isinstance(data, dict) and data.get("error")):
            return complaint_in(answer, data)
        reply = reply_of(data, self.price)
        window = sent.body["options"]["num_ctx"]
        if reply.usage.input_tokens >= window:  # of a version that knows no `truncate`
            message = f"it fills the whole window of {window} tokens, so that a part was cut off"
            return Complaint(status=413, message=message)
        if "logprobs" in sent.body and reply.text and not reply.logprobs:
            # Older versions do not refuse what they do not know: they leave it out.
            self._learn({**sent.ways, "logprobs": None})
        return replace(reply, latency_ms=answer.latency_ms)

    def _adapted(self, complaint: Complaint, sent: SentRequest) -> Ways | None:
        assert sent.prompt is not None and sent.sampling is not None  # noqa: S101, PT018 - no batches
        window, most = sent.body["options"]["num_ctx"], sent.sampling.max_tokens
        estimate, limit = window_for(sent.prompt, sent.sampling), self.capabilities.context
        larger = larger_window(complaint.message, window, estimate, most, limit)
        if complaint.too_long and larger:
            return {**sent.ways, _WINDOW: str(larger)}
        bound = sent.prompt.schema is not None
        if bound and complaint.status in (400, 500) and _NO_FORMAT.search(complaint.message):
            return next_way(FORMS, sent.ways, "format")
        return None

    def _failure(self, complaint: Complaint, data: Any, sent: SentRequest | None) -> ProviderError:
        if complaint.status == 404:
            reason = Reason("model.not_pulled", place=self._endpoint.place, model=self._model)
            return ProviderError(reason, status=404, fatal=True)
        error = super()._failure(complaint, data, sent)
        if _NO_ROOM.search(complaint.message):
            reason = Reason("model.no_room", why=reason_of(error))
            smallest = sent is None or sent.body["options"]["num_ctx"] == SMALLEST_WINDOW
            return ProviderError(reason, status=complaint.status, fatal=smallest)
        return error


FORMS: Forms = {"format": ("schema", "json", None), "logprobs": ("logprobs", None)}
SMALLEST_WINDOW = 4096
_WINDOW = "window"  # stands among the ways of one request
_MOST_LOGPROBS = 20
# Rather too few than too many: a window that is too small costs another request.
_BYTES_PER_TOKEN = 3
_AROUND_EACH_TURN = 16  # tokens that the chat template adds
_COUNTED = re.compile(r"request \((\d+) tokens\)")


def body_of(
    model: str, prompt: Prompt, sampling: Sampling, ways: Ways, window: int
) -> dict[str, Any]:
    window_and_limit = {"num_ctx": window, "num_predict": sampling.max_tokens}
    body: dict[str, Any] = {
        "model": model,
        "messages": prompt.messages,
        "stream": False,
        "options": {**window_and_limit, **sampling_fields(sampling)},
        # Without these a prompt that does not fit is cut without a word.
        "truncate": False,
        "shift": False,
    }
    if prompt.schema is not None and ways["format"]:
        body["format"] = prompt.schema if ways["format"] == "schema" else "json"
    if sampling.top_logprobs and ways["logprobs"]:
        body |= {"logprobs": True, "top_logprobs": min(sampling.top_logprobs, _MOST_LOGPROBS)}
    return body


def window_for(prompt: Prompt, sampling: Sampling) -> int:
    """The window that the prompt and its reply will probably need."""
    texts = (len(turn.content.encode(errors="replace")) for turn in prompt.messages)
    need = sum(size // _BYTES_PER_TOKEN + _AROUND_EACH_TURN for size in texts)
    return rounded_window(need + sampling.max_tokens)


def larger_window(
    message: str, window: int, estimate: int, reply: int, limit: int | None
) -> int | None:
    """The window to try when a prompt did not fit into this one, None to give it up.

    `reply` is what the reply may take, `limit` what the model was made for, all in tokens. Newer
    versions tell how many the prompt has. Else it is tried once, in four times the estimate: that
    is as far as a tokenizer that does not know the language well may be off.
    """
    limit = limit or sys.maxsize
    counted = _COUNTED.search(message)
    tokens = int(counted.group(1)) if counted else 0
    wanted = min(rounded_window(tokens + reply) if counted else 4 * estimate, limit)
    return wanted if wanted > window and tokens < limit else None


def rounded_window(tokens: int) -> int:
    """A power of two: the model is loaded again for every other window, so there should be few."""
    return int(max(SMALLEST_WINDOW, 1 << (tokens - 1).bit_length()))


def reply_of(data: Any, price: Price | None) -> Reply:
    """The reply of an answer. Raises KeyError, TypeError or the like when it is none."""
    if not data["done"]:
        raise ValueError("not a whole reply")
    message = data["message"]
    text = str(message["content"])  # what the model thought is in another field
    tokens = data.get("logprobs") or ()
    reported = ReportedUsage(
        input_tokens=data.get("prompt_eval_count"), output_tokens=data.get("eval_count")
    )
    return Reply(
        text=text,
        finish="length" if data.get("done_reason") == "length" else "stop",
        usage=usage_from_report(reported, price),
        # Those of the text: what was thought before has its tokens too. All where that is not
        # clear, since halves of characters come without their bytes.
        logprobs=aligned(tokens, text) or tuple(map(token_logprob, tokens)) or None,
    )


def complaint_in(answer: HttpAnswer, data: Any) -> Complaint:
    """What the server complains about; newer ones pass on what their runner said, as a text."""
    complaint = complaint_of(answer, data)
    inner = decode(complaint.message.encode()) if complaint.message.startswith("{") else None
    if isinstance(inner, dict):
        passed_on = complaint_of(answer, inner)
        complaint = replace(complaint, message=passed_on.message, code=passed_on.code)
    return complaint


_PORT = "11434"
_PORTS = {"http": "80", "https": "443"}
# Addresses to listen at, which cannot be called.
_EVERYWHERE = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "[::]": "[::1]"}  # noqa: S104 - see above


def base_url_of(text: str) -> str:
    """The base URL for a host, with or without scheme, port and path; empty for the usual one.

    Without a scheme the port is 11434, with one it is that scheme's own. What is no address is left
    for the caller to find out.
    """
    scheme, parted, rest = text.strip().strip("\"'").partition("://")
    if not parted:
        scheme, rest = ("https", scheme + ":443") if scheme == "ollama.com" else ("http", scheme)
    place, slash, path = rest.partition("/")
    host, port = _split(place)
    port = port or (_PORTS.get(scheme, _PORT) if parted else _PORT)
    return f"{scheme}://{_EVERYWHERE.get(host, host)}:{port}{slash}{path}".rstrip("/")


def _split(place: str) -> tuple[str, str]:
    """Host and port, which may both be empty; an address of version 6 gets its brackets."""
    if place.startswith("["):
        host, _, port = place.partition("]")
        return f"{host}]", port.removeprefix(":")
    if place.count(":") > 1:
        return f"[{place}]", ""
    host, _, port = place.partition(":")
    return host, port
