"""Scales: the values that a score may take.

A scale owns everything that depends on its values: how they are put to the model (`words`,
`schema`), how a value is written and read back (`write`, `read`) and how it lies on 0-1 (`unit`).
The law between them, for every value v of a scale: ``scale.read(scale.write(v)) == v``.
"""

from __future__ import annotations

import math
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from .reason import Reason, ReasonError

Value = float | int | bool | str


class NotAValue(ReasonError):  # noqa: N818 - caught by the reader, never shown as an error
    """The text is nothing that this scale could hold."""


class OffScale(NotAValue):
    """A value of the right kind that the scale does not hold; never clamped."""


class Scale(ABC):
    __slots__ = ()
    kind: ClassVar[str]

    @abstractmethod
    def values(self) -> tuple[Value, ...] | None:
        """All values, lowest first; None when there are too many to list."""

    @abstractmethod
    def words(self, phrases: Mapping[str, str]) -> str:
        """The scale in the language of `phrases`, to stand in a prompt."""

    @abstractmethod
    def schema(self) -> dict[str, object]:
        """JSON Schema of a value."""

    def write(self, value: Value) -> str:
        """The value as a reply writes it."""
        return str(value)

    @abstractmethod
    def read(self, raw: object) -> Value:
        """The value that a JSON value or a bare word stands for.

        Raises OffScale for a value of the right kind outside the scale, else NotAValue.
        """

    @abstractmethod
    def unit(self, value: Value) -> float | None:
        """The value on 0-1, None where the values have no order."""

    def label(self, value: Value) -> str | None:  # noqa: ARG002 - most scales have no labels
        """The name of the value, None where values have none."""
        return None

    def cap(self, value: Value, limit: Value) -> Value:
        return min(value, limit, key=self._rank)

    def floor(self, value: Value, limit: Value) -> Value:
        return max(value, limit, key=self._rank)

    def _rank(self, value: Value) -> float:
        unit = self.unit(value)
        if unit is None:
            raise TypeError(f"a {self.kind} scale has no order, so nothing can be capped on it")
        return unit


@dataclass(frozen=True, slots=True)
class Level:
    """One level of an ordinal scale: its label and, perhaps, what it means."""

    label: str
    meaning: str = ""


@dataclass(frozen=True, slots=True)
class Ordinal(Scale):
    """Whole numbers with labels, e.g. 1 terrible … 4 excellent."""

    levels: Mapping[int, Level]
    kind: ClassVar[str] = "ordinal"

    def values(self) -> tuple[int, ...]:
        return tuple(sorted(self.levels))

    def words(self, phrases: Mapping[str, str]) -> str:
        named = ", ".join(f"{value} ({self.levels[value].label})" for value in self.values())
        return phrases["ordinal"].format(levels=named)

    def schema(self) -> dict[str, object]:
        return {"type": "integer", "enum": list(self.values())}

    def read(self, raw: object) -> int:
        if isinstance(raw, str):
            word = folded(raw)
            for value, level in self.levels.items():
                if folded(level.label) == word:
                    return value
        number = _whole(raw)
        if number not in self.levels:
            raise OffScale(Reason("value.none_of", raw=number, range=self.values()))
        return number

    def unit(self, value: Value) -> float:
        return _between(value, min(self.levels), max(self.levels))

    def label(self, value: Value) -> str | None:
        level = self.levels.get(int(value))
        return level.label if level else None


class _Range(Scale):
    """All numbers of a kind from `min` to `max`."""

    __slots__ = ()
    min: float
    max: float

    def words(self, phrases: Mapping[str, str]) -> str:
        return phrases[self.kind].format(min=self.min, max=self.max)

    def unit(self, value: Value) -> float:
        return _between(value, self.min, self.max)


@dataclass(frozen=True, slots=True)
class Integer(_Range):
    min: int
    max: int
    kind: ClassVar[str] = "integer"

    def values(self) -> tuple[int, ...] | None:
        return tuple(range(self.min, self.max + 1)) if self.max - self.min <= 1000 else None

    def schema(self) -> dict[str, object]:
        # A list of values binds decoding everywhere; bounds are ignored by some servers.
        if self.max - self.min <= 100:
            return {"type": "integer", "enum": list(range(self.min, self.max + 1))}
        return {"type": "integer", "minimum": self.min, "maximum": self.max}

    def read(self, raw: object) -> int:
        number = _whole(raw)
        if not self.min <= number <= self.max:
            raise OffScale(
                Reason("value.outside_whole", number=number, low=self.min, high=self.max)
            )
        return number


