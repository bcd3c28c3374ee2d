"""Texts that consist of entries, each with a number by which a reply can name it.

An input of the type `list`, and a list of texts that any input which is not judged is fed with,
e.g. the passages that a system retrieved. A prompt shows every entry below its number and between
fences of its own, so that none can pass for another one or for a word of the judge's file.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from adjudge.core.conversation import turns_of
from adjudge.core.judge import Input

from .trajectory import trace_steps


class NumberedText(str):
    """The entries below their numbers as one text, which knows them apart.

    `spans` are the places of the entries in it. Cut where it was too long for a model it is one
    entry without a number.
    """

    __slots__ = ("entries", "spans")
    entries: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]

    def __new__(cls, entries: Sequence[str]) -> NumberedText:
        blocks, spans, at = [], [], 0
        for number, entry in enumerate(entries, 1):
            head = f"[{number}]\n"
            blocks.append(head + entry)
            spans.append((at + len(head), at + len(head) + len(entry)))
            at = spans[-1][1] + 2
        text = super().__new__(cls, "\n\n".join(blocks))
        text.entries, text.spans = tuple(entries), tuple(spans)
        return text

    @classmethod
    def cut(cls, text: str) -> NumberedText:
        """What is left of one that was too long."""
        whole = super().__new__(cls, text)
        whole.entries, whole.spans = (), ((0, len(text)),)
        return whole


def numbered(spec: Input, text: str) -> NumberedText | None:
    """The text of an input by its entries; None where it is no list.

    One that is judged may be an answer in JSON: only its type makes it a list. A single text of
    the type `list` is a list of one.
    """
    if spec.type == "conversation":
        turns = turns_of(text)
        return NumberedText([f"{turn.speaker}: {turn.text}" for turn in turns])
    if spec.type == "trace":
        return NumberedText([step.text for step in trace_steps(text)])
    listed = spec.type == "list"
    if not (listed or text[:1] == "[") or spec.parted or (spec.judged and not listed):
        return None
    entries = _list_of(text)
    if entries is not None and (listed or (entries and all(map(_is_entry, entries)))):
        return NumberedText([_entry_text(entry) for entry in entries])
    return NumberedText([text] if text.strip() else []) if listed else None


def _list_of(text: str) -> list[Any] | None:
    with suppress(ValueError, RecursionError):
        value = json.loads(text)
        return value if isinstance(value, list) else None
    return None


def _is_entry(value: object) -> bool:
    """Whether it is a text or an object that holds one; a message belongs to a conversation."""
    return isinstance(value, str) or (isinstance(value, dict) and "role" not in value)


def _entry_text(entry: object) -> str:
    """A text as it is; of an object, a line per key; anything else as JSON."""
    if isinstance(entry, str):
        return entry
    if isinstance(entry, dict) and entry:
        return "\n".join(f"{key}: {_entry_text(value)}" for key, value in entry.items())
    return json.dumps(entry, ensure_ascii=False)
