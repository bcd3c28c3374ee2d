"""Traces of several tools become the same steps."""

from __future__ import annotations

import json

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

FORMS = {
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
