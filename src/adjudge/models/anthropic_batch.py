"""Message Batches: many requests to Claude in one go, at half the price."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any

from adjudge.core.prompt import Prompt, Sampling
from adjudge.core.reply import Reply
from adjudge.errors import ProviderError

from .anthropic_answer import complaint
from .base import BatchState
from .json_body import decode, encode
from .wire import Answer, Endpoint

_PATH = "/messages/batches"
_PATIENCE = 900.0  # seconds for an upload: 256 MB over 2.5 Mbit/s
# A result has no HTTP status, but the type of its error stands for one.
_STATUS = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "overloaded_error": 529,
}


class AnthropicBatches:
    """Batches of one model.

    `write` makes the body of a request, `read` a reply out of an answer, as for a single request.
    The provider keeps no labels, so a batch whose id was lost cannot be found again.
    """

    most_requests = 100_000
    most_bytes = 255_000_000  # 256 MB with what stands between the requests

    def __init__(
        self,
        endpoint: Endpoint,
        write: Callable[[Prompt, Sampling], Mapping[str, object]],
        read: Callable[[Answer, Any], Reply],
    ) -> None:
        self._endpoint, self._write, self._read = endpoint, write, read

    def line(self, key: str, prompt: Prompt, sampling: Sampling) -> bytes:
        return encode({"custom_id": key, "params": self._write(prompt, sampling)}, prompt.item)

    async def submit(self, lines: Sequence[bytes], label: str) -> str:  # noqa: ARG002 - not kept
        body = b'{"requests":[' + b",".join(lines) + b"]}"
        answer = await self._endpoint.call("POST", _PATH, body, seconds=_PATIENCE)
        if answer.status in (404, 405):
            raise ProviderError(
                f"{self._endpoint.place} has no batch endpoint: run without --batch",
                status=answer.status,
                fatal=True,
            )
        return str(self._told(answer)["id"])

    async def find(self, label: str) -> str | None:  # noqa: ARG002 - not kept
        return None

    async def state(self, batch: str) -> BatchState:
        answer = await self._endpoint.call("GET", f"{_PATH}/{batch}")
        if answer.status == 404:
            return BatchState("failed", why=f"{self._endpoint.place} knows no batch {batch}")
        data = self._told(answer)
        counts: Mapping[str, int] = data.get("request_counts") or {}
        total = sum(counts.values())
        done = total - counts.get("processing", 0)
        if data.get("archived_at"):
            return BatchState("failed", done, total, "its results are no longer kept")
        ended = data.get("processing_status") == "ended"
        return BatchState("ended" if ended else "running", done, total)

    async def results(self, batch: str) -> AsyncIterator[tuple[str, Reply | ProviderError]]:
        # Not the `results_url`: the key goes nowhere but where the user sends it.
        async for line in self._endpoint.lines(f"{_PATH}/{batch}/results"):
            yield self._outcome(line)

    def _outcome(self, line: bytes) -> tuple[str, Reply | ProviderError]:
        data = decode(line)
        try:
            key, result = str(data["custom_id"]), data["result"]
            kind = str(result["type"])
        except (KeyError, TypeError):
            raise self._endpoint.malformed(line) from None
        try:
            return key, self._reply(kind, result, line)
        except ProviderError as error:
            return key, error

    def _reply(self, kind: str, result: Mapping[str, Any], line: bytes) -> Reply:
        if kind == "succeeded":
            return self._read(Answer(200, {}, line), result.get("message"))
        if kind == "errored":
            told = result.get("error")
            inner = told.get("error") if isinstance(told, dict) else None
            status = _STATUS.get(str((inner or {}).get("type")), 500)
            return self._read(Answer(status, {}, line), told)
        raise ProviderError(f"not answered: the batch has {kind}", retryable=True)

    def _told(self, answer: Answer) -> Any:
        data = decode(answer.body)
        if answer.status >= 300:
            raise self._endpoint.failure(complaint(answer, data))
        if not isinstance(data, dict):
            raise self._endpoint.malformed(answer.body)
        return data
