"""The settings file as TOML, with the line of each key, which Python's own reader does not tell.

Which keys there may be is decided where they are used.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from adjudge.core.reason import Reason, unread
from adjudge.errors import UsageError

from . import locate

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
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(unread(error).in_file(name)) from None
    except tomllib.TOMLDecodeError as error:
        raise UsageError(_no_toml(name, text, str(error))) from None
    for key in _above(path):
        table = table.get(key, {})
        if not isinstance(table, dict):
            raise UsageError(Reason("settings.no_table").in_file(name))
    return TomlFile(path, text, table)


def _above(path: Path) -> Keys:
    return ("tool", "adjudge") if path.name == "pyproject.toml" else ()


def _no_toml(name: str, text: str, complaint: str) -> Reason:
    place = _PLACE.search(complaint)
    line = int((place and place[1]) or text.count("\n") + 1)
    why = _PLACE.sub("", complaint).rstrip(".")
    return Reason("settings.no_toml", why=why).in_file(name, line)


Keys = tuple[str, ...]

_NAME = r"""(?:[\w-]+|"[^"]*"|'[^']*')"""
_NAMES = rf"{_NAME}(?:\s*\.\s*{_NAME})*"
_TABLE = re.compile(rf"\s*\[{{1,2}}\s*({_NAMES})\s*\]")
_KEY = re.compile(rf"\s*({_NAMES})\s*=")
_PART = re.compile(_NAME)
# Three quotes that begin a text over several lines, a text on one line, a comment.
_TOKEN = re.compile(r"""("{3}|'{3})|"(?:\\.|[^"\\])*"|'[^']*'|(\#.*)""")


def key_lines(text: str) -> dict[Keys, int]:
    """Keys with those of the tables around them → line, from 1; the first mention counts.

    Keys inside `{…}` are not listed. Good enough for messages: a line of a multi-line array that
    looks like a key is taken for one.
    """
    lines: dict[Keys, int] = {}
    table: Keys = ()
    inside = ""  # the three quotes that end the text around the line
    for number, line in enumerate(text.split("\n"), 1):
        if not inside and (heading := _TABLE.match(line)):
            table = _parts(heading[1])
            lines.setdefault(table, number)
        elif not inside and (key := _KEY.match(line)):
            lines.setdefault((*table, *_parts(key[1])), number)
        inside = _after(line, inside)
    return lines


def line_of(lines: dict[Keys, int], keys: Keys) -> int | None:
    """The line of the key, else of the nearest table around it."""
    for length in range(len(keys), 0, -1):
        if keys[:length] in lines:
            return lines[keys[:length]]
    return None


def _after(line: str, inside: str) -> str:
    """`inside` at the end of the line."""
    at = 0
    while True:
        if inside:
            end = line.find(inside, at)
            if end < 0:
                return inside
            at, inside = end + len(inside), ""
        token = _TOKEN.search(line, at)
        if not token or token[2]:
            return ""
        at, inside = token.end(), token[1] or ""


def _parts(names: str) -> Keys:
    return tuple(part.strip("\"'") for part in _PART.findall(names))
