"""Steps of messages: chat APIs, LangChain and LangGraph, items of the Responses API, and the
messages that OpenTelemetry and OpenInference keep in a span."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from .reason import Reason
from .step import (
    ARGUMENTS,
    Step,
    as_text,
    error_text,
    first,
    opened,
    opened_arguments,
    tokens_in,
)

ROLES = {
    **dict.fromkeys(("user", "human"), "user"),
    **dict.fromkeys(("assistant", "ai", "aimessagechunk", "model"), "assistant"),
    **dict.fromkeys(("tool", "function"), "tool"),
    **dict.fromkeys(("system", "developer"), "system"),
}
_IDS = ("tool_call_id", "tool_use_id", "call_id", "id")


def is_item(value: Mapping[str, Any]) -> bool:
    """Whether this is an item of the Responses API that is no message."""
    kind = str(value.get("type") or "")
    return kind == "reasoning" or kind.endswith(("_call", "_call_output"))


def item_steps(value: Mapping[str, Any]) -> Iterator[Step]:
    kind = str(value["type"])
    call = str(first(value, ("call_id", "id")) or "")
    if kind.endswith("_call_output"):
        yield Step(kind="other", name="", output=_plain_text(value.get("output")), call=call)
    elif kind.endswith("_call"):  # a function, or a tool that the provider runs itself
        arguments = first(value, (*ARGUMENTS, "action", "queries", "code"))
        yield Step(
            kind="tool",
            name=str(value.get("name") or kind.removesuffix("_call")),
            arguments=opened_arguments(arguments),
            output=_plain_text(first(value, ("output", "outputs", "results"))),
            error=error_text(value.get("error")),
            call=call,
        )


def message_steps(value: Mapping[str, Any]) -> Iterator[Step]:
    """What a message says, then the tools that it calls; results of tools as they come."""
    if isinstance(value.get("data"), Mapping) and "content" not in value:
        value = {"type": value.get("type"), **value["data"]}  # as LangChain stores messages
    role = str(value.get("role") or value.get("type")).casefold()
    role = ROLES.get(role, role)
    content = value.get("parts") or value.get("contents") or value.get("content")
    parts = content if isinstance(content, list) else [content]
    # LangChain keeps calls in both places.
    calls = _called(value) or [call for part in parts if (call := _call_part(part)) is not None]
    yield from (result for part in parts if (result := _result_part(part)) is not None)
    text = "\n".join(filter(None, map(_said, parts)))
    if role == "tool":
        if text:
            failed = text if value.get("status") == "error" else ""
            yield Step(kind="other", name=str(value.get("name") or ""), error=failed,
                       output="" if failed else text, call=_id(value))  # fmt: skip
        return
    tokens = tokens_in(value.get("usage_metadata") or value.get("usage"))
    if text or tokens:
        yield Step(kind="message", name=role, output=text, tokens=tokens)
    for call in calls:
        yield call_step(call)


def _called(message: Mapping[str, Any]) -> list[Any]:
    old = message.get("function_call")
    return [*(message.get("tool_calls") or ()), *([old] if old else ())]


def _call_part(part: object) -> Mapping[str, Any] | None:
    if not isinstance(part, Mapping):
        return None
    kind = str(part.get("type") or "")
    if kind in ("tool_call", "server_tool_call", "function_call") or kind.endswith("tool_use"):
        return part
    call = part.get("functionCall") or part.get("function_call")  # Gemini
    return call if isinstance(call, Mapping) else None


def _result_part(part: object) -> Step | None:
    if not isinstance(part, Mapping):
        return None
    kind = str(part.get("type") or "")
    answer = part.get("functionResponse") or part.get("function_response")
    if isinstance(answer, Mapping):
        return Step(kind="other", name=str(answer.get("name") or ""), call=_id(answer),
                    output=_plain_text(answer.get("response")))  # fmt: skip
    if not kind.endswith(("tool_result", "tool_call_response", "web_search_tool_result")):
        return None
    text = _plain_text(first(part, ("content", "response", "result", "server_tool_call_response")))
    failed = text or "error" if part.get("is_error") else ""
    return Step(kind="other", name="", output="" if failed else text, error=failed, call=_id(part))


def _said(part: object) -> str:
    """What a part says; what a model thinks before it speaks is no part of it."""
    if not isinstance(part, Mapping):
        return as_text(part)
    if part.get("type") in ("reasoning", "thinking", "redacted_thinking"):
        return ""
    if _call_part(part) is not None or _result_part(part) is not None:
        return ""
    return as_text(first(part, ("text", "refusal", "content")))


def _plain_text(value: object) -> str:
    """Texts in parts as one text; anything else as JSON."""
    if isinstance(value, list) and value and all(isinstance(part, Mapping) for part in value):
        texts = [part.get("text") for part in value]
        if all(isinstance(text, str) for text in texts):
            return "\n".join(map(str, texts))
    if isinstance(value, Mapping) and isinstance(value.get("content"), str | list):
        return _plain_text(value["content"])  # a message of a tool
    return as_text(value)


def tool_output(value: object) -> tuple[str, str]:
    """What a tool returned, and why it failed; tools of LangChain return a message."""
    value = opened(value)
    if isinstance(value, Mapping) and isinstance(value.get("kwargs"), Mapping):
        value = value["kwargs"]
    if isinstance(value, Mapping) and set(value) == {"output"}:
        return tool_output(value["output"])
    text = _plain_text(value)
    failed = isinstance(value, Mapping) and value.get("status") == "error"
    return ("", text) if failed else (text, "")


def _id(value: Mapping[str, Any]) -> str:
    return str(first(value, _IDS) or "")


def call_step(call: Mapping[str, Any]) -> Step:
    inner = (call.get(name) for name in ("function", "custom"))
    function = next((part for part in inner if isinstance(part, Mapping)), call)
    if not isinstance(function, Mapping) or not function.get("name"):
        raise ValueError(Reason("trace.no_name"))
    arguments = opened_arguments(first(function, ARGUMENTS))
    return Step(kind="tool", name=str(function["name"]), arguments=arguments, call=_id(call))


def recorded_by_model(output: object, shown: object = None) -> tuple[str, tuple[Step, ...]]:
    """What a model said, the calls that it asked for, and what stands in what it was shown."""
    said, recorded = [], []
    for message in _messages(shown):
        if str(message.get("role") or message.get("type")) not in ("system", "developer"):
            recorded += [
                replace(step, origin="history")
                for step in message_steps(message)
                if step.kind == "other" or step.name == "user"
            ]
    for message in _messages(output):
        for step in message_steps(message):
            if step.kind == "message":
                said.append(step.output)
            elif step.kind == "tool":
                recorded.append(replace(step, origin="asked"))
    return "\n".join(filter(None, said)), tuple(recorded)


def _messages(value: object) -> Iterator[Mapping[str, Any]]:
    for entry in value if isinstance(value, list) else ():
        message = entry.get("message", entry) if isinstance(entry, Mapping) else None
        if isinstance(message, Mapping) and ("role" in message or message.get("type") in ROLES):
            yield message
