"""Why there is no value, or what is unusual: a code and fields, put into words where it is
shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Union

from adjudge.errors import UsageError

# Numbers, names, what somebody said, further reasons, or several of these.
Field = Union[str, int, float, bool, None, "Reason", tuple["Field", ...]]


@dataclass(frozen=True, slots=True, init=False)
class Reason:
    """`Reason("too_few_labels", count=3, least=10)`: what happened, and with which values.

    The words stand in `adjudge/strings/reasons/`, a file per language, under the code;
    `say.reason(reason)` makes them. `str(reason)` is the English ones. The code "" stands for
    words that were kept without a code: its one field is their `text`.
    """

    code: str
    fields: Mapping[str, Field]

    def __init__(self, code: str, /, **fields: Field) -> None:
        object.__setattr__(self, "code", code)
        object.__setattr__(self, "fields", fields)

    def __hash__(self) -> int:
        return hash((self.code, *sorted(self.fields)))

    def __str__(self) -> str:
        from adjudge.strings import reason_words  # noqa: PLC0415 - most reasons are never shown

        return reason_words("en", self)

    def __repr__(self) -> str:
        fields = "".join(f", {name}={value!r}" for name, value in self.fields.items())
        return f"Reason({self.code!r}{fields})"

    def without(self, code: str) -> Reason:
        """The reason in its field `why` where this one has the code, else this one."""
        inner = self.fields.get("why") if self.code == code else None
        return inner if isinstance(inner, Reason) else self

    def in_file(self, file: object, line: int | None = None) -> Reason:
        """The reason with the file, and the line, that it is about."""
        if line is None:
            return Reason("place.file", file=str(file), why=self)
        return Reason("place.file_line", file=str(file), line=line, why=self)

    def at_option(self, name: str, value: Field = None) -> Reason:
        """The reason with the option that it is about, and with its value if that matters."""
        if value is None:
            return Reason("place.option", name=name, why=self)
        return Reason("place.option_value", name=name, value=value, why=self)

    def at_parameter(self, name: str, value: Field) -> Reason:
        """The reason with the parameter of a query or call that it is about."""
        return Reason("place.parameter", name=name, value=value, why=self)

    def with_texts(self, change: Callable[[str], str]) -> Reason:
        """The reason with every text in its fields changed like that."""
        fields = self.fields.items()
        return Reason(self.code, **{name: _changed(value, change) for name, value in fields})

    @classmethod
    def of(cls, kept: Any) -> Reason:
        """The reason that was kept as JSON, or as mere words by an earlier version."""
        if isinstance(kept, str):
            return cls("", text=kept)
        return cls(kept["code"], **{name: _field(value) for name, value in kept["fields"].items()})


def reason_of(error: Exception) -> Reason:
    """What the error says."""
    said = error.args[0] if error.args else None
    return said if isinstance(said, Reason) else Reason("", text=str(error))


def unread(error: OSError | UnicodeDecodeError) -> Reason:
    """Why a file could not be read as text."""
    if isinstance(error, UnicodeDecodeError):
        return Reason("text.not_utf8", byte=error.start)
    return Reason("text.unreadable", why=error.strerror)


class ReasonError(ValueError):
    """Something is not what it was taken for; `reason` says why."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason = reason


def _changed(value: Field, change: Callable[[str], str]) -> Field:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Reason):
        return value.with_texts(change)
    if isinstance(value, tuple):
        return tuple(_changed(part, change) for part in value)
    return value


def _field(kept: Any) -> Field:
    if isinstance(kept, Mapping):
        return Reason.of(kept)
    return tuple(map(_field, kept)) if isinstance(kept, list) else kept


def check_share(option: str, value: float, example: float) -> None:
    """UsageError, about the option, for what does not lie between 0 and 1."""
    if not 0 < value < 1:
        reason = Reason("options.share", example=example)
        raise UsageError(reason.at_option(option, f"{value:g}"))


def check_above_0(option: str, value: float | None) -> None:
    """The same for what is not above 0; None is no choice."""
    if value is not None and not value > 0:
        raise UsageError(Reason("options.above_0").at_option(option, f"{value:g}"))


def check_one_of(option: str, value: str | None, known: Sequence[str]) -> None:
    """The same for what is none of these."""
    if value is not None and value not in known:
        reason = Reason("options.one_of", known=tuple(known))
        raise UsageError(reason.at_option(option, value))
