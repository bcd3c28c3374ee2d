"""A small page of headings, sentences and tables, for a terminal or as Markdown.

A report is put together once and shown in both ways, so that they cannot say different things.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from adjudge.errors import UsageError

from .formats import check_path
from .markdown import escaped, escaped_around_commands, table_line
from .terminal import printable
from .text import table
from .whole_file import write_whole

_WIDTH = 96


@dataclass(frozen=True, slots=True)
class Heading:
    """`level` counts from 1, the title of the page."""

    text: str
    level: int = 2


@dataclass(frozen=True, slots=True)
class Lines:
    """Sentences, each on a line of its own; `language` is theirs where it is not the page's."""

    lines: Sequence[str]
    language: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Said:
    """What somebody said, below a line that says who; long texts are cut to `most` characters."""

    who: str
    text: str
    most: int = 600


Block = Heading | Lines | Table | Said


def as_text(blocks: Iterable[Block]) -> str:
    """For a terminal; nothing in it can redraw one."""
    shown = [_plain(block) for block in blocks if not empty(block)]
    return "\n".join(shown)


def as_markdown(blocks: Iterable[Block]) -> str:
    """With every text escaped: nothing in it becomes a link, an image or HTML."""
    return "\n\n".join(_marked(block) for block in blocks if not empty(block)) + "\n"


def check_page_path(path: Path) -> None:
    """UsageError when no page could be written there; to be called before anything is spent."""
    if path.suffix.casefold() != ".md":
        raise UsageError(f"{path}: this report is written as Markdown; let the name end in .md.")
    check_path(path)


def write_page(path: Path, blocks: Iterable[Block]) -> None:
    """The page as a Markdown file, whole or not at all."""
    text = as_markdown(blocks).encode(errors="backslashreplace")
    write_whole(path, lambda out: out.write(text))


def empty(block: Block) -> bool:
    """Whether there is nothing to show."""
    return (isinstance(block, Lines) and not block.lines) or (
        isinstance(block, Table) and not block.rows
    )


def _plain(block: Block) -> str:
    match block:
        case Heading(text):
            return f"\n{printable(text)}"
        case Lines(lines):
            return "\n".join(_wrapped(line, "", "  ") for line in lines)
        case Table(head, rows):
            return table(head, rows)
        case Said(who, text, most):
            return f"{_wrapped(who, '  ', '    ')}\n{_wrapped(cut(text, most), '    ', '    ')}"


def _marked(block: Block) -> str:
    match block:
        case Heading(text, level):
            return f"{'#' * level} {escaped(text)}"
        case Lines(lines):
            return "\n".join(f"- {escaped_around_commands(line)}" for line in lines)
        case Table(head, rows):
            ruled = [table_line(map(escaped, head)), table_line("---" for _ in head)]
            return "\n".join([*ruled, *(table_line(map(escaped, row)) for row in rows)])
        case Said(who, text, most):
            return f"{escaped(who)}\n\n> {escaped(text, most)}"


def cut(text: str, most: int) -> str:
    """The text, or its beginning where it has more than `most` characters."""
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def _wrapped(text: str, first: str, rest: str) -> str:
    line = printable(" ".join(text.split()))
    return textwrap.fill(line, _WIDTH, initial_indent=first, subsequent_indent=rest)
