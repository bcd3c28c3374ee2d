from __future__ import annotations

import orjson
import pytest

from adjudge.core.judge import Input
from adjudge.datasets.base import CellError
from adjudge.datasets.columns import ColumnMapping
from adjudge.datasets.conversations import conversation_text
from adjudge.datasets.items import single_item
from adjudge.datasets.rows import scan
from adjudge.errors import DataError


def said(role, content, **more):
    return {"role": role, "content": content, **more}


TALK = [said("system", "Be short."), said("user", "Xin chào?"), said("assistant", "Chào bạn!")]


def test_a_conversation_names_who_speaks():
    assert conversation_text(TALK) == "System: Be short.\n\nUser: Xin chào?\n\nAssistant: Chào bạn!"


def test_the_sharegpt_form_is_the_same():
    talk = [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Hello"}]
    assert conversation_text(talk) == "User: Hi\n\nAssistant: Hello"


def test_one_message_alone_needs_no_name():
    assert conversation_text(TALK[:1]) == conversation_text(TALK[0]) == "Be short."


def test_what_cannot_be_seen_is_named():
    talk = [
        said("user", [{"type": "text", "text": "What is it?"}, {"type": "image_url"}], name="Kim"),
        said(
            "assistant",
            None,
            tool_calls=[{"id": "1", "function": {"name": "look", "arguments": '{"at":1}'}}],
        ),
        said("tool", "a cat", name="look", tool_call_id="1"),
        said("developer", "Say please."),
        said(
            "assistant",
            [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "A cat."}],
        ),
    ]
    assert conversation_text(talk) == (
        "User (Kim): What is it?\n[image]\n\n"
        'Assistant: [calls look({"at":1})]\n\n'
        "Tool (look): a cat\n\n"
        "Developer: Say please.\n\n"
        "Assistant: A cat."
    )


RESULT = {"type": "tool_result", "content": [{"type": "text", "text": "x"}]}
USE = {"type": "tool_use", "name": "f", "input": {"a": 1}}


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (said("user", ["a", {"type": "input_text", "text": "b"}]), "a\nb"),
        (said("user", [{"type": "input_audio"}, {"type": "file"}]), "[audio]\n[file]"),
        (said("assistant", None, refusal="I cannot."), "I cannot."),
        (said("assistant", [{"type": "refusal", "refusal": "No."}]), "No."),
        (said("assistant", "", function_call={"name": "f", "arguments": "1"}), "[calls f(1)]"),
        (said("assistant", [USE]), '[calls f({"a":1})]'),
        (said("user", [RESULT]), "[result: x]"),
        ({"role": "assistant", "tool_calls": [{"name": "f"}]}, "[calls f()]"),
        (said("user", "x", tool_calls=None, name=None), "x"),
    ],
)
def test_every_usual_shape_is_text(message, text):
    assert conversation_text(message) == text


def test_the_parts_of_a_message_are_text_too():
    assert (
        conversation_text([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]) == "a\nb"
    )


@pytest.mark.parametrize(
    "value", [[], {}, "text", [1], [{"a": 1}], [{"role": "Hamlet", "actor": "x"}], {"type": "text"}]
)
def test_what_is_no_conversation_is_left_alone(value):
    assert conversation_text(value) is None


@pytest.mark.parametrize(
    ("odd", "words"),
    [
        ([said("user", "x"), {"text": "y"}], "message 2 has no role or no content"),
        ([said("user", "x"), "y"], "message 2 has no role or no content"),
        ([said("user", 5)], "the content of message 1 is int 5"),
        ([said("user", "x"), said(None, "x")], "the role of message 2 is None"),
        ([said("user", [{"type": "hologram"}])], r"a part of an unknown type \('hologram'\)"),
        ([said("assistant", "x", tool_calls="f")], "the tool_calls of message 1 are not a list"),
        ([said("assistant", "x", tool_calls=[{}])], "a tool call of message 1 has no name"),
    ],
)
def test_an_odd_message_is_never_left_out(odd, words):
    with pytest.raises(CellError, match=words):
        conversation_text(odd)


def lines(*rows):
    return b"".join(orjson.dumps(row) + b"\n" for row in rows)


def test_without_other_columns_the_last_message_is_the_answer(write, inputs):
    path = write(
        "a.jsonl",
        lines({"messages": TALK, "lang": "vi"}, {"messages": TALK[1:]}, {"messages": None}),
    )
    plan = scan(path, [inputs], {}, skip_bad=True)
    first, second = plan.items()
    assert first.fields == {
        "question": "System: Be short.\n\nUser: Xin chào?",
        "answer": "Chào bạn!",
    }
    assert first.extra == {"lang": "vi"}
    assert second.fields["question"] == "Xin chào?"
    assert "'question' is missing: there is no 'messages[:-1]'" in str(plan.problems[0].why)


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        (TALK[:2], "the last message is from User, no answer to judge"),
        ("just text", "is not a list of messages; write"),
        ([], "is not a list of messages"),
        (TALK[2:], "the required field 'question' is missing"),
        ([said("user", 5), TALK[2]], "'question' from 'messages.:-1.': the content of message 1"),
    ],
)
def test_an_odd_conversation_is_a_bad_row_with_its_reason(write, inputs, messages, words):
    with pytest.raises(DataError, match=f"line 1: .*{words}"):
        scan(write("a.jsonl", lines({"messages": messages})), [inputs], {})


def test_a_table_may_hold_a_conversation_as_json(write, inputs):
    cell = orjson.dumps(TALK).decode().replace('"', '""')
    (item,) = scan(write("a.csv", f'id,conversations\n1,"{cell}"\n'), [inputs], {}).items()
    assert item.fields["answer"] == "Chào bạn!"


def test_another_column_for_question_or_answer_leaves_the_rest_to_map(inputs):
    with pytest.raises(DataError, match=r"the required input 'answer'.*'answer=messages\[-1\]'"):
        ColumnMapping.plan(["prompt", "messages"], inputs, {})
    with pytest.raises(DataError, match="'question=messages"):
        ColumnMapping.plan(["messages", "conversation"], inputs, {})


def test_paths_pick_turns(write):
    pair = {
        "answer_a": Input(name="answer_a", title="A", judged=True),
        "answer_b": Input(name="answer_b", title="B", judged=True),
    }
    path = write("a.jsonl", lines({"chosen": TALK, "rejected": TALK[:2]}))
    mapping = {"answer_a": "chosen[-1].content", "answer_b": "rejected[-1]"}
    (item,) = scan(path, [pair], mapping).items()
    assert item.fields == {"answer_a": "Chào bạn!", "answer_b": "Xin chào?"}


def test_a_single_item_may_be_a_conversation(inputs):
    assert single_item({"messages": TALK}, inputs).fields["answer"] == "Chào bạn!"
    assert (
        single_item({"question": TALK[:2], "answer": "x"}, inputs)
        .fields["question"]
        .startswith("System: Be short.")
    )
