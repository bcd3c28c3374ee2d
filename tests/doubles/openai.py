"""A double of the OpenAI API: chat completions, files and batches.

After the references "Create chat completion", "Upload file", "Retrieve file content", "Create
batch", "Retrieve batch", "List batches", "The batch object", "The request output object", and the
guide "Batch API" (expired requests, limits) of the OpenAI API documentation. It refuses what the
real one refuses: unknown fields, a wrong purpose, lines with unknown or repeated custom ids.

`answers` gets the body of a request and returns a text, `Says`, `Refuses` or, within a batch,
`Unanswered("expired")`. It is asked once a batch ends, in the order of the file.

`polls` is how many looks a batch takes before it ends, `ends_as` how it does; `refuses` names
fields that the model does not take.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email.parser import BytesParser
from email.policy import HTTP
from functools import partial
from typing import Any

from .http import (
    Answers,
    Double,
    Refuses,
    Request,
    Response,
    Says,
    Unanswered,
    as_json,
    as_lines,
)

KEY = "sk-double"
_CHAT = "/v1/chat/completions"
_KINDS: dict[str, Any] = {
    "model": str,
    "messages": list,
    "max_completion_tokens": int,
    "max_tokens": int,
    "temperature": (int, float),
    "seed": int,
    "logprobs": bool,
    "top_logprobs": int,
    "response_format": dict,
}


@dataclass
class Batch:
    """`lines` are the requests, `rows` what came of them once the batch has ended."""

    id: str
    order: Mapping[str, Any]
    lines: list[dict[str, Any]]
    polls: int
    status: str = "validating"
    errors: list[dict[str, Any]] = field(default_factory=list)
    rows: list[dict[str, Any]] = field(default_factory=list)

    @property
    def label(self) -> str | None:
        return (self.order.get("metadata") or {}).get("adjudge")


class OpenAIDouble(Double):
    def __init__(
        self,
        answers: Answers = lambda body: "4",
        *,
        polls: int = 1,
        ends_as: str = "completed",
        refuses: frozenset[str] = frozenset(),
        page: int = 100,
    ) -> None:
        super().__init__()
        self.answers, self.polls, self.ends_as, self.refuses = answers, polls, ends_as, refuses
        self.page = page
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, Batch] = {}
        self._results: dict[str, list[dict[str, Any]]] = {}

    def refusal(self, refuses: Refuses) -> Response:
        error = {"message": refuses.message, "type": refuses.type, "param": None, "code": None}
        response = as_json({"error": error | dict(refuses.more)}, refuses.status)
        return Response(response.status, response.body, refuses.headers)

    def handle(self, request: Request) -> Response:
        if request.headers.get("authorization") != f"Bearer {KEY}":
            message = "Incorrect API key provided"
            return self.refusal(Refuses(401, message, more={"code": "invalid_api_key"}))
        found = re.fullmatch("/v1/(files|batches)(?:/([^/]+))?(/content)?", request.path)
        kind, name, content = found.groups() if found else (None, None, None)
        answer: Callable[[], Response] = partial(
            self.refusal, Refuses(404, f"Invalid URL {request}")
        )
        match (request.method, kind, name, content):
            case "POST", None, None, None if request.path == _CHAT:
                answer = partial(self._direct, request)
            case "POST", "files", None, None:
                answer = partial(self._upload, request)
            case "GET", "files", str(file), str():
                answer = partial(self._content, file)
            case "POST", "batches", None, None:
                answer = partial(self._create, request.json)
            case "GET", "batches", None, None:
                answer = partial(self._list, request)
            case "GET", "batches", str(batch), None:
                answer = partial(self._look, batch)
        return answer()

    def _said(self, body: dict[str, Any]) -> Says | Refuses | Unanswered:
        said = _fault(body, self.refuses) or self.answers(body)
        return said if isinstance(said, Says | Refuses | Unanswered) else Says(said)

    def _direct(self, request: Request) -> Response:
        said = self._said(request.json)
        if isinstance(said, Refuses):
            return self.refusal(said)
        assert isinstance(said, Says), "only a request of a batch can go unanswered"
        return as_json(self._completion(request.json, said, batched=False))

    def _completion(self, body: dict[str, Any], says: Says, *, batched: bool) -> dict[str, Any]:
        self.billed.add(says, batched=batched)
        message = {"role": "assistant", "content": says.text, "refusal": None}
        details = {"cached_tokens": says.cached, "cache_write_tokens": says.written}
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1711652795,
            "model": body["model"],
            "choices": [
                {
                    "index": 0,
                    "message": message,
                    "finish_reason": says.finish or "stop",
                    "logprobs": None,
                }
            ],
            "usage": {
                "prompt_tokens": says.input_tokens,
                "completion_tokens": says.output_tokens,
                "total_tokens": says.input_tokens + says.output_tokens,
                "prompt_tokens_details": details,
            },
        }

    def _upload(self, request: Request) -> Response:
        kind = request.headers.get("content-type", "")
        if not kind.startswith("multipart/form-data"):
            return self.refusal(Refuses(400, "Expected multipart/form-data"))
        head = f"Content-Type: {kind}\r\n\r\n".encode()
        parts = {
            part.get_param("name", header="content-disposition"): part
            for part in BytesParser(policy=HTTP).parsebytes(head + request.body).iter_parts()
        }
        if parts.keys() != {"purpose", "file"}:
            return self.refusal(Refuses(400, f"Unexpected form: {sorted(parts)}"))
        purpose = parts["purpose"].get_content().strip()
        if purpose != "batch":
            return self.refusal(Refuses(400, f"{purpose!r} is not one of ['batch', …] - 'purpose'"))
        name = parts["file"].get_filename() or ""
        if not name.endswith(".jsonl"):
            return self.refusal(Refuses(400, f"Invalid file format: {name}"))
        file = f"file-{len(self.files) + 1}"
        self.files[file] = parts["file"].get_payload(decode=True)
        return as_json(
            {
                "id": file,
                "object": "file",
                "bytes": len(self.files[file]),
                "created_at": 1711471533,
                "filename": name,
                "purpose": "batch",
                "status": "processed",
            }
        )

    def _create(self, order: dict[str, Any]) -> Response:
        known = {"input_file_id", "endpoint", "completion_window", "metadata"}
        if order.keys() - known:
            more = ", ".join(order.keys() - known)
            return self.refusal(Refuses(400, f"Unknown parameter: '{more}'."))
        if order.get("completion_window") != "24h" or order.get("endpoint") != _CHAT:
            return self.refusal(Refuses(400, "Invalid value: 'completion_window' or 'endpoint'"))
        for name, value in (order.get("metadata") or {}).items():
            if len(name) > 64 or not isinstance(value, str) or len(value) > 512:
                return self.refusal(Refuses(400, f"Invalid metadata: {name}"))
        if order.get("input_file_id") not in self.files:
            return self.refusal(
                Refuses(400, "No such File object", more={"param": "input_file_id"})
            )
        lines = self.files[order["input_file_id"]].decode().splitlines()
        batch = Batch(f"batch_{len(self.batches) + 1}", order, [], self.polls)
        self.batches[batch.id] = batch
        batch.lines, batch.errors = _validated(lines)
        if self.ends_as == "failed" and not batch.errors:
            more = "Enqueued token limit reached for this model."
            batch.errors = [{"code": "token_limit_exceeded", "message": more, "line": None}]
        return as_json(_as_object(batch))

    def _list(self, request: Request) -> Response:
        """Newest first."""
        ids = list(self.batches)[::-1]
        after = request.query.get("after")
        ids = ids[ids.index(after) + 1 :] if after else ids
        shown = ids[: min(self.page, int(request.query.get("limit", 20)))]
        return as_json(
            {
                "object": "list",
                "data": [_as_object(self.batches[batch]) for batch in shown],
                "first_id": shown[0] if shown else None,
                "last_id": shown[-1] if shown else None,
                "has_more": len(shown) < len(ids),
            }
        )

    def _look(self, batch_id: str) -> Response:
        batch = self.batches.get(batch_id)
        if batch is None:
            return self.refusal(Refuses(404, f"No batch found with id '{batch_id}'."))
        if batch.status in ("validating", "in_progress", "finalizing"):
            batch.polls -= 1
            batch.status = "in_progress"
            if batch.errors:
                batch.status = "failed"
            elif batch.polls < 0:
                self._end(batch)
        return as_json(_as_object(batch))

    def _end(self, batch: Batch) -> None:
        batch.status = self.ends_as
        batch.rows = [self._row(line) for line in batch.lines]
        self._results[f"{batch.id}-output"] = [row for row in batch.rows if _succeeded(row)]
        self._results[f"{batch.id}-errors"] = [row for row in batch.rows if not _succeeded(row)]

    def _row(self, line: dict[str, Any]) -> dict[str, Any]:
        row = {"id": "batch_req_1", "custom_id": line["custom_id"], "response": None, "error": None}
        said = self._said(line["body"])
        if isinstance(said, Unanswered):
            why = "This request could not be executed before the completion window expired."
            return row | {"error": {"code": f"batch_{said}", "message": why}}
        if isinstance(said, Refuses):
            status, body = said.status, json.loads(self.refusal(said).body)
        else:
            status, body = 200, self._completion(line["body"], said, batched=True)
        return row | {"response": {"status_code": status, "request_id": "req_1", "body": body}}

    def _content(self, file: str) -> Response:
        if file not in self._results:
            return self.refusal(Refuses(404, f"No such File object: {file}"))
        return as_lines(self._results[file])


def _succeeded(row: dict[str, Any]) -> bool:
    return bool(row["response"]) and row["response"]["status_code"] == 200


def _as_object(batch: Batch) -> dict[str, Any]:
    good = sum(map(_succeeded, batch.rows))
    bad = len(batch.rows) - good
    errors = {"object": "list", "data": batch.errors} if batch.status == "failed" else None
    return {
        "id": batch.id,
        "object": "batch",
        "endpoint": batch.order["endpoint"],
        "errors": errors,
        "input_file_id": batch.order["input_file_id"],
        "completion_window": "24h",
        "status": batch.status,
        "output_file_id": f"{batch.id}-output" if good else None,
        "error_file_id": f"{batch.id}-errors" if bad else None,
        "created_at": 1714508499,
        "request_counts": {"total": len(batch.lines), "completed": good, "failed": bad},
        "metadata": batch.order.get("metadata"),
    }


def _validated(lines: list[str]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The requests of a file and what is wrong with them."""
    rows: list[dict[str, Any]] = []
    errors: list[dict[str, Any]] = []
    seen: set[str] = set()
    if not lines:
        errors.append({"code": "empty_file", "message": "The batch is empty.", "line": None})
    for number, line in enumerate(lines, 1):
        problem = ""
        try:
            row = json.loads(line)
        except ValueError:
            row, problem = {}, "This line is not parseable as valid JSON."
        if not problem and row.keys() != {"custom_id", "method", "url", "body"}:
            problem = f"Unexpected fields: {sorted(row)}"
        elif not problem and (row["method"], row["url"]) != ("POST", _CHAT):
            problem = "The URL provided for this request does not match the batch endpoint."
        elif not problem and row["custom_id"] in seen:
            problem = "The custom_id for this request is a duplicate of another request."
        if problem:
            errors.append({"code": "invalid_request", "message": problem, "line": number})
        seen.add(row.get("custom_id", ""))
        rows.append(row)
    return rows, errors


def _fault(body: dict[str, Any], refuses: frozenset[str]) -> Refuses | None:
    for name, value in body.items():
        if name not in _KINDS:
            return Refuses(400, f"Unrecognized request argument supplied: {name}")
        if not isinstance(value, _KINDS[name]):
            return Refuses(400, f"Invalid type for '{name}'", more={"param": name})
        if name in refuses:
            message = f"Unsupported parameter: '{name}' is not supported with this model."
            return Refuses(400, message, more={"param": name, "code": "unsupported_parameter"})
    if any(
        message.keys() != {"role", "content"}
        or message["role"] not in ("system", "user", "assistant")
        for message in body["messages"]
    ):
        return Refuses(400, "Invalid message", more={"param": "messages"})
    return _format_fault(body.get("response_format"))


def _format_fault(form: dict[str, Any] | None) -> Refuses | None:
    if form is None or form == {"type": "json_object"}:
        return None
    inner = form.get("json_schema") or {}
    if form.get("type") == "json_schema" and {"name", "schema"} <= inner.keys():
        return None
    return Refuses(400, "Malformed response_format", more={"param": "response_format"})
