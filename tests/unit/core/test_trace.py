"""Traces of several tools become the same steps."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from adjudge.core.reason import reason_of
from adjudge.core.trace import Step, steps_of

ARGUMENTS = {"city": "Hanoi"}
CALL = Step(kind="tool", name="weather", arguments=ARGUMENTS, output="31 degrees")

PLAIN = [{"tool": "weather", "arguments": ARGUMENTS, "output": "31 degrees"}]
OPENAI = [
    {"role": "user", "content": "How warm?"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "1", "function": {"name": "weather", "arguments": json.dumps(ARGUMENTS)}}
        ],
    },
    {"role": "tool", "tool_call_id": "1", "content": "31 degrees"},
]
ANTHROPIC = [
    {
        "role": "assistant",
        "content": [
            {"type": "text", "text": "Let me see."},
            {"type": "tool_use", "id": "1", "name": "weather", "input": ARGUMENTS},
        ],
    },
    {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "1", "content": "31 degrees"}],
    },
]
AGENTS_ITEMS = [
    {
        "type": "function_call",
        "call_id": "1",
        "name": "weather",
        "arguments": json.dumps(ARGUMENTS),
    },
    {"type": "function_call_output", "call_id": "1", "output": "31 degrees"},
]
AGENTS_SPANS = [
    {
        "object": "trace.span",
        "started_at": "2025-01-01T00:00:01Z",
        "span_data": {
            "type": "function",
            "name": "weather",
            "input": json.dumps(ARGUMENTS),
            "output": "31 degrees",
        },
    },
    {
        "object": "trace.span",
        "started_at": "2025-01-01T00:00:00Z",
        "span_data": {"type": "agent", "name": "a"},
    },
]
LANGGRAPH = {
    "messages": [
        {"type": "human", "content": "How warm?"},
        {
            "type": "ai",
            "content": "",
            "tool_calls": [{"name": "weather", "args": ARGUMENTS, "id": "1"}],
        },
        {"type": "tool", "name": "weather", "content": "31 degrees", "tool_call_id": "1"},
    ]
}
LANGGRAPH_UPDATES = [
    {"agent": {"messages": LANGGRAPH["messages"][1:2]}},
    {"tools": {"messages": LANGGRAPH["messages"][2:]}},
]
LANGCHAIN = [
    {
        "lc": 1,
        "type": "constructor",
        "id": ["langchain", "AIMessage"],
        "kwargs": LANGGRAPH["messages"][1] | {"type": "ai"},
    },
    LANGGRAPH["messages"][2],
]
OTEL = {
    "resourceSpans": [
        {
            "scopeSpans": [
                {
                    "spans": [
                        {
                            "name": "execute_tool weather",
                            "startTimeUnixNano": "1",
                            "status": {},
                            "attributes": [
                                {
                                    "key": "gen_ai.operation.name",
                                    "value": {"stringValue": "execute_tool"},
                                },
                                {"key": "gen_ai.tool.name", "value": {"stringValue": "weather"}},
                                {
                                    "key": "gen_ai.tool.call.arguments",
                                    "value": {"stringValue": json.dumps(ARGUMENTS)},
                                },
                                {
                                    "key": "gen_ai.tool.call.result",
                                    "value": {"stringValue": "31 degrees"},
                                },
                            ],
                        },
                    ]
                }
            ]
        }
    ]
}
OPENINFERENCE = [
    {
        "name": "weather",
        "start_time": "1",
        "attributes": {
            "openinference.span.kind": "TOOL",
            "tool.name": "weather",
            "input.value": json.dumps(ARGUMENTS),
            "output.value": "31 degrees",
        },
    }
]

ASKED = {
    "role": "assistant",
    "parts": [
        {"type": "reasoning", "content": "I need the weather."},
        {"type": "tool_call", "id": "c1", "name": "weather", "arguments": ARGUMENTS},
    ],
    "finish_reason": "tool_call",
}
SHOWN = [
    {"role": "user", "parts": [{"type": "text", "content": "How warm?"}]},
    ASKED,
    {
        "role": "tool",
        "parts": [{"type": "tool_call_response", "id": "c1", "response": "31 degrees"}],
    },
]
ANSWER = {"role": "assistant", "parts": [{"type": "text", "content": "It is warm."}]}


def typed(value: object) -> dict[str, object]:
    """As OTLP writes a value in JSON."""
    if isinstance(value, dict):
        pairs = [{"key": key, "value": typed(inner)} for key, inner in value.items()]
        return {"kvlistValue": {"values": pairs}}
    if isinstance(value, list):
        return {"arrayValue": {"values": [typed(inner) for inner in value]}}
    return {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}


def span(start: int, **attributes: object) -> dict[str, object]:
    named = {key.replace("__", "."): value for key, value in attributes.items()}
    return {
        "name": "span",
        "startTimeUnixNano": str(start),
        "attributes": [{"key": key, "value": typed(value)} for key, value in named.items()],
    }


def otlp(*spans: dict[str, object]) -> dict[str, object]:
    return {
        "resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {}, "spans": list(spans)}]}]
    }


def chats(write: Callable[[object], object]) -> tuple[dict[str, object], dict[str, object]]:
    """Two calls of a model; the second is shown what the first asked for."""
    named = {"gen_ai__operation__name": "chat", "gen_ai__request__model": "m"}
    return (
        span(1, **named, gen_ai__usage__input_tokens=7, gen_ai__usage__output_tokens=3,
             gen_ai__input__messages=write(SHOWN[:1]), gen_ai__output__messages=write([ASKED])),
        span(3, **named, gen_ai__input__messages=write(SHOWN),
             gen_ai__output__messages=write([ANSWER])),
    )  # fmt: skip


EXECUTED = span(
    2,
    gen_ai__operation__name="execute_tool",
    gen_ai__tool__name="weather",
    gen_ai__tool__call__id="c1",
    gen_ai__tool__call__arguments=ARGUMENTS,
    gen_ai__tool__call__result="31 degrees",
)
OPENINFERENCE_MODEL = {
    "name": "ChatCompletion",
    "start_time": "2025-01-01T00:00:00+00:00",
    "span_kind": "LLM",
    "status_code": "OK",
    "attributes": {
        "openinference.span.kind": "LLM",
        "llm.model_name": "m",
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": "How warm?",
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.tool_calls.0.tool_call.id": "c1",
        "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "weather",
        "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments": json.dumps(
            ARGUMENTS
        ),
        "llm.token_count.prompt": 7,
        "llm.token_count.completion": 3,
    },
}
OPENINFERENCE_LATER = {
    "name": "ChatCompletion",
    "start_time": "2025-01-01T00:00:02+00:00",
    "attributes": {
        "openinference": {"span": {"kind": "LLM"}},
        "llm": {
            "input_messages": [
                {"message": {"role": "tool", "content": "31 degrees", "tool_call_id": "c1"}}
            ],
            "output_messages": [{"message": {"role": "assistant", "content": "It is warm."}}],
        },
    },
}
OPENINFERENCE_TOOL = {
    "name": "weather",
    "start_time": "2025-01-01T00:00:01+00:00",
    "attributes": {
        "openinference.span.kind": "TOOL",
        "tool.name": "weather",
        "tool.parameters": '{"city": {"type": "string"}}',
        "input.value": str(ARGUMENTS),
        "output.value": json.dumps({"content": "31 degrees", "type": "tool"}),
    },
}
CHAT_CALL = {"id": "c1", "type": "function",
             "function": {"name": "weather", "arguments": json.dumps(ARGUMENTS)}}  # fmt: skip
AGENTS_EXPORT = [
    {"object": "trace", "id": "trace_1", "workflow_name": "Weather", "metadata": None},
    {
        "object": "trace.span",
        "id": "span_1",
        "started_at": "2025-01-01T00:00:00Z",
        "error": None,
        "span_data": {
            "type": "generation",
            "model": "m",
            "input": [{"role": "user", "content": "How warm?"}],
            "output": [{"role": "assistant", "content": None, "tool_calls": [CHAT_CALL]}],
            "usage": {"input_tokens": 7, "output_tokens": 3},
        },
    },
    AGENTS_SPANS[0],
    {
        "object": "trace.span",
        "started_at": "2025-01-01T00:00:02Z",
        "span_data": {"type": "mcp_tools", "server": "s", "result": ["weather"]},
    },
]
STORED = [
    {"type": "human", "data": {"content": "How warm?", "type": "human"}},
    {
        "type": "ai",
        "data": {
            "content": [
                {"type": "text", "text": "Let me see."},
                {"type": "tool_use", "id": "c1", "name": "weather", "input": ARGUMENTS},
            ],
            "tool_calls": [{"name": "weather", "args": ARGUMENTS, "id": "c1"}],
            "usage_metadata": {"input_tokens": 7, "output_tokens": 3, "total_tokens": 10},
        },
    },
    {"type": "tool", "data": {"content": "31 degrees", "tool_call_id": "c1", "status": "success"}},
]
EVENTS = [
    {"event": "on_chain_start", "name": "LangGraph", "run_id": "0", "data": {"input": {}}},
    {
        "event": "on_chat_model_end",
        "name": "ChatModel",
        "run_id": "1",
        "data": {"output": STORED[1]["data"]},
    },
    {"event": "on_tool_start", "name": "weather", "run_id": "2", "data": {"input": ARGUMENTS}},
    {
        "event": "on_tool_end",
        "name": "weather",
        "run_id": "2",
        "data": {"input": ARGUMENTS, "output": {"content": "31 degrees", "type": "tool"}},
    },
]
DEBUG = [
    {"type": "task", "step": 1, "payload": {"id": "a", "name": "agent", "input": {}}},
    {
        "type": "task_result",
        "step": 1,
        "payload": {
            "id": "a", "name": "agent", "error": None,
            "result": [["messages", LANGGRAPH["messages"][1:]]],
        },
    },
]  # fmt: skip
RUNS = {
    "name": "agent",
    "run_type": "chain",
    "start_time": "2025-01-01T00:00:00",
    "child_runs": [
        {
            "name": "weather",
            "run_type": "tool",
            "start_time": "2025-01-01T00:00:01",
            "inputs": {"input": str(ARGUMENTS)},
            "outputs": {"output": "31 degrees"},
        }
    ],
}
ANTHROPIC_PARTS = [
    ANTHROPIC[0],
    {
        "role": "user",
        "content": [
            {
                "type": "tool_result",
                "tool_use_id": "1",
                "content": [{"type": "text", "text": "31 degrees"}],
            }
        ],
    },
]
MCP = [
    {"type": "reasoning", "id": "r", "summary": []},
    {"type": "mcp_call", "id": "m", "server_label": "s", "name": "weather",
     "arguments": json.dumps(ARGUMENTS), "output": "31 degrees", "error": None},
]  # fmt: skip
GEMINI = [
    {"role": "model", "parts": [{"functionCall": {"name": "weather", "args": ARGUMENTS}}]},
    {
        "role": "user",
        "parts": [{"functionResponse": {"name": "weather", "response": "31 degrees"}}],
    },
]

FORMS = {
    "opentelemetry, messages as JSON": otlp(*chats(json.dumps)),
    "opentelemetry, messages as values": otlp(*chats(lambda value: value)),
    "opentelemetry, with the tool's span": otlp(*chats(json.dumps), EXECUTED),
    "openinference, messages alone": [OPENINFERENCE_MODEL, OPENINFERENCE_LATER],
    "openinference, with the tool's span": [
        OPENINFERENCE_MODEL,
        OPENINFERENCE_TOOL,
        OPENINFERENCE_LATER,
    ],
    "agents export": AGENTS_EXPORT,
    "langchain, stored": STORED,
    "langchain, events": EVENTS,
    "langgraph, debug": DEBUG,
    "langgraph, parts of a stream": [
        {"type": "updates", "ns": [], "data": update} for update in LANGGRAPH_UPDATES
    ],
    "langgraph, several modes": [["updates", update] for update in LANGGRAPH_UPDATES],
    "langsmith": RUNS,
    "anthropic, result in parts": ANTHROPIC_PARTS,
    "items with a remote tool": MCP,
    "gemini": GEMINI,
    "plain": PLAIN,
    "openai": OPENAI,
    "anthropic": ANTHROPIC,
    "agents items": AGENTS_ITEMS,
    "agents spans": AGENTS_SPANS,
    "langgraph": LANGGRAPH,
    "langgraph updates": LANGGRAPH_UPDATES,
    "langchain": LANGCHAIN,
    "opentelemetry": OTEL,
    "openinference": OPENINFERENCE,
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("written", [False, True])
def test_every_form_has_the_call_with_its_result(form: str, written: bool) -> None:
    value: object = json.dumps(FORMS[form]) if written else FORMS[form]
    assert [step for step in steps_of(value) if step.kind == "tool"] == [CALL]


def test_what_a_model_was_shown_and_said_stands_once() -> None:
    shown = [(step.kind, step.name, step.output) for step in steps_of(otlp(*chats(json.dumps)))]
    assert shown == [
        ("message", "user", "How warm?"),
        ("model", "m", ""),
        ("tool", "weather", "31 degrees"),
        ("model", "m", "It is warm."),
    ]


def test_tokens_of_every_form_that_counts_them() -> None:
    counted = ("opentelemetry, messages as values", "openinference, messages alone",
               "agents export", "langchain, stored", "langchain, events")  # fmt: skip
    assert {sum(step.tokens for step in steps_of(FORMS[form])) for form in counted} == {10}


def test_results_find_their_call_by_its_id() -> None:
    calls = [
        {"id": f"c{number}", "function": {"name": "look", "arguments": f'{{"n": {number}}}'}}
        for number in (1, 2)
    ]
    messages = [
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "tool_call_id": "c2", "content": "second"},
        {"role": "tool", "tool_call_id": "c1", "content": "first"},
    ]
    assert [step.output for step in steps_of(messages)] == ["first", "second"]


def test_a_call_made_twice_is_two_steps() -> None:
    twice = [*chats(json.dumps), EXECUTED, {**EXECUTED, "startTimeUnixNano": "4"}]
    assert sum(step.kind == "tool" for step in steps_of(otlp(*twice))) == 2


def test_what_failed_says_so_in_every_form() -> None:
    failed = [
        [{"name": "t", "status_code": "ERROR", "status_message": "timed out",
          "attributes": {"openinference.span.kind": "TOOL"}}],
        [{"name": "t", "status": {"code": 2},
          "attributes": {"gen_ai.operation.name": "execute_tool"},
          "events": [{"name": "exception", "attributes": {"exception.message": "timed out"}}]}],
        [{"span_data": {"type": "function", "name": "t", "input": "{}"},
          "error": {"message": "timed out", "data": {}}}],
        [{"event": "on_tool_error", "name": "t", "data": {"error": "timed out"}}],
        [ANTHROPIC[0], {"role": "user", "content": [
            {"type": "tool_result", "is_error": True, "content": "timed out"}]}],
    ]  # fmt: skip
    assert {[step.error for step in steps_of(form)][-1] for form in failed} == {"timed out"}


def test_spans_stand_in_the_order_in_which_they_began() -> None:
    spans = [
        {"name": n, "start_time": start, "attributes": {"openinference.span.kind": "TOOL"}}
        for n, start in (("b", 20), ("c", 100), ("a", 3))
    ]
    assert [step.name for step in steps_of(spans)] == ["a", "b", "c"]


def test_errors_tokens_and_cost() -> None:
    spans = [
        {
            "name": "t",
            "attributes": {"gen_ai.operation.name": "execute_tool"},
            "status": {"code": 2, "message": "timed out"},
        },
        {
            "name": "chat m",
            "attributes": {
                "gen_ai.operation.name": "chat",
                "gen_ai.request.model": "m",
                "llm.cost.total": 0.25,
                "gen_ai.usage.input_tokens": 10,
                "gen_ai.usage.output_tokens": 5,
            },
        },
    ]
    tool, model = steps_of(spans)
    assert (tool.error, tool.kind) == ("timed out", "tool")
    assert (model.kind, model.name, model.tokens, model.cost) == ("model", "m", 15, 0.25)
    failed = steps_of([*OPENAI[:2], {"role": "tool", "status": "error", "content": "no such city"}])
    assert failed[-1].error == "no such city"


def test_a_step_is_shown_with_what_it_has() -> None:
    step = Step(kind="tool", name="weather", arguments=ARGUMENTS, error="no such city")
    assert step.text == 'tool: weather\narguments: {"city": "Hanoi"}\nerror: no such city'


@pytest.mark.parametrize(
    ("value", "code"),
    [
        (3, "trace.no_steps"),
        ([{"a": 1}], "trace.unknown"),
        ([{"role": "assistant", "content": "", "tool_calls": [{"id": 1}]}], "trace.no_name"),
    ],
)
def test_unknown_forms_are_named(value: object, code: str) -> None:
    with pytest.raises(ValueError, match=r".") as caught:
        steps_of(value)
    assert reason_of(caught.value).code == code
