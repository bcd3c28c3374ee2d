"""Findings as JSON: one encoder for what every `--json` prints and the store keeps."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Set
from enum import Enum
from types import MappingProxyType
from typing import Any

from adjudge.core.reason import Reason
from adjudge.stats.stat import Stat

# How objects of a class are written: by key the path of an attribute ("means.raw"), a shape of its
# own, or a function of the object. "*" and what follows it are merged in, not put under a key.
Shape = Mapping[str, Any]
Shapes = Mapping[type, Shape]
Json = dict[str, Any]
_NONE: Shapes = MappingProxyType({})


def encode(value: Any, shapes: Shapes = _NONE) -> Any:  # noqa: C901, PLR0911 - a case per kind
    """The value as JSON has it. A dataclass is an object with its fields, or as its shape says; a
    reason is its words in English."""
    if value is None or type(value) in (bool, int, float, str):
        return value
    shape = shapes.get(type(value))
    if shape is not None:
        return shaped(value, shape, shapes)
    if isinstance(value, Reason):
        return str(value)
    if isinstance(value, Stat):
        return value.as_dict()
    if isinstance(value, Enum):
        return encode(value.value, shapes)
    if hasattr(value, "tolist"):  # an array, or a number of one
        return encode(value.tolist(), shapes)
    if isinstance(value, Mapping):
        return {str(key): encode(held, shapes) for key, held in value.items()}
    if dataclasses.is_dataclass(value):
        names = [field.name for field in dataclasses.fields(value)]
        return {name: encode(getattr(value, name), shapes) for name in names}
    if hasattr(value, "_asdict"):  # a named tuple
        return encode(value._asdict(), shapes)
    if isinstance(value, list | tuple | Set):
        return [encode(entry, shapes) for entry in value]
    raise TypeError(f"{type(value).__name__} cannot be written as JSON.")


def fields(*names: str, **others: str) -> Shape:
    """A shape of attributes under their own names, then of others under new ones."""
    return {name: name for name in names} | others


def alone_or(attribute: str, key: str) -> Callable[[Any], Any]:
    """What a sequence holds where that is one; else all of it under the key."""

    def read(value: Any) -> Any:
        held = getattr(value, attribute)
        return held[0] if len(held) == 1 else {key: held}

    return read


def shaped(value: Any, shape: Shape, shapes: Shapes = _NONE) -> Json:
    """An object written in this shape, whatever its class."""
    written: Json = {}
    for key, source in shape.items():
        held = encode(_read(value, source, shapes), shapes)
        if key.startswith("*"):
            written |= held
        else:
            written[key] = held
    return written


def _read(value: Any, source: str | Shape | Callable[[Any], Any], shapes: Shapes) -> Any:
    if isinstance(source, Mapping):
        return shaped(value, source, shapes)
    if callable(source):
        return source(value)
    for name in source.split("."):
        value = None if value is None else getattr(value, name)
    return value
