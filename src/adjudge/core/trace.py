"""An agent's trace as numbered steps, whatever tool recorded it.

Understood are OpenTelemetry spans with the GenAI conventions, OpenInference spans, spans and items
of the OpenAI Agents SDK, messages of LangGraph and of chat APIs, and plain steps
(`{"tool": "search", "arguments": {…}, "output": "…"}`). A step is a call of a tool with what came
back, or something that was said.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Literal

from .reason import Reason

StepKind = Literal["tool", "model", "message", "other"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """`arguments` are a tool's, `output` is what came back or was said. `cost` is in USD."""

    kind: StepKind
    name: str
    arguments: object = None
    output: str = ""
    error: str = ""
    cost: float | None = None
    tokens: int = 0

    @property
    def text(self) -> str:
        """As a prompt shows it."""
        rows = [f"{self.kind}: {self.name}" if self.name else self.kind]
        if self.arguments not in (None, "", {}):
            rows.append(f"arguments: {as_text(self.arguments)}")
        rows += [f"output: {self.output}"] * bool(self.output)
        rows += [f"error: {self.error}"] * bool(self.error)
        return "\n".join(rows)


def steps_of(value: object) -> tuple[Step, ...]:
    """The steps of a recorded trace; ValueError with a Reason where its form is not known."""
    return tuple(_merged(_steps(_opened(value))))


