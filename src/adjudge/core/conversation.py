"""A conversation as turns, in the one form in which an item holds it.

`datasets.conversations` makes that form of what the data has: a JSON list of `[speaker, text]`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple


class Turn(NamedTuple):
    """Who speaks ("User", "Assistant", "Tool (search)"), and what; tools that are called stand in
    the text."""

    speaker: str
    text: str

    @property
    def role(self) -> str:
        """In small letters, without a name behind it."""
        return self.speaker.partition(" (")[0].casefold()


def conversation_form(turns: Sequence[Turn]) -> str:
    return json.dumps([list(turn) for turn in turns], ensure_ascii=False)


def turns_of(text: str) -> tuple[Turn, ...]:
    """The turns that the form holds; any other text is one turn of nobody."""
    with suppress(ValueError, TypeError):
        value = json.loads(text)
        if isinstance(value, list) and all(isinstance(turn, list) for turn in value):
            return tuple(Turn(*map(str, turn)) for turn in value)
    return (Turn("", text),) if text.strip() else ()


def judged_turns(text: str, turns: str, role: str) -> tuple[int, ...]:
    """The numbers, from 1, of the turns that are judged one by one: all of a role, or its last."""
    wanted = role.casefold()
    numbers = [n for n, turn in enumerate(turns_of(text), 1) if turn.role == wanted]
    return tuple(numbers if turns == "each" else numbers[-1:])
