"""Blocks as Markdown.

Every text is escaped, so that what a model or a judged text says can neither break a table nor
become HTML, an image or a link under another name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..blocks import Block, Folded, Heading, Lines, Quote, Table, cut, flat

_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_SPECIAL = re.compile(r"[&<>\\`*_\[\]|~$#!]")
# adjudge label 3f2a --pick random; the name of a command alone is read as a word.
_WORD = r"(?:'[^'`]*'|[A-Za-z0-9_/@=](?:[A-Za-z0-9_/@=.:-]*[A-Za-z0-9_/@=])?)"
_ARGUMENT = rf"(?: …| [0-9a-f]{{6,}}| [A-Z]+\b| '[^'`]*'| --[a-z-]+(?: {_WORD})?)"
_COMMAND = re.compile(f"adjudge [a-z]+{_ARGUMENT}+")


def as_markdown(blocks: Iterable[Block]) -> str:
    return "\n\n".join(filter(None, map(_shown, flat(blocks)))) + "\n"


def _shown(block: Block) -> str:
    match block:
        case Heading(text, level):
            return f"{'#' * level} {escaped(text)}"
        case Lines(lines):
            return "\n".join(f"- {escaped_around_commands(str(line))}" for line in lines)
        case Table(head, rows) | Folded(Table(head, rows)):
            ruled = [table_line(escaped(str(cell)) for cell in row) for row in (head, *rows)]
            return "\n".join([ruled[0], table_line("---" for _ in head), *ruled[1:]])
        case Quote(who, text, code=True):
            # Indented, it is code: no mark in it has a meaning, and none can end it.
            lines = "\n".join(f"    {line}" for line in text.splitlines())
            return f"{escaped(str(who))}\n\n{lines}"
        case Quote(who, text, most):
            return f"{escaped(str(who))}\n\n> {escaped(text, most)}"
        case _:  # a plot: its figures stand in a table
            return ""


def escaped(text: str, longest: int | None = None) -> str:
    """The text on one line without any meaning in Markdown, cut to `longest` characters."""
    line = " ".join(text.split())
    return _meaningless(line if longest is None else cut(line, longest))


def escaped_around_commands(text: str) -> str:
    """The same, but a command of this program with what it is given stands as code, to be copied:
    nothing has a meaning there either, and it holds no backtick that could end it."""
    line, parts, end = " ".join(text.split()), [], 0
    for match in _COMMAND.finditer(line):
        parts += [_meaningless(line[end : match.start()]), f"`{match[0]}`"]
        end = match.end()
    return "".join([*parts, _meaningless(line[end:])])


def _meaningless(line: str) -> str:
    return _SPECIAL.sub(lambda match: _ENTITIES.get(match[0], f"\\{match[0]}"), line)


def table_line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
