"""The keys of a JSON object and of what lies in it, found by their names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence, Set
from typing import Any, NamedTuple

from .json_find import Object
from .words import normal

# Keys that tell whose entry of a list it is.
NAMING = ("criterion", "name", "aspect", "dimension", "metric")


class Entry(NamedTuple):
    """A key with its value, and the keys that lead to it."""

    order: int
    path: tuple[str, ...]
    key: str
    value: Any


class Keys:
    """All keys, outer ones first, three levels deep; lists of named objects count as objects.

    Made once for an object, so that many criteria do not each walk through it.
    """

    def __init__(self, obj: Object) -> None:
        self._by_name: dict[str, list[Entry]] = defaultdict(list)
        self._by_tail: dict[str, list[Entry]] = defaultdict(list)
        for order, (path, key, value) in enumerate(_walk(obj)):
            entry = Entry(order, path, key, value)
            self._by_name[normal(key)].append(entry)
            if "." in key:  # "accuracy.serious_error"
                self._by_tail[normal(key.rpartition(".")[2])].append(entry)

    def named(self, names: Set[str]) -> list[Entry]:
        """The entries under any of these normal names, in the order of the object."""
        # An object has a handful of keys; a criterion may have hundreds of names.
        found = [each for name, each in self._by_name.items() if name in names]
        if len(found) == 1:
            return found[0]
        return sorted((entry for some in found for entry in some), key=lambda entry: entry.order)

    def ending_in(self, name: str) -> list[Entry]:
        """The entries under this normal name, also behind a dot."""
        return sorted(
            [*self._by_name.get(name, ()), *self._by_tail.get(name, ())],
            key=lambda entry: entry.order,
        )


def _walk(obj: Object, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str, Any]]:
    inner: list[tuple[str, Object]] = []
    for key, value in obj.items():
        yield path, str(key), value
        if isinstance(value, dict):
            inner.append((str(key), value))
        elif isinstance(value, list):
            inner.append((str(key), _named(value)))
    if len(path) < 2:
        for key, value in inner:
            yield from _walk(value, (*path, key))


def _named(entries: Sequence[object]) -> Object:
    """[{"criterion": "tone", "score": 7}] → {"tone": {…}}."""
    out: Object = {}
    for entry in entries:
        if isinstance(entry, dict):
            for key in NAMING:
                if isinstance(entry.get(key), str):
                    out[entry[key]] = {k: v for k, v in entry.items() if k != key}
    return out
