"""Conversations as text: lists of `{role, content}` or, as ShareGPT has them, `{from, value}`.

Each message stands below the name of who speaks, with an empty line between; a conversation of one
message is that message alone. What a judge could not see anyway is named in brackets: an image, a
tool that is called. A message of an unknown shape is an error, never left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

import orjson

from adjudge.core.conversation import Turn, conversation_form, judged_turns
from adjudge.core.judge import Input
from adjudge.core.reason import Reason, reason_of
from adjudge.core.trace import steps_of

from .base import CellError, UnreadableCell
from .selectors import nested

# Columns that hold conversations, by their normal names.
COLUMNS = ("messages", "conversations", "conversation")

_SPEAKERS = {
    **dict.fromkeys(("user", "human"), "User"),
    **dict.fromkeys(("assistant", "gpt", "chatgpt", "model", "bot", "ai"), "Assistant"),
    **dict.fromkeys(("tool", "function", "observation", "function_response"), "Tool"),
}
# Parts of a message by their type: those with a text, in which field; those that can only be named.
_TEXTS = {"text": "text", "input_text": "text", "output_text": "text", "refusal": "refusal"}
_NAMED = {
    **dict.fromkeys(("image", "image_url", "input_image"), "[image]"),
    **dict.fromkeys(("input_audio", "audio"), "[audio]"),
    **dict.fromkeys(("file", "input_file", "document"), "[file]"),
    **dict.fromkeys(("video", "video_url"), "[video]"),
}
# What a model thinks before it speaks is no part of what it says.
_UNSPOKEN = {"thinking", "redacted_thinking", "reasoning"}


@dataclass(frozen=True, slots=True)
class ChatTurn:
    """The last message of a conversation, if it is the assistant's, or all before it."""

    column: str
    last: bool

    @property
    def whole(self) -> bool:
        return True

    def __str__(self) -> str:
        return f"{self.column}[{'-1' if self.last else ':-1'}]"

    def of(self, cells: Mapping[str, object]) -> object:
        """None where there is no message; CellError where nobody answered."""
        messages = nested(cells.get(self.column))
        if messages is None or messages == "":
            return None
        if not _is_conversation(messages):
            raise CellError(Reason("cell.no_messages", shape=_SHAPE))
        if (speaker := _speaker(messages[-1], len(messages))) != "Assistant":
            raise CellError(Reason("cell.no_answer", speaker=speaker, column=self.column))
        return messages[-1] if self.last else messages[:-1] or None


_SHAPE = Reason("cell.shape")


def _is_conversation(value: object) -> TypeGuard[list[Any]]:
    """Whether a list begins with a message; from then on every entry must be one."""
    return isinstance(value, list) and bool(value) and _is_message(value[0])


def conversation_text(value: object) -> str | None:
    """The text of a conversation, a message or the parts of one; None where it is none of these.

    Raises CellError for a message whose shape is not known.
    """
    if _is_conversation(value):
        return _told(value)
    if _is_message(value):
        return _said(value, 1)
    if _are_parts(value):
        return _content(value, 1)
    return None


_SPOKEN = re.compile(
    r"^(?P<who>user|human|assistant|ai|bot|system|tool|người dùng|trợ lý"
    r"|사용자|어시스턴트|상담원|고객)"
    r"[^\S\n]{0,3}[:：][^\S\n]{0,3}",
    re.IGNORECASE | re.MULTILINE,
)
_SPOKEN_AS = {
    **dict.fromkeys(("người dùng", "사용자", "고객"), "User"),
    **dict.fromkeys(("trợ lý", "어시스턴트", "상담원"), "Assistant"),
}


def conversation_cell(value: object, spec: Input) -> str | None:
    """A cell that feeds an input of the type `conversation`, in the form that an item holds.

    Messages, an object that holds them, the same as a JSON text, or a text with lines that begin
    with who speaks. CellError where there is no turn that could be judged.
    """
    if value is None or value == "":
        return None
    messages = nested(value)
    if isinstance(messages, Mapping):
        held = (messages[name] for name in COLUMNS if isinstance(messages.get(name), list))
        messages = next(held, [messages])
    if isinstance(messages, str):
        turns = _spoken(messages)
    elif isinstance(messages, list) and messages:
        turns = _turns(map(_as_message, messages))
    else:
        raise CellError(Reason("cell.no_conversation", shape=_SHAPE))
    text = conversation_form(turns)
    if spec.turns != "whole" and not judged_turns(text, spec.turns, spec.role):
        raise CellError(Reason("cell.no_turn", role=spec.role, shape=_SHAPE))
    return text


def _as_message(value: object) -> object:
    """A message; calls and results that stand beside the messages as items of their own too."""
    if isinstance(value, Mapping) and value.get("type") == "function_call":
        return {"role": "assistant", "content": "", "tool_calls": [{"function": value}]}
    if isinstance(value, Mapping) and value.get("type") == "function_call_output":
        return {"role": "tool", "content": value.get("output")}
    return value


