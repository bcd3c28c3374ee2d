"""Which value of a row feeds an input: a column, or a path into it.

`input.question`, `choices.0.message.content`, `choices[0].message.content`, `messages[-1].content`
and `messages[:-1]` (all but the last) are paths.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import orjson

# A key or index behind a dot, an index or a range in brackets.
_STEP = re.compile(r"\.(?P<key>[^.\[\]]+)|\[(?P<index>-?\d+)\]|\[(?P<from>-?\d*):(?P<to>-?\d*)\]")
_INDEX = re.compile(r"-?\d+")

Range = tuple[int | None, int | None]
Step = str | int | Range


@dataclass(frozen=True, slots=True)
class Selector:
    """A column, and the steps from it inwards; `str()` is how it is written."""

    column: str
    steps: tuple[Step, ...] = ()
    written: str = ""

    def __str__(self) -> str:
        return self.written or self.column

    @property
    def whole(self) -> bool:
        return not self.steps

    def of(self, cells: Mapping[str, object]) -> object:
        """The value; None where the row has none. A text on the way is taken as JSON."""
        value = cells.get(self.column)
        for step in self.steps:
            value = _inside(nested(value), step)
        return value


def nested(value: object) -> object:
    """The list or object that a text writes as JSON, as cells of tables hold them."""
    if not isinstance(value, str) or not value.lstrip().startswith(("{", "[")):
        return value
    try:
        return orjson.loads(value)
    except orjson.JSONDecodeError:
        return value


def splits(path: str) -> Iterator[tuple[str, tuple[Step, ...]]]:
    """All ways to part a path into a column and steps, the longest column first."""
    yield path, ()
    for place in range(len(path) - 1, 0, -1):
        if path[place] in ".[" and (steps := _steps(path, place)):
            yield path[:place], steps


def _steps(path: str, start: int) -> tuple[Step, ...]:
    """Empty where the rest of the path is not made of steps."""
    steps: list[Step] = []
    while start < len(path):
        found = _STEP.match(path, start)
        if not found:
            return ()
        steps.append(_step(found))
        start = found.end()
    return tuple(steps)


def _step(found: re.Match[str]) -> Step:
    if found["key"] is not None:
        return int(found["key"]) if _INDEX.fullmatch(found["key"]) else found["key"]
    if found["index"] is not None:
        return int(found["index"])
    return tuple(int(end) if end else None for end in (found["from"], found["to"]))  # type: ignore[return-value]


def _inside(value: object, step: Step) -> object:
    if isinstance(value, list):
        return _of_list(value, step)
    if isinstance(value, Mapping) and isinstance(step, str | int):
        return value.get(str(step))
    return None


def _of_list(value: list[object], step: Step) -> object:
    if isinstance(step, tuple):
        return value[slice(*step)] or None
    if isinstance(step, int) and -len(value) <= step < len(value):
        return value[step]
    return None
