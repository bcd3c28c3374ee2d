"""A double of the OpenAI API: chat completions, files and batches.

After the references "Create chat completion", "Upload file", "Retrieve file content", "Create
batch", "Retrieve batch", "List batches", "The batch object", "The request output object", and the
guide "Batch API" (expired requests, limits) of the OpenAI API documentation. It refuses what the
real one refuses: unknown fields, a schema that is not closed or has too many properties where it
is strict (guide "Structured Outputs"), a wrong purpose, lines with unknown or repeated custom ids.

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

from .chat import KEY, ChatDouble
from .http import (
    Answers,
    Refuses,
    Request,
    Response,
    Says,
    Unanswered,
    as_json,
    as_lines,
)

__all__ = ["KEY", "OpenAIDouble"]

_CHAT = ChatDouble.chat


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


class OpenAIDouble(ChatDouble):
    def __init__(
        self,
        answers: Answers = lambda body: "4",
        *,
        polls: int = 1,
        ends_as: str = "completed",
        refuses: frozenset[str] = frozenset(),
        page: int = 100,
    ) -> None:
        super().__init__(answers, refuses=refuses)
        self.polls, self.ends_as, self.page = polls, ends_as, page
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, Batch] = {}
        self._results: dict[str, list[dict[str, Any]]] = {}

    def other(self, request: Request) -> Response:
        found = re.fullmatch("/v1/(files|batches)(?:/([^/]+))?(/content)?", request.path)
        kind, name, content = found.groups() if found else (None, None, None)
        answer: Callable[[], Response] = partial(
            self.refusal, Refuses(404, f"Invalid URL {request}")
        )
        match (request.method, kind, name, content):
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

    def schema_problem(self, schema: dict[str, Any], strict: bool) -> Refuses | None:
        if strict and not _closed(schema):
            message = "Invalid schema for response_format 'verdict': In context=(), "
            message += "'additionalProperties' is required to be supplied and to be false."
            return Refuses(400, message, more={"param": "response_format"})
        # Without `strict` it is no grammar, but a part of the prompt.
        return super().schema_problem(schema, strict) if strict else None

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
        body = line["body"]
        said = self.problem(body) or self.answers(body)
        if isinstance(said, Unanswered):
            why = "This request could not be executed before the completion window expired."
            return row | {"error": {"code": f"batch_{said}", "message": why}}
        if isinstance(said, Refuses):
            status, told = said.status, json.loads(self.refusal(said).body)
        else:
            says = Says(said) if isinstance(said, str) else said
            self.billed.add(says, batched=True)
            status, told = 200, self.completion(body, says)
        return row | {"response": {"status_code": status, "request_id": "req_1", "body": told}}

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


def _closed(node: Any) -> bool:
    """Whether all objects of a schema require all their properties, and allow no others."""
    if isinstance(node, list):
        return all(map(_closed, node))
    if not isinstance(node, dict):
        return True
    names = node.get("properties")
    if isinstance(names, dict) and (
        node.get("additionalProperties") is not False or set(node.get("required", ())) != set(names)
    ):
        return False
    return all(map(_closed, node.values()))