def _spoken(text: str) -> list[Turn]:
    starts = list(_SPOKEN.finditer(text))
    if not starts or text[: starts[0].start()].strip():
        raise CellError(Reason("cell.no_lines", shape=_SHAPE))
    ends = [*(start.start() for start in starts[1:]), len(text)]
    turns = []
    for start, end in zip(starts, ends, strict=True):
        who = start["who"].casefold()
        speaker = _SPOKEN_AS.get(who) or _SPEAKERS.get(who, who.capitalize())
        turns.append(Turn(speaker, text[start.end() : end].strip()))
    return turns


def trace_cell(value: object) -> str | None:
    """A cell that feeds an input of the type `trace`; CellError where no steps can be read."""
    if value is None or value == "":
        return None
    text = value if isinstance(value, str) else orjson.dumps(value).decode()
    try:
        steps = steps_of(text)
    except ValueError as error:
        raise CellError(reason_of(error)) from None
    if not steps:
        raise CellError(Reason("cell.no_steps"))
    return text


def is_told(value: object) -> bool:
    """Whether this is a conversation, a message or the parts of one, well written or not."""
    return _is_conversation(value) or _is_message(value) or _are_parts(value)


def _is_message(value: object) -> bool:
    if not isinstance(value, Mapping):
        return False
    by_role = "role" in value and ("content" in value or "tool_calls" in value)
    return by_role or ("from" in value and "value" in value)


def _are_parts(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(_is_part(part) for part in value)


def _is_part(value: object) -> bool:
    kinds = _TEXTS.keys() | _NAMED.keys() | _UNSPOKEN | {"tool_use", "tool_result"}
    return isinstance(value, Mapping) and value.get("type") in kinds


def _told(messages: Sequence[Any]) -> str:
    turns = _turns(messages)
    if len(turns) == 1:
        return turns[0].text
    return "\n\n".join(f"{speaker}: {text}" for speaker, text in turns)


def _turns(messages: Iterable[Any]) -> list[Turn]:
    numbered = enumerate(messages, 1)
    return [Turn(_speaker(message, at), _said(message, at)) for at, message in numbered]


def _speaker(message: Any, number: int) -> str:
    if not _is_message(message):
        raise CellError(Reason("cell.no_role", number=number, shape=_SHAPE))
    role = message.get("role", message.get("from"))
    if not isinstance(role, str) or not role.strip():
        raise CellError(Reason("cell.role", number=number, role=repr(role)))
    role = role.strip()
    speaker = _SPEAKERS.get(role.casefold(), role[:1].upper() + role[1:])
    name = message.get("name")
    return f"{speaker} ({name})" if name and speaker != "Assistant" else speaker


def _said(message: Any, number: int) -> str:
    """Content first, then what is called."""
    content = message.get("content", message.get("value"))
    calls = message.get("tool_calls") or []
    if not isinstance(calls, list):
        raise CellError(Reason("cell.calls", number=number, shape=_SHAPE))
    refusal = message.get("refusal")
    said = [_content(content, number), refusal if isinstance(refusal, str) else ""]
    said += [_call(call, number) for call in calls]
    if old := message.get("function_call"):
        said.append(_call({"function": old}, number))
    return "\n".join(text for text in said if text)


def _content(content: object, number: int) -> str:
    if content is None:
        return ""
    if isinstance(content, str) and not isinstance(content, UnreadableCell):
        return content
    if isinstance(content, list):
        parts = [_part(part, number) for part in content]
        return "\n".join(part for part in parts if part)
    raise CellError(Reason("cell.content", number=number, kind=_kind(content)))


def _part(part: object, number: int) -> str:
    if isinstance(part, str):
        return part
    kind = part.get("type") if isinstance(part, Mapping) else None
    if not isinstance(part, Mapping) or not _is_part(part):
        raise CellError(Reason("cell.part", number=number, kind=repr(kind)))
    if kind == "tool_use":
        return _call(
            {"function": {"name": part.get("name"), "arguments": part.get("input")}}, number
        )
    if kind == "tool_result":
        return f"[result: {_content(part.get('content'), number)}]"
    if kind in _TEXTS:
        return _content(part.get(_TEXTS[kind]), number)
    return _NAMED.get(str(kind), "")


def _call(call: object, number: int) -> str:
    function = call.get("function", call) if isinstance(call, Mapping) else None
    name = function.get("name") if isinstance(function, Mapping) else None
    if not isinstance(function, Mapping) or not isinstance(name, str):
        raise CellError(Reason("cell.no_name", number=number, shape=_SHAPE))
    arguments = function.get("arguments")
    if not isinstance(arguments, str):
        arguments = "" if arguments is None else orjson.dumps(arguments).decode()
    return f"[calls {name}({arguments})]"


def _kind(value: object) -> str:
    return value if isinstance(value, UnreadableCell) else f"{type(value).__name__} {value!r:.40}"