def as_text(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _opened(value: object) -> object:
    """A text that is JSON, as what it stands for."""
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        with suppress(ValueError, RecursionError):
            return json.loads(value)
    return value


# Where a list of steps stands inside an object.
_LISTS = ("steps", "messages", "spans", "items", "trace", "trajectory", "data", "scopeSpans",
          "resourceSpans", "scope_spans", "resource_spans", "batches")  # fmt: skip


def _steps(value: object) -> Iterator[Step]:
    if isinstance(value, str):
        yield Step(kind="message", name="", output=value)
    elif isinstance(value, Mapping):
        lists = [value[name] for name in _LISTS if isinstance(value.get(name), list)]
        if lists and not _is_step(value):
            yield from _listed(lists[0])
        elif _is_step(value):
            yield from _step(value)
        elif value and all(isinstance(part, Mapping) for part in value.values()):
            for part in value.values():  # an update of a graph: the node's name, and its state
                yield from _steps(part)
        else:
            raise ValueError(Reason("trace.unknown", keys=tuple(map(str, value))[:6]))
    elif isinstance(value, list):
        yield from _listed(value)
    else:
        why = Reason("trace.no_steps", kind=type(value).__name__)
        raise ValueError(why)  # noqa: TRY004 - what is wrong with data, as above


def _listed(entries: Sequence[Any]) -> Iterator[Step]:
    spans = [entry for entry in entries if isinstance(entry, Mapping) and _started(entry).strip()]
    if len(spans) == len(entries):
        entries = [*sorted(spans, key=_started)]  # exporters write a span when it ends
    for entry in entries:
        yield from _steps(entry)


def _started(span: Mapping[str, Any]) -> str:
    names = ("startTimeUnixNano", "start_time_unix_nano", "start_time", "startTime", "started_at")
    start = next((span[name] for name in names if span.get(name)), "")
    return f"{start:>40}" if isinstance(start, int | float) else str(start).rjust(40)


def _is_step(value: Mapping[str, Any]) -> bool:
    known = ("role", "type", "span_data", "attributes", "kwargs", "tool", "tool_name", "action")
    return any(name in value for name in known) or (
        "name" in value and any(name in value for name in (*_ARGUMENTS, *_OUTPUTS))
    )


def _step(value: Mapping[str, Any]) -> Iterator[Step]:
    if isinstance(value.get("span_data"), Mapping):
        yield from _agents_span(value)
    elif "attributes" in value:
        yield from _span(value)
    elif isinstance(value.get("kwargs"), Mapping):  # a message that LangChain wrote out
        kind = str((value.get("id") or ["message"])[-1]).removesuffix("Message").lower()
        yield from _message({"type": kind, **value["kwargs"]})
    elif value.get("type") in ("function_call", "function_call_output", "reasoning"):
        yield from _item(value)
    elif "role" in value or value.get("type") in _ROLES:
        yield from _message(value)
    else:
        yield _plain(value)


_ARGUMENTS = ("arguments", "args", "input", "tool_input", "action_input", "parameters")
_OUTPUTS = ("output", "result", "observation", "response", "content", "text", "thought")


def _first(value: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((value[name] for name in names if value.get(name) not in (None, "")), None)


def _plain(value: Mapping[str, Any]) -> Step:
    name = _first(value, ("tool", "tool_name", "action", "name", "type"))
    if name is None:
        raise ValueError(Reason("trace.unknown", keys=tuple(map(str, value))[:6]))
    is_tool = any(part in value for part in ("tool", "tool_name", "action", *_ARGUMENTS))
    return Step(
        kind="tool" if is_tool else "message",
        name=str(name),
        arguments=_opened(_first(value, _ARGUMENTS)) if is_tool else None,
        output=as_text(_first(value, _OUTPUTS)),
        error=_error(value.get("error")),
        cost=_number(_first(value, ("cost_usd", "cost"))),
        tokens=int(_number(value.get("tokens")) or 0),
    )


def _error(value: object) -> str:
    if isinstance(value, Mapping):
        return as_text(value.get("message") or dict(value))
    return "" if value in (None, False, "") else as_text(value)


def _number(value: object) -> float | None:
    with suppress(TypeError, ValueError):
        return None if isinstance(value, bool) else float(value)  # type: ignore[arg-type]
    return None


_ROLES = {
    **dict.fromkeys(("user", "human"), "user"),
    **dict.fromkeys(("assistant", "ai", "aimessagechunk", "model"), "assistant"),
    **dict.fromkeys(("tool", "function"), "tool"),
    **dict.fromkeys(("system", "developer"), "system"),
}


def _message(value: Mapping[str, Any]) -> Iterator[Step]:
    role = str(value.get("role") or value.get("type")).casefold()
    role = _ROLES.get(role, role)
    said, calls = [], list(value.get("tool_calls") or ())
    content = value.get("content")
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, Mapping) and part.get("type") == "tool_use":
            calls.append(part)
        elif isinstance(part, Mapping) and part.get("type") == "tool_result":
            text = as_text(part.get("content"))
            failed = text if part.get("is_error") else ""
            yield Step(kind="other", name="", output="" if failed else text, error=failed)
        elif isinstance(part, Mapping):
            said.append(as_text(part.get("text") or part.get("refusal")))
        else:
            said.append(as_text(part))
    text = "\n".join(filter(None, said))
    if role == "tool":
        failed = text if value.get("status") == "error" else ""
        yield Step(kind="other", name=str(value.get("name") or ""),
                   output="" if failed else text, error=failed)  # fmt: skip
        return
    if text:
        yield Step(kind="message", name=role, output=text)
    for call in calls:
        yield _call(call)


def _call(call: Mapping[str, Any]) -> Step:
    function = call.get("function") if isinstance(call.get("function"), Mapping) else call
    if not isinstance(function, Mapping) or not function.get("name"):
        raise ValueError(Reason("trace.no_name"))
    arguments = _opened(_first(function, _ARGUMENTS))
    return Step(kind="tool", name=str(function["name"]), arguments=arguments)


def _item(value: Mapping[str, Any]) -> Iterator[Step]:
    if value["type"] == "function_call":
        yield _call(value)
    elif value["type"] == "function_call_output":
        yield Step(kind="other", name="", output=as_text(value.get("output")))


def _agents_span(value: Mapping[str, Any]) -> Iterator[Step]:
    data, error = value["span_data"], _error(value.get("error"))
    kind = data.get("type")
    if kind == "function":
        yield Step(
            kind="tool",
            name=str(data.get("name")),
            arguments=_opened(data.get("input")),
            output=as_text(data.get("output")),
            error=error,
        )
    elif kind == "handoff":
        name = f"{data.get('from_agent')} → {data.get('to_agent')}"
        yield Step(kind="other", name=f"handoff {name}", error=error)
    elif kind in ("generation", "response"):
        usage = data.get("usage") or {}
        tokens = sum(int(usage.get(name) or 0) for name in ("input_tokens", "output_tokens"))
        output = as_text(data.get("output"))
        name = str(data.get("model") or "")
        yield Step(kind="model", name=name, output=output, error=error, tokens=tokens)


def _span(value: Mapping[str, Any]) -> Iterator[Step]:
    """A span of OpenTelemetry, by the GenAI conventions or those of OpenInference."""
    facts = _attributes(value["attributes"])
    kind = str(facts.get("openinference.span.kind") or "").upper()
    operation = str(facts.get("gen_ai.operation.name") or "")
    error = _span_error(value, facts)
    if kind == "TOOL" or operation == "execute_tool":
        name = _first(facts, ("gen_ai.tool.name", "tool.name")) or value.get("name")
        arguments = ("gen_ai.tool.call.arguments", "tool.parameters", "input.value")
        yield Step(
            kind="tool",
            name=str(name).removeprefix("execute_tool "),
            arguments=_opened(_first(facts, arguments)),
            output=as_text(_first(facts, ("gen_ai.tool.call.result", "output.value"))),
            error=error,
        )
    elif kind == "LLM" or operation in ("chat", "text_completion", "generate_content"):
        counts = ("gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens",
                  "llm.token_count.prompt", "llm.token_count.completion")  # fmt: skip
        yield Step(
            kind="model",
            name=str(_first(facts, ("gen_ai.request.model", "llm.model_name")) or ""),
            output=as_text(_first(facts, ("gen_ai.output.messages", "output.value"))),
            error=error,
            cost=_number(_first(facts, ("gen_ai.usage.cost", "llm.cost.total"))),
            tokens=sum(int(_number(facts.get(name)) or 0) for name in counts),
        )
    elif kind == "RETRIEVER":
        output = as_text(facts.get("output.value"))
        name = str(value.get("name") or "retrieval")
        yield Step(kind="tool", name=name, arguments=_opened(facts.get("input.value")),
                   output=output, error=error)  # fmt: skip
    elif error:
        yield Step(kind="other", name=str(value.get("name") or ""), error=error)


def _attributes(value: object) -> dict[str, Any]:
    """As an object, also where they are a list of keys and typed values as OTLP has it."""
    if isinstance(value, Mapping):
        return dict(value)
    facts = {}
    for pair in value if isinstance(value, list) else ():
        typed = pair.get("value") or {}
        facts[pair.get("key")] = next(iter(typed.values()), None) if typed else None
    return facts


def _span_error(value: Mapping[str, Any], facts: Mapping[str, Any]) -> str:
    status = value.get("status") or {}
    code = _first(status, ("code", "status_code")) if isinstance(status, Mapping) else status
    if str(code).upper() in ("2", "ERROR", "STATUS_CODE_ERROR", "STATUSCODE.ERROR"):
        said = _first(status, ("message", "description")) if isinstance(status, Mapping) else None
        return as_text(said or facts.get("error.type") or "error")
    return as_text(facts.get("error.type"))


def _merged(steps: Iterator[Step]) -> Iterator[Step]:
    """A result that comes after its call belongs to the first call that has none yet."""
    made: list[Step] = []
    for step in steps:
        result = step.kind == "other" and not step.name.startswith("handoff")
        waiting = (
            at
            for at, one in enumerate(made)
            if one.kind == "tool" and not one.output and not one.error
            and step.name in ("", one.name)
        )  # fmt: skip
        if result and (at := next(waiting, None)) is not None:
            made[at] = replace(made[at], output=step.output, error=step.error)
        else:
            made.append(step)
    yield from made
