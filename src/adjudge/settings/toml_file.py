"""The settings file, read and not yet understood: which keys there may be is the fronts' matter."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from adjudge.errors import UsageError

from . import locate
from .toml_lines import Keys, key_lines, line_of

_PLACE = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")


@dataclass(frozen=True)
class TomlFile:
    """`table` is the whole of adjudge.toml, and `[tool.adjudge]` of pyproject.toml."""

    path: Path
    text: str
    table: Mapping[str, Any]

    def place(self, keys: Keys) -> str:
        """`adjudge.toml, line 3, run.timeout`."""
        line = line_of(self._lines, (*_above(self.path), *keys))
        where = f", line {line}" if line else ""
        return f"{locate.shown(self.path)}{where}, {'.'.join(keys)}"

    @cached_property
    def _lines(self) -> dict[Keys, int]:
        return key_lines(self.text)


def read(path: Path) -> TomlFile:
    """UsageError, with the line, for what is no TOML."""
    import tomllib  # noqa: PLC0415 - only where there is a file

    name = locate.shown(path)
    try:
        text = path.read_bytes().decode("utf-8-sig")
        table = tomllib.loads(text)
    except OSError as error:
        raise UsageError(f"{name}: cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{name}: not UTF-8 (byte {error.start}); convert it.") from None
    except tomllib.TOMLDecodeError as error:
        raise UsageError(_no_toml(name, text, str(error))) from None
    for key in _above(path):
        table = table.get(key, {})
        if not isinstance(table, dict):
            raise UsageError(f"{name}: tool.adjudge must be a table: [tool.adjudge].")
    return TomlFile(path, text, table)


def _above(path: Path) -> Keys:
    return ("tool", "adjudge") if path.name == "pyproject.toml" else ()


def _no_toml(name: str, text: str, complaint: str) -> str:
    found = _PLACE.search(complaint)
    line = (found and found[1]) or text.count("\n") + 1
    reason = _PLACE.sub("", complaint).rstrip(".")
    return f'{name}, line {line}: this is no TOML: {reason}. Texts stand in quotes: model = "…".'