@dataclass(frozen=True, slots=True)
class Number(_Range):
    min: float
    max: float
    kind: ClassVar[str] = "number"

    def values(self) -> None:
        return None

    def schema(self) -> dict[str, object]:
        return {"type": "number", "minimum": self.min, "maximum": self.max}

    def write(self, value: Value) -> str:
        return repr(float(value))

    def read(self, raw: object) -> float:
        number = _number(raw)
        if not self.min <= number <= self.max:
            raise OffScale(Reason("value.outside", number=number, low=self.min, high=self.max))
        return float(number)


@dataclass(frozen=True, slots=True)
class Binary(Scale):
    kind: ClassVar[str] = "binary"

    def values(self) -> tuple[bool, bool]:
        return (False, True)

    def words(self, phrases: Mapping[str, str]) -> str:
        return phrases["binary"]

    def schema(self) -> dict[str, object]:
        return {"type": "boolean"}

    def write(self, value: Value) -> str:
        return "yes" if value else "no"

    def read(self, raw: object) -> bool:
        truth = as_truth(raw)
        if truth is None:
            raise NotAValue(Reason("value.no_truth", raw=_quoted(raw)))
        return truth

    def unit(self, value: Value) -> float:
        return 1.0 if value else 0.0


@dataclass(frozen=True, slots=True)
class Category(Scale):
    """One of several names without an order."""

    options: tuple[str, ...]
    kind: ClassVar[str] = "category"

    def values(self) -> tuple[str, ...]:
        return self.options

    def words(self, phrases: Mapping[str, str]) -> str:
        return phrases["category"].format(options=", ".join(self.options))

    def schema(self) -> dict[str, object]:
        return {"type": "string", "enum": list(self.options)}

    def read(self, raw: object) -> str:
        if isinstance(raw, bool) or not isinstance(raw, str | int | float):
            raise NotAValue(Reason("value.no_option", raw=_quoted(raw)))
        word = folded(str(raw))
        for option in self.options:
            if folded(option) == word:
                return option
        raise NotAValue(Reason("value.none_of", raw=raw, range=self.options))

    def unit(self, value: Value) -> None:  # noqa: ARG002 - no order, whatever the value
        return None


def folded(word: str) -> str:
    """A label as it is compared: without case, width or the spaces around it."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", word).casefold()).strip()


YES_WORDS = frozenset({
    "yes", "true", "y", "si", "1", "예", "네", "참", "có", "đúng", "是", "是的", "はい", "ja",
    "oui", "sí", "sim",
})  # fmt: skip
NO_WORDS = frozenset({
    "no", "false", "n", "0", "아니오", "아니요", "거짓", "không", "sai", "否", "不是", "いいえ",
    "nein", "non", "não",
})  # fmt: skip


def as_truth(raw: object) -> bool | None:
    """True or False for a JSON boolean or a word for yes or no; None for anything else."""
    if isinstance(raw, bool):
        return raw
    if isinstance(raw, int | float):
        return True if raw == 1 else False if raw == 0 else None
    if isinstance(raw, str):
        word = folded(raw.strip().strip(".!*`\"'"))
        return True if word in YES_WORDS else False if word in NO_WORDS else None
    return None


def _number(raw: object) -> float | int:
    """A finite number from a JSON number or a bare numeral; true and false are no numbers."""
    if isinstance(raw, str):
        try:
            raw = float(raw)
        except ValueError:
            raise NotAValue(Reason("value.no_number", raw=_quoted(raw))) from None
    if isinstance(raw, bool) or not isinstance(raw, int | float):
        raise NotAValue(Reason("value.no_number", raw=_quoted(raw)))
    # No scale reaches that far; a longer integer would not even fit into a float.
    if not math.isfinite(raw) if isinstance(raw, float) else abs(raw) > 10**15:
        raise NotAValue(Reason("value.too_large"))
    return raw


def _quoted(raw: object) -> str | int | float | None:
    """What stood there, as a reason can hold it."""
    return raw if raw is None or isinstance(raw, str | int | float) else repr(raw)


def _whole(raw: object) -> int:
    number = _number(raw)
    if number != int(number):
        raise OffScale(Reason("value.between", number=number))
    return int(number)


def _between(value: Value, low: float, high: float) -> float:
    return (float(value) - low) / (high - low)


ValueRange = tuple[float, float]


def value_range(scale: Scale) -> ValueRange | None:
    """The lowest and the highest value, 0 and 1 for yes and no; None where values have no order."""
    if isinstance(scale, Category):
        return None
    if isinstance(scale, Integer | Number):
        return float(scale.min), float(scale.max)
    values = scale.values() or ()
    return float(values[0]), float(values[-1])
