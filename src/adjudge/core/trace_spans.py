"""Steps of spans: OpenTelemetry with the GenAI conventions, OpenInference, OpenLLMetry, the OpenAI
Agents SDK, and runs of LangSmith.

A model's span may hold the messages that it was shown and those that it wrote. Calls of tools that
stand in them are steps too where no span of their own tells of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .step import Step, as_text, error_text, first, number, opened, opened_arguments, tokens_in
from .trace_messages import recorded_by_model, tool_output

_TOOLS = ("execute_tool",)
_MODELS = ("chat", "text_completion", "generate_content")
_COUNTS = ("gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens",
           "gen_ai.usage.prompt_tokens", "gen_ai.usage.completion_tokens",
           "llm.token_count.prompt", "llm.token_count.completion")  # fmt: skip


def agents_steps(value: Mapping[str, Any]) -> Iterator[Step]:
    """A span of the OpenAI Agents SDK."""
    data, error = value["span_data"], error_text(value.get("error"))
    kind = data.get("type")
    if kind == "function":
        yield Step(
            kind="tool",
            name=str(data.get("name")),
            arguments=opened_arguments(data.get("input")),
            output=as_text(data.get("output")),
            error=error,
        )
    elif kind == "handoff":
        name = f"{data.get('from_agent')} → {data.get('to_agent')}"
        yield Step(kind="other", name=f"handoff {name}", error=error)
    elif kind in ("generation", "response"):
        said, recorded = recorded_by_model(data.get("output"), data.get("input"))
        output = said if said or recorded else as_text(data.get("output"))
        yield from _model(data, output, recorded, error=error, tokens=tokens_in(data.get("usage")))
    elif kind == "guardrail":
        output = "triggered" if data.get("triggered") else "passed"
        name = f"guardrail {data.get('name')}"
        yield Step(kind="other", name=name, output=output, error=error)
    elif error:
        yield Step(kind="other", name=str(data.get("name") or kind), error=error)


def _model(
    facts: Mapping[str, Any], output: str, recorded: tuple[Step, ...], **more: Any
) -> Iterator[Step]:
    """What the model was shown, the model's step, then the tools that it asked for."""
    names = ("gen_ai.request.model", "gen_ai.response.model", "llm.model_name", "model")
    yield from (step for step in recorded if step.origin == "history")
    yield Step(kind="model", name=str(first(facts, names) or ""), output=output, **more)
    yield from (step for step in recorded if step.origin == "asked")


def span_steps(value: Mapping[str, Any]) -> Iterator[Step]:
    """A span of OpenTelemetry, by the GenAI conventions or those of OpenInference."""
    facts = _facts(value)
    kind = str(first(facts, ("openinference.span.kind", "traceloop.span.kind")) or "").upper()
    operation = str(facts.get("gen_ai.operation.name") or "")
    error = _span_error(value, facts)
    if kind == "TOOL" or operation in _TOOLS:
        yield _tool_span(value, facts, error)
    elif kind == "LLM" or operation in _MODELS or "gen_ai.completion.0.role" in facts:
        shown = first_tree(facts, ("gen_ai.input.messages", "llm.input_messages", "gen_ai.prompt"))
        names = ("gen_ai.output.messages", "llm.output_messages", "gen_ai.completion")
        said, recorded = recorded_by_model(first_tree(facts, names), shown)
        output = said if said or recorded else as_text(facts.get("output.value"))
        yield from _model(
            facts,
            output,
            recorded,
            error=error,
            cost=number(first(facts, ("gen_ai.usage.cost", "llm.cost.total"))),
            tokens=int(sum(number(facts.get(name)) or 0 for name in _COUNTS)),
        )
    elif kind == "RETRIEVER":
        documents = first_tree(facts, ("retrieval.documents",))
        output = as_text(facts.get("output.value") or documents)
        name = str(value.get("name") or "retrieval")
        yield Step(kind="tool", name=name, arguments=opened_arguments(facts.get("input.value")),
                   output=output, error=error)  # fmt: skip
    elif error:
        yield Step(kind="other", name=str(value.get("name") or ""), error=error)


def _tool_span(value: Mapping[str, Any], facts: Mapping[str, Any], error: str) -> Step:
    named = ("gen_ai.tool.name", "tool.name", "traceloop.entity.name")
    # `tool.parameters` may be what the tool takes, where `input.value` is what it was given.
    passed = ("gen_ai.tool.call.arguments", "input.value", "traceloop.entity.input",
             "tool.parameters")  # fmt: skip
    came = ("gen_ai.tool.call.result", "output.value", "traceloop.entity.output")
    output, failed = tool_output(first(facts, came))
    return Step(
        kind="tool",
        name=str(first(facts, named) or value.get("name")).removeprefix("execute_tool "),
        arguments=opened_arguments(first(facts, passed)),
        output=output,
        error=error or failed,
        call=str(first(facts, ("gen_ai.tool.call.id", "tool_call.id", "tool.id")) or ""),
    )


def _facts(span: Mapping[str, Any]) -> dict[str, Any]:
    """All attributes by their dotted names, also those of events (content may stand in either)."""
    facts: dict[str, Any] = {}
    for event in span.get("events") or ():
        if isinstance(event, Mapping):
            facts |= _dotted(_attributes(event.get("attributes")))
    return facts | _dotted(_attributes(span["attributes"]))


