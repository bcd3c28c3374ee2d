"""Which key stands for which value of a scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from adjudge.core.label import value_of
from adjudge.core.scale import Binary, Category, NotAValue, Scale, Value, folded

UNDO, SKIP, SKIP_ITEM, QUIT, HELP = "u", "s", "S", "q", "?"
COMMANDS = frozenset({UNDO, SKIP, SKIP_ITEM, QUIT, HELP})

_DIGITS, _LETTERS = "123456789", "abcdefghi"


@dataclass(frozen=True, slots=True)
class AnswerKeys:
    """`words` says what each key stands for; without any, the value is typed, with Enter."""

    scale: Scale
    values: Mapping[str, Value]
    words: Mapping[str, str]

    @property
    def single(self) -> bool:
        return bool(self.values)

    def read(self, typed: str) -> float | str:
        """The value that was meant: by its key, or written out. Raises NotAValue."""
        return value_of(self.scale, self.values.get(typed, typed), one_person=True)


def keys_of(scale: Scale) -> AnswerKeys:
    """A key for each value, where there are few and no key could be mistaken.

    Yes and no are `y` and `n`. Values of one sign are their own keys. Others have their number in
    the list, or a letter where numbers are values themselves.
    """
    if isinstance(scale, Binary):
        return AnswerKeys(scale, {"y": True, "n": False}, {"y": "yes", "n": "no"})
    values = scale.values() or ()
    for keys in ([scale.write(value) for value in values], _DIGITS, _LETTERS):
        if 0 < len(values) <= len(keys) and _unmistakable(keys, scale):
            pairs = dict(zip(keys, values, strict=False))
            return AnswerKeys(scale, pairs, {key: _words(scale, pairs[key]) for key in pairs})
    return AnswerKeys(scale, {}, {})


def _unmistakable(keys: Sequence[str], scale: Scale) -> bool:
    """Whether each is one sign, no command, and not how another value is written."""
    for key, value in zip(keys, scale.values() or (), strict=False):
        if len(key) != 1 or key in COMMANDS:
            return False
        try:
            if scale.read(key) != value:
                return False
        except NotAValue:
            # A number is a value between two levels: -1, 0 and 1 have letters for keys.
            if key.isdigit() and not isinstance(scale, Category):
                return False
    return True


def _words(scale: Scale, value: Value) -> str:
    label, written = scale.label(value), scale.write(value)
    if label is None or folded(label) == folded(written):
        return written
    return label if len(written) == 1 else f"{written} {label}"
