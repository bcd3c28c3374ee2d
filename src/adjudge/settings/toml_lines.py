"""On which line of a TOML text a key stands, which Python's own reader does not tell."""

from __future__ import annotations

import re

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
        if not inside and (found := _TABLE.match(line)):
            table = _parts(found[1])
            lines.setdefault(table, number)
        elif not inside and (found := _KEY.match(line)):
            lines.setdefault((*table, *_parts(found[1])), number)
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
        found = _TOKEN.search(line, at)
        if not found or found[2]:
            return ""
        at, inside = found.end(), found[1] or ""


def _parts(names: str) -> Keys:
    return tuple(part.strip("\"'") for part in _PART.findall(names))