def _attributes(value: object) -> Mapping[str, Any]:
    """As an object, also where they are a list of keys and typed values as OTLP has it."""
    if isinstance(value, Mapping):
        return value
    pairs = value if isinstance(value, list) else ()
    return {pair["key"]: _typed(pair.get("value")) for pair in pairs if "key" in pair}


def _typed(value: object) -> Any:
    """A value of OTLP: whole numbers are texts there, lists and objects hold typed values."""
    if not isinstance(value, Mapping) or len(value) != 1:
        return None
    (kind, inner), *_ = value.items()
    if kind in ("arrayValue", "array_value"):
        return [_typed(one) for one in inner.get("values") or ()]
    if kind in ("kvlistValue", "kvlist_value"):
        return dict(_attributes(inner.get("values") or []))
    return int(inner) if kind in ("intValue", "int_value") else inner


def _dotted(value: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    """Nested objects flat, as exporters of OpenInference also write them; lists stay."""
    flat: dict[str, Any] = {}
    for key, inner in value.items():
        name = f"{before}{key}"
        flat[name] = inner
        if isinstance(inner, Mapping):
            flat |= _dotted(inner, f"{name}.")
    return flat


def first_tree(facts: Mapping[str, Any], names: tuple[str, ...]) -> object:
    """The first of these that is there: as it is, as JSON, or in numbered keys."""
    for name in names:
        if facts.get(name) not in (None, ""):
            return opened(facts[name])
        within = {key: facts[key] for key in facts if key.startswith(f"{name}.")}
        if within:
            return _numbered(within, len(name) + 1)
    return None


def _numbered(facts: Mapping[str, Any], at: int) -> object:
    """`…0.message.role` and the like, as the list that they stand for."""
    tree: dict[str, Any] = {}
    for key, value in facts.items():
        *path, last = key[at:].split(".")
        node = tree
        for name in path:
            node = node.setdefault(name, {})
            if not isinstance(node, dict):
                break
        else:
            node[last] = value
    return _listed(tree)


_WRAPPED = ("message", "tool_call", "message_content", "document")


def _listed(tree: object) -> object:
    if not isinstance(tree, dict):
        return tree
    if tree and all(key.isdigit() for key in tree):
        return [_listed(tree[key]) for key in sorted(tree, key=int)]
    if len(tree) == 1 and (name := next(iter(tree))) in _WRAPPED:
        return _listed(tree[name])
    return {key: _listed(value) for key, value in tree.items()}


def _span_error(value: Mapping[str, Any], facts: Mapping[str, Any]) -> str:
    status = value.get("status") or value.get("status_code") or {}
    code = first(status, ("code", "status_code")) if isinstance(status, Mapping) else status
    if str(code).upper() in ("2", "ERROR", "STATUS_CODE_ERROR", "STATUSCODE.ERROR"):
        holder = status if isinstance(status, Mapping) else value
        said = first(holder, ("message", "description", "status_message"))
        return as_text(said or first(facts, ("exception.message", "error.type")) or "error")
    return as_text(facts.get("error.type"))


def run_steps(value: Mapping[str, Any]) -> Iterator[Step]:
    """A run of LangSmith; its children are read by who reads it."""
    kind, error = value.get("run_type"), error_text(value.get("error"))
    passed, came = value.get("inputs") or {}, value.get("outputs")
    if kind in ("tool", "retriever"):
        asked = passed.get("input", passed) if isinstance(passed, Mapping) else passed
        output, failed = tool_output(came)
        yield Step(kind="tool", name=str(value.get("name")), arguments=opened_arguments(asked),
                   output=output, error=error or failed)  # fmt: skip
    elif kind == "llm":
        tokens = int(number(value.get("total_tokens")) or 0)
        cost = number(value.get("total_cost"))
        yield Step(kind="model", name=str(value.get("name") or ""), error=error,
                   tokens=tokens, cost=cost)  # fmt: skip
    elif error:
        yield Step(kind="other", name=str(value.get("name") or ""), error=error)


def event_steps(value: Mapping[str, Any]) -> Iterator[Step]:
    """An event of LangChain's `astream_events`: a tool or a model that has ended."""
    passed = value.get("data")
    data: Mapping[str, Any] = passed if isinstance(passed, Mapping) else {}
    event, name = value.get("event"), str(value.get("name") or "")
    if event in ("on_tool_end", "on_tool_error"):
        output, failed = tool_output(data.get("output"))
        error = error_text(data.get("error")) or failed
        error = error or ("error" if event == "on_tool_error" else "")
        asked = opened_arguments(data.get("input"))
        yield Step(kind="tool", name=name, arguments=asked, output=output, error=error)
    elif event == "on_chat_model_end":
        message = data.get("output")
        if isinstance(message, Mapping):
            message = message.get("kwargs", message)
            said, recorded = recorded_by_model([{"role": "assistant", **message}])
            tokens = tokens_in(message.get("usage_metadata"))
            yield from _model({"model": name}, said, recorded, tokens=tokens)
