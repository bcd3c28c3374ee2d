"""Which value of a row feeds an input: a column, or a path into it.

`input.question`, `choices.0.message.content`, `choices[0].message.content`, `messages[-1].content`
and `messages[:-1]` (all but the last) are paths.
"""

from __future__ import annotations

import re
import unicodedata
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
        match = _STEP.match(path, start)
        if not match:
            return ()
        steps.append(_step(match))
        start = match.end()
    return tuple(steps)


def _step(match: re.Match[str]) -> Step:
    if match["key"] is not None:
        return int(match["key"]) if _INDEX.fullmatch(match["key"]) else match["key"]
    if match["index"] is not None:
        return int(match["index"])
    return tuple(int(end) if end else None for end in (match["from"], match["to"]))  # type: ignore[return-value]


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


_ANSWERS = (
    "system_answer agent_answer answer generated_response response actual_output output completion"
)
# For each input the names of columns that may feed it, best first. Names that stand for many
# things ("input", "output") come late, so that a plainer column goes first.
KNOWN_COLUMNS: Mapping[str, tuple[str, ...]] = {
    name: tuple(columns.split())
    for name, columns in {
        "question": "user_question question user_input query prompt input",
        "answer": _ANSWERS,
        "reference": "true_answer reference_answer reference ground_truth expected_output expected",
        "source": "source_text source document article input",
        "response": f"generated_response response summary {_ANSWERS}",
        "context": "context",
        "focus": "focus evaluation_focus",
        # Not model_a and model_b: in published comparisons these name the models, not the answers.
        "answer_a": "answer_a response_a output_a completion_a answer_1 response_1 output_1",
        "answer_b": "answer_b response_b output_b completion_b answer_2 response_2 output_2",
    }.items()
}

ID_COLUMNS = ("id", "item", "item_id", "question_id", "qid", "uid", "idx")

_GAPS = re.compile(r"[\s_-]+")


def normal_name(name: str) -> str:
    """The name without case, with one `_` for any run of spaces, `-` and `_`."""
    return _GAPS.sub("_", unicodedata.normalize("NFC", name).strip().casefold())
