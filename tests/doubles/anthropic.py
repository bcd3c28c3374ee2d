"""A double of the Claude API: messages and message batches.

After the references "Create a Message", "Create a Message Batch", "Retrieve a Message Batch",
"Retrieve Message Batch results", "Get a Model", "Claude API errors", "Rate limits" and "Versions",
and the guides "Batch processing", "Prompt caching", "Structured outputs" and "Stop reasons" of the
Claude Platform documentation. It refuses what the real one refuses: a call without a key or a
version, unknown fields, other roles than user and assistant, turns without text, bad or repeated
custom ids. As there, the requests of a batch are checked only while it is worked on: a wrong one
becomes an `errored` result.

`answers` gets the params of a request and returns a text, `Says`, `Refuses` or, within a batch,
`Unanswered("expired")` or `Unanswered("canceled")`. Where the request forces a tool, the text has
to be JSON and comes back as the tool's input. It is asked once a batch ends.

`polls` is how many looks a batch takes before it ends. `refuses` names what the model does not
take, out of "temperature", "tool_choice" and "output_config": the first two are what models from
Claude Opus 5.5 on refuse, in the words used here. A format is compiled to a grammar, which may be
too large; the schema of a tool is not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
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

KEY = "sk-ant-double"
VERSION = "2023-06-01"
_WHEN = "2026-11-01T10:00:00.100435Z"
_KINDS: dict[str, Any] = {
    "model": str,
    "max_tokens": int,
    "messages": list,
    "system": (str, list),
    "temperature": (int, float),
    "tools": list,
    "tool_choice": dict,
    "output_config": dict,
}
CONTEXT = 200_000
_MOST_PROPERTIES = 500  # the API tells no number
_BOUNDS = ("minimum", "maximum", "multipleOf", "minLength", "maxLength", "minItems", "maxItems")


@dataclass
class Batch:
    """`requests` are those sent, `rows` what came of them once the batch has ended."""

    id: str
    requests: list[dict[str, Any]]
    polls: int
    ended: bool = False
    archived: bool = False
    rows: list[dict[str, Any]] = field(default_factory=list)


class AnthropicDouble(Double):
    def __init__(
        self,
        answers: Answers = lambda params: "4",
        *,
        polls: int = 1,
        refuses: frozenset[str] = frozenset(),
    ) -> None:
        super().__init__()
        self.answers, self.polls, self.refuses = answers, polls, refuses
        self.batches: dict[str, Batch] = {}

    def refusal(self, refuses: Refuses) -> Response:
        response = as_json(_error(refuses), refuses.status)
        return Response(response.status, response.body, refuses.headers)

    def handle(self, request: Request) -> Response:
        wrong = _head_fault(request)
        return self.refusal(wrong) if wrong else self._handle(request)

    def _handle(self, request: Request) -> Response:
        found = re.fullmatch("/v1/messages(/batches(?:/([^/]+)(/results)?)?)?", request.path)
        match (request.method, found and found.groups()):
            case "POST", (None, None, None):
                return self._direct(request.json)
            case "POST", (str(), None, None):
                return self._create(request.json)
            case "GET", (str(), str(batch), None):
                return self._look(batch)
            case "GET", (str(), str(batch), str()):
                return self._results(batch)
            case "GET", None if request.path.startswith("/v1/models/"):
                return as_json(_description(request.path.rpartition("/")[2]))
        return self.refusal(Refuses(404, f"Not found: {request}", "not_found_error"))

    def _said(self, params: dict[str, Any]) -> Says | Refuses | Unanswered:
        said = _fault(params, self.refuses) or self.answers(params)
        return said if isinstance(said, Says | Refuses | Unanswered) else Says(said)

    def _direct(self, params: dict[str, Any]) -> Response:
        said = self._said(params)
        if isinstance(said, Refuses):
            return self.refusal(said)
        assert isinstance(said, Says), "only a request of a batch can go unanswered"
        return as_json(self._message(params, said, batched=False))

    def _message(self, params: Mapping[str, Any], says: Says, *, batched: bool) -> dict[str, Any]:
        self.billed.add(says, batched=batched)
        block: dict[str, Any] = {"type": "text", "text": says.text}
        usual = "end_turn"
        if params.get("tool_choice", {}).get("type") == "tool":
            given = json.loads(says.text)
            name = params["tool_choice"]["name"]
            block = {"type": "tool_use", "id": "toolu_1", "name": name, "input": given}
            usual = "tool_use"
        stop = says.finish or usual
        why = says.reason or "It is not safe."
        declined = {"type": "refusal", "category": "cyber", "explanation": why}
        return {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": params["model"],
            "content": [] if stop == "refusal" else [block],
            "stop_reason": stop,
            "stop_sequence": None,
            "stop_details": declined if stop == "refusal" else None,
            "usage": {
                "input_tokens": says.input_tokens - says.cached - says.written,
                "cache_creation_input_tokens": says.written,
                "cache_read_input_tokens": says.cached,
                "output_tokens": says.output_tokens,
            },
        }

    def _create(self, order: dict[str, Any]) -> Response:
        if order.keys() != {"requests"}:
            return self.refusal(Refuses(400, "requests: Field required"))
        requests: list[dict[str, Any]] = order["requests"]
        if not 1 <= len(requests) <= 100_000:
            return self.refusal(Refuses(400, "requests: List should have 1 to 100000 items"))
        seen: set[str] = set()
        for place, request in enumerate(requests):
            wrong = _request_fault(request, f"requests.{place}", seen)
            if wrong:
                return self.refusal(wrong)
            seen.add(request["custom_id"])
        batch = Batch(f"msgbatch_{len(self.batches) + 1}", requests, self.polls)
        self.batches[batch.id] = batch
        return as_json(self._as_object(batch))

    def _look(self, batch_id: str) -> Response:
        batch = self.batches.get(batch_id)
        if batch is None:
            return self.refusal(Refuses(404, f"Batch {batch_id} not found.", "not_found_error"))
        if not batch.ended:
            batch.polls -= 1
            if batch.polls < 0:
                batch.ended, batch.rows = True, [self._row(one) for one in batch.requests]
        return as_json(self._as_object(batch))

    def _row(self, request: dict[str, Any]) -> dict[str, Any]:
        said = self._said(request["params"])
        result: dict[str, Any]
        if isinstance(said, Unanswered):
            result = {"type": str(said)}
        elif isinstance(said, Refuses):
            result = {"type": "errored", "error": _error(said)}
        else:
            message = self._message(request["params"], said, batched=True)
            result = {"type": "succeeded", "message": message}
        return {"custom_id": request["custom_id"], "result": result}

    def _results(self, batch_id: str) -> Response:
        batch = self.batches.get(batch_id)
        if batch is None or not batch.ended or batch.archived:
            return self.refusal(Refuses(404, "Results are not available.", "not_found_error"))
        # Results come in any order.
        return as_lines(batch.rows[::-1])

    def _as_object(self, batch: Batch) -> dict[str, Any]:
        kinds = ("succeeded", "errored", "canceled", "expired")
        counts = {kind: sum(row["result"]["type"] == kind for row in batch.rows) for kind in kinds}
        results = f"{self.url}/messages/batches/{batch.id}/results"
        return {
            "id": batch.id,
            "type": "message_batch",
            "processing_status": "ended" if batch.ended else "in_progress",
            "request_counts": {"processing": len(batch.requests) - len(batch.rows), **counts},
            "created_at": _WHEN,
            "expires_at": _WHEN,
            "ended_at": _WHEN if batch.ended else None,
            "archived_at": _WHEN if batch.archived else None,
            "cancel_initiated_at": None,
            "results_url": results if batch.ended and not batch.archived else None,
        }


def _description(name: str) -> dict[str, Any]:
    return {
        "id": name,
        "type": "model",
        "display_name": name,
        "created_at": _WHEN,
        "max_input_tokens": CONTEXT,
        "max_tokens": 64_000,
        "capabilities": {"structured_outputs": {"supported": True}},
    }


def _error(refuses: Refuses) -> dict[str, Any]:
    error = {"type": refuses.type, "message": refuses.message}
    return {"type": "error", "error": error, "request_id": "req_1"}


def _head_fault(request: Request) -> Refuses | None:
    if request.headers.get("x-api-key") != KEY:
        return Refuses(401, "invalid x-api-key", "authentication_error")
    if request.headers.get("anthropic-version") != VERSION:
        return Refuses(400, "anthropic-version: header is required")
    if request.method == "POST" and request.headers.get("content-type") != "application/json":
        return Refuses(400, "content-type: Input should be 'application/json'")
    return None


def _request_fault(request: dict[str, Any], place: str, seen: set[str]) -> Refuses | None:
    if request.keys() != {"custom_id", "params"}:
        return Refuses(400, f"{place}: Extra inputs are not permitted")
    if not re.fullmatch("[a-zA-Z0-9_-]{1,64}", request["custom_id"]):
        return Refuses(400, f"{place}.custom_id: String should match '^[a-zA-Z0-9_-]{{1,64}}$'")
    if request["custom_id"] in seen:
        return Refuses(400, f"{place}: duplicate custom_id {request['custom_id']}")
    return None


def _fault(params: dict[str, Any], refuses: frozenset[str]) -> Refuses | None:
    for name, value in params.items():
        if name not in _KINDS:
            return Refuses(400, f"{name}: Extra inputs are not permitted")
        if not isinstance(value, _KINDS[name]):
            return Refuses(400, f"{name}: Input should be a valid {_KINDS[name]}")
    for name in ("model", "max_tokens", "messages"):
        if name not in params:
            return Refuses(400, f"{name}: Field required")
    if not 0 <= params.get("temperature", 1) <= 1:
        return Refuses(400, "temperature: range: 0..1")
    return (
        _turns_fault(params["messages"])
        or _system_fault(params.get("system", []))
        or _model_fault(params, refuses)
        or _tools_fault(params)
        or _format_fault(params.get("output_config"))
    )


def _turns_fault(messages: list[dict[str, Any]]) -> Refuses | None:
    if not messages or messages[0].get("role") != "user":
        return Refuses(400, 'messages: first message must use the "user" role')
    for place, turn in enumerate(messages):
        if turn.keys() != {"role", "content"}:
            return Refuses(400, f"messages.{place}: Extra inputs are not permitted")
        if turn["role"] not in ("user", "assistant"):
            return Refuses(400, f'messages: Unexpected role "{turn["role"]}"')
        if not str(turn["content"]).strip():
            return Refuses(400, "messages: text content blocks must contain non-whitespace text")
    if messages[-1]["role"] != "user":
        return Refuses(400, "This model does not support assistant message prefill.")
    return None


def _system_fault(blocks: str | list[dict[str, Any]]) -> Refuses | None:
    for place, block in enumerate([] if isinstance(blocks, str) else blocks):
        if block.keys() - {"type", "text", "cache_control"} or block.get("type") != "text":
            return Refuses(400, f"system.{place}: Extra inputs are not permitted")
        if not block.get("text"):
            return Refuses(400, "system: text content blocks must be non-empty")
        if block.get("cache_control", {"type": "ephemeral"}) != {"type": "ephemeral"}:
            return Refuses(400, f"system.{place}.cache_control: Input should be 'ephemeral'")
    return None


def _model_fault(params: dict[str, Any], refuses: frozenset[str]) -> Refuses | None:
    sent = refuses & params.keys()
    if "temperature" in sent:
        return Refuses(400, "`temperature` is deprecated for this model.")
    if "tool_choice" in sent and params["tool_choice"].get("type") in ("tool", "any"):
        return Refuses(400, 'tool_choice: type "tool" and "any" are not supported for this model.')
    if "output_config" in sent:
        return Refuses(400, "output_config.format: Extra inputs are not permitted")
    return None


def _tools_fault(params: dict[str, Any]) -> Refuses | None:
    names = []
    for place, tool in enumerate(params.get("tools", [])):
        if tool.keys() - {"name", "description", "input_schema", "cache_control"}:
            return Refuses(400, f"tools.{place}: Extra inputs are not permitted")
        if not re.fullmatch("[a-zA-Z0-9_-]{1,64}", tool.get("name", "")):
            return Refuses(400, f"tools.{place}.name: String should match the pattern")
        if tool.get("input_schema", {}).get("type") != "object":
            return Refuses(400, f"tools.{place}.input_schema.type: Input should be 'object'")
        names.append(tool["name"])
    choice = params.get("tool_choice")
    if choice and choice.keys() - {"type", "name", "disable_parallel_tool_use"}:
        return Refuses(400, "tool_choice: Extra inputs are not permitted")
    if choice and choice.get("type") == "tool" and choice.get("name") not in names:
        return Refuses(400, f"Tool '{choice.get('name')}' not found in provided tools")
    return None


def _format_fault(config: dict[str, Any] | None) -> Refuses | None:
    if config is None:
        return None
    form = config.get("format", {})
    if config.keys() != {"format"} or form.keys() != {"type", "schema"}:
        return Refuses(400, "output_config.format: Extra inputs are not permitted")
    bound = _bound(form["schema"])
    if bound:
        what = f"For 'number' type, property '{bound}' is not supported"
        return Refuses(400, f"output_config.format.schema: {what}")
    if len(form["schema"].get("properties", {})) > _MOST_PROPERTIES:
        what = "Invalid schema: The compiled grammar is too large"
        return Refuses(400, f"output_config.format.schema: {what}, which would be slow.")
    return None


def _bound(schema: Mapping[str, Any]) -> str | None:
    """A keyword in the schema that a format does not take."""
    inside = list(schema.get("properties", {}).values())
    inside += [schema["items"]] if "items" in schema else []
    here = next((name for name in _BOUNDS if name in schema), None)
    return here or next(filter(None, map(_bound, inside)), None)
