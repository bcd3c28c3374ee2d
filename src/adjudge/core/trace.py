"""An agent's trace as numbered steps, whatever tool recorded it.

Understood are OpenTelemetry spans with the GenAI conventions, OpenInference spans, spans and items
of the OpenAI Agents SDK, messages, updates and events of LangGraph, messages of chat APIs, and
plain steps (`{"tool": "search", "arguments": {…}, "output": "…"}`). A step is a call of a tool with
what came back, or something that was said.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from .reason import Reason
from .step import (
    ARGUMENTS,
    OUTPUTS,
    Step,
    as_text,
    error_text,
    first,
    number,
    opened,
    opened_arguments,
)
from .trace_messages import ROLES, is_item, item_steps, message_steps
from .trace_spans import agents_steps, event_steps, run_steps, span_steps

__all__ = ["Step", "steps_of"]


def steps_of(value: object) -> tuple[Step, ...]:
    """The steps of a recorded trace; ValueError with a Reason where its form is not known."""
    return tuple(_merged(_steps(opened(value))))


# Where a list of steps stands inside an object.
_LISTS = ("steps", "messages", "spans", "items", "trace", "trajectory", "data", "runs",
          "scopeSpans", "resourceSpans", "scope_spans", "resource_spans", "batches")  # fmt: skip
_KNOWN = ("role", "type", "span_data", "attributes", "kwargs", "tool", "tool_name", "action",
          "run_type", "event")  # fmt: skip
_MODES = ("values", "updates", "messages", "custom", "debug", "tasks")


def _steps(value: object) -> Iterator[Step]:
    if isinstance(value, str):
        yield Step(kind="message", name="", output=value)
    elif isinstance(value, Mapping):
        yield from _of_object(value)
    elif isinstance(value, list):
        if len(value) == 2 and value[0] in _MODES:  # LangGraph, streaming in several modes
            yield from _steps(value[1])
        else:
            yield from _listed(value)
    elif value is not None:
        why = Reason("trace.no_steps", kind=type(value).__name__)
        raise ValueError(why)


def _of_object(value: Mapping[str, Any]) -> Iterator[Step]:
    lists = [value[name] for name in _LISTS if isinstance(value.get(name), list)]
    if value.get("object") == "trace" and not lists:
        return  # the Agents SDK writes it beside its spans
    if value.get("type") in _MODES and isinstance(value.get("data"), Mapping):
        yield from _steps(value["data"])  # LangGraph's stream, with the kind of each part
    elif value.get("type") in ("task", "checkpoint") and "payload" in value:
        return  # LangGraph in debug mode: the result of the task comes afterwards
    elif value.get("type") == "task_result" and isinstance(value.get("payload"), Mapping):
        result = value["payload"].get("result")
        yield from _steps(dict(result) if isinstance(result, list) else result)
    elif _is_step(value):
        yield from _step(value)
        yield from _listed(value.get("child_runs") or ())
    elif lists:
        yield from _listed(lists[0])
    elif value and all(part is None or isinstance(part, Mapping) for part in value.values()):
        for part in value.values():  # an update of a graph: the node's name, and its state
            yield from _steps(part)
    else:
        raise ValueError(Reason("trace.unknown", keys=tuple(map(str, value))[:6]))


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
    return any(name in value for name in _KNOWN) or (
        "name" in value and any(name in value for name in (*ARGUMENTS, *OUTPUTS))
    )


def _step(value: Mapping[str, Any]) -> Iterator[Step]:
    if isinstance(value.get("span_data"), Mapping):
        yield from agents_steps(value)
    elif "attributes" in value:
        yield from span_steps(value)
    elif "run_type" in value:
        yield from run_steps(value)
    elif str(value.get("event", "")).startswith("on_"):
        yield from event_steps(value)
    elif isinstance(value.get("kwargs"), Mapping):  # a message that LangChain wrote out
        kind = str((value.get("id") or ["message"])[-1]).removesuffix("Message").lower()
        yield from message_steps({"type": kind, **value["kwargs"]})
    elif is_item(value):
        yield from item_steps(value)
    elif "role" in value or value.get("type") in ROLES:
        yield from message_steps(value)
    else:
        yield _plain(value)


def _plain(value: Mapping[str, Any]) -> Step:
    name = first(value, ("tool", "tool_name", "action", "name", "type"))
    if name is None:
        raise ValueError(Reason("trace.unknown", keys=tuple(map(str, value))[:6]))
    is_tool = any(part in value for part in ("tool", "tool_name", "action", *ARGUMENTS))
    return Step(
        kind="tool" if is_tool else "message",
        name=str(name),
        arguments=opened_arguments(first(value, ARGUMENTS)) if is_tool else None,
        output=as_text(first(value, OUTPUTS)),
        error=error_text(value.get("error")),
        cost=number(first(value, ("cost_usd", "cost"))),
        tokens=int(number(value.get("tokens")) or 0),
    )


def _merged(steps: Iterator[Step]) -> Iterator[Step]:
    """Each call once, with its result: by the call's id, else the first call that has none yet.

    What a model was shown is left out where it is a step already.
    """
    made: list[Step] = []
    for step in steps:
        at = _place(step, made)
        if at is not None:
            call = made[at]
            if not (call.output or call.error):
                made[at] = replace(call, output=step.output, error=step.error, origin=step.origin)
        elif step.origin != "history" or (step.kind != "other" and step not in made):
            made.append(step)
    yield from made


def _place(step: Step, made: Sequence[Step]) -> int | None:
    """Which of the calls before it the step belongs to; None for a step of its own."""
    calls = [(at, one) for at, one in enumerate(made) if one.kind == "tool"]
    if step.kind == "tool":  # a call that the model asked for, and the span of its execution
        return next((at for at, one in calls if _is_asked(one, step)), None)
    if step.kind != "other" or step.name.startswith(("handoff ", "guardrail ")):
        return None
    if step.call and any(one.call for _, one in calls):
        return next((at for at, one in calls if one.call == step.call), None)
    waiting = (
        at for at, one in calls if not one.output and not one.error and step.name in ("", one.name)
    )
    return next(waiting, None)


def _is_asked(call: Step, step: Step) -> bool:
    if call.origin != "asked" or step.origin or call.name != step.name:
        return False
    if call.call and step.call:
        return call.call == step.call
    return not call.output and call.arguments == step.arguments
