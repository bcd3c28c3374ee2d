"""The Batch API of the chat completions protocol: a file of requests, a file of results."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import orjson

from adjudge.core.prompt import Prompt, Sampling
from adjudge.core.reason import Reason
from adjudge.core.reply import Reply
from adjudge.errors import ProviderError

from ..base import BatchState
from ..http import HttpAnswer, complaint_of, decode
from ..http_model import HttpBatches, encode

_URL = "/v1/chat/completions"
_LABEL = "adjudge"
_ENDED = frozenset({"completed", "expired", "cancelled"})
_PATIENCE = 900.0  # seconds for an upload: 200 MB over 2 Mbit/s


class OpenAIBatches(HttpBatches):
    """A batch carries its label in its metadata."""

    _path = "/batches"
    most_requests = 50_000
    most_bytes = 199_000_000  # 200 MB with the ends of the lines

    def line(self, key: str, prompt: Prompt, sampling: Sampling) -> bytes:
        body = self._write(prompt, sampling)
        request = {"custom_id": key, "method": "POST", "url": _URL, "body": body}
        return encode(request, prompt.item)

    async def submit(self, lines: Sequence[bytes], label: str) -> str:
        file = await self._upload(lines)
        order = {
            "input_file_id": file,
            "endpoint": _URL,
            "completion_window": "24h",
            "metadata": {_LABEL: label},
        }
        answer = await self._endpoint.call("POST", "/batches", orjson.dumps(order))
        return self._new_id(answer)

    async def find(self, label: str) -> str | None:
        """The newest batch with this label: the list begins with the newest."""
        last = ""
        while True:
            after = f"&after={quote(last)}" if last else ""
            page = self._data(await self._endpoint.call("GET", f"/batches?limit=100{after}"))
            batches: Sequence[Mapping[str, Any]] = page.get("data") or ()
            for batch in batches:
                if (batch.get("metadata") or {}).get(_LABEL) == label:
                    return str(batch["id"])
            # A server without pages sends the same one each time.
            if not page.get("has_more") or not batches or batches[-1]["id"] == last:
                return None
            last = str(batches[-1]["id"])

    def _state(self, data: Any) -> BatchState:
        counts: Mapping[str, int] = data.get("request_counts") or {}
        total = counts.get("total", 0)
        done = counts.get("completed", 0) + counts.get("failed", 0)
        if data.get("status") == "failed":
            return BatchState("failed", done, total, _why(data.get("errors")))
        return BatchState("ended" if data.get("status") in _ENDED else "running", done, total)

    async def results(self, batch: str) -> AsyncIterator[tuple[str, Reply | ProviderError]]:
        data = self._data(await self._endpoint.call("GET", f"/batches/{batch}"))
        for file in (data.get("output_file_id"), data.get("error_file_id")):
            if not file:  # there is none where no request succeeded, or none failed
                continue
            async for line in self._endpoint.lines(f"/files/{file}/content"):
                yield self._result(line)

    def _reply(self, row: Mapping[str, Any], line: bytes) -> Reply:
        response = row.get("response")
        if isinstance(response, dict):
            status = response.get("status_code")
            answer = HttpAnswer(status if isinstance(status, int) else 500, {}, line)
            return self._read(answer, response.get("body"))
        error = row.get("error") or {}
        why = error.get("message") or error.get("code") or "no reason is given"
        raise ProviderError(Reason("batch.unanswered", why=why), retryable=True)

    async def _upload(self, lines: Sequence[bytes]) -> str:
        mark = uuid4().hex
        part = f'--{mark}\r\nContent-Disposition: form-data; name="'
        head = f'{part}purpose"\r\n\r\nbatch\r\n{part}file"; filename="adjudge.jsonl"\r\n'
        head += "Content-Type: application/jsonl\r\n\r\n"
        body = b"".join((head.encode(), b"\n".join(lines), f"\n\r\n--{mark}--\r\n".encode()))
        kind = f"multipart/form-data; boundary={mark}"
        answer = await self._endpoint.call("POST", "/files", body, kind, seconds=_PATIENCE)
        return self._new_id(answer)

    def _data(self, answer: HttpAnswer) -> Any:
        data = decode(answer.body)
        if answer.status >= 300 or not isinstance(data, dict) or data.get("error"):
            raise self._endpoint.failure(complaint_of(answer, data))
        return data


def _why(errors: Any) -> str:
    listed: Sequence[Mapping[str, Any]] = (errors or {}).get("data") or ()
    messages = [
        f"line {error['line']}: {error.get('message')}"
        if error.get("line")
        else str(error.get("message"))
        for error in listed[:3]
    ]
    return "; ".join(messages) or "the provider gives no reason"
