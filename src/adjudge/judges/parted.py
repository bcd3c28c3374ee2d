"""Parts of an input: `{{ messages[-1].content }}`, `{% for row in rows %}`, `{{ rows | join }}`.

An input is a text. Where a template asks for a part of it, a text that is JSON is opened and the
part is shown as the whole would be: fenced where the input is judged. Of any other text every part
is the text itself, so that the same template serves rows that hold the part alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from jinja2 import nodes

Show = Callable[[str], str]

# Filters that go through what they are put behind, entry by entry.
_GO_THROUGH = frozenset(
    {"first", "groupby", "join", "last", "list", "map", "reject", "rejectattr", "select"}
    | {"selectattr", "sort", "unique"}
)


class PartedText(str):
    """A text as a template shows it, which knows its parts; `show` makes what is shown of each."""

    __slots__ = ("_raw", "_show", "_value")
    _raw: str
    _show: Show
    _value: Any

    def __new__(cls, raw: str, show: Show) -> PartedText:
        text = super().__new__(cls, show(raw))
        text._raw, text._show = raw, show
        return text

    def part(self, key: object) -> Any:
        """Raises LookupError where the text is JSON and has no such part."""
        value = self._opened()
        if isinstance(value, dict):
            return self._shown(value[key])
        if isinstance(value, list) and isinstance(key, int):
            return self._shown(value[key])
        if value is None:
            return self
        raise LookupError(key)

    def __iter__(self) -> Iterator[Any]:
        value = self._opened()
        return iter([self] if value is None else [self._shown(part) for part in value])

    def _opened(self) -> dict[Any, Any] | list[Any] | None:
        """What the text is as JSON; None where that is no object and no list."""
        if not hasattr(self, "_value"):
            self._value = None
            if self._raw.lstrip()[:1] in {"{", "["}:
                with suppress(ValueError, RecursionError):
                    self._value = json.loads(self._raw)
        return self._value  # type: ignore[no-any-return]

    def _shown(self, part: Any) -> Any:
        """Texts, objects and lists come from outside as the whole does; numbers are themselves."""
        if isinstance(part, str):
            return PartedText(part, self._show)
        if isinstance(part, dict | list):
            return PartedText(json.dumps(part, ensure_ascii=False), self._show)
        return part


def parted_names(tree: nodes.Template) -> frozenset[str]:
    """The names of which a template asks for parts."""
    roots: set[str] = set()
    for node in tree.find_all((nodes.Getitem, nodes.Getattr, nodes.For, nodes.Filter)):
        match node:
            case nodes.Getitem(arg=nodes.Slice()):
                continue
            case nodes.Getattr(attr=attr) if hasattr(str, attr):
                continue
            case nodes.Filter(name=name) if name not in _GO_THROUGH:
                continue
            case nodes.For(iter=nodes.Name(name=name)):
                roots.add(name)
            case (
                nodes.Getitem(node=nodes.Name(name=name))
                | nodes.Getattr(node=nodes.Name(name=name))
                | nodes.Filter(node=nodes.Name(name=name))
            ):
                roots.add(name)
    return frozenset(roots)
