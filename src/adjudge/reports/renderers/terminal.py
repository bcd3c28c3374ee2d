"""Blocks and texts on a terminal: aligned also for Korean and Vietnamese, and text from outside is
shown but never obeyed."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Iterable, Sequence

from wcwidth import wcswidth

from ..blocks import Block, Folded, Heading, Lines, Quote, Table, Text, cut, flat

WIDTH = 96  # of sentences
_WIDEST = 160  # of tables: beyond that even a wide window breaks their lines

# Controls, invisible formats (direction overrides among them), half surrogates, unusual line
# breaks.
_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
# Line breaks and tabs do no harm; joiners carry meaning in Persian, Indic scripts and emoji.
_KEPT = frozenset("\n\t\u200c\u200d")
_SUSPECT = re.compile(r"[^\n\t\x20-\x7e]")


def printable(text: str) -> str:
    """The text with what could redraw a terminal, or hide on it, written out: ESC as `\\x1b`."""
    return _SUSPECT.sub(lambda match: _spelt(match[0]), text)


def _is_safe(sign: str) -> bool:
    return sign in _KEPT or unicodedata.category(sign) not in _UNSAFE


def _spelt(sign: str) -> str:
    return sign if _is_safe(sign) else sign.encode("unicode_escape").decode()


def printable_json(text: str) -> str:
    """The same for JSON, which stays the same JSON: such characters stand in strings only."""
    return _SUSPECT.sub(lambda match: _as_escape(match[0]), text)


def _as_escape(sign: str) -> str:
    if _is_safe(sign):
        return sign
    units = sign.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


def as_text(blocks: Iterable[Block]) -> str:
    """For a terminal; nothing in it can redraw one."""
    return "\n".join(filter(None, map(_shown, flat(blocks))))


def _shown(block: Block) -> str:
    match block:
        case Heading(text):
            return f"\n{printable(text)}"
        case Lines(lines):
            return "\n".join(_wrapped(str(line), "", "  ") for line in lines)
        case Table(head, rows) | Folded(Table(head, rows)):
            return _tables(head, rows)
        case Quote(who, text, code=True):
            lines = "\n".join(f"    {printable(line)}" for line in text.splitlines())
            return f"{_wrapped(str(who), '  ', '    ')}\n{lines}"
        case Quote(who, text, most):
            said = _wrapped(cut(text, most), "    ", "    ")
            return f"{_wrapped(str(who), '  ', '    ')}\n{said}"
        case _:  # a plot: its figures stand in a table
            return ""


def _wrapped(text: str, first: str, rest: str) -> str:
    line = printable(" ".join(text.split()))
    return textwrap.fill(line, WIDTH, initial_indent=first, subsequent_indent=rest)


def _tables(head: Sequence[Text], rows: Sequence[Sequence[Text]]) -> str:
    """One table, or where that is too wide several below each other, each with the first column."""
    whole = table(head, rows)
    if len(head) < 3 or max(map(screen_width, whole.splitlines())) <= _WIDEST:
        return whole
    middle = (len(head) + 2) // 2
    halves = []
    for columns in (range(1, middle), range(middle, len(head))):
        kept = [[row[at] for at in (0, *columns)] for row in (head, *rows)]
        halves.append(_tables(kept[0], kept[1:]))
    return "\n".join(halves)


def table(head: Sequence[Text], rows: Sequence[Sequence[Text]]) -> str:
    """Columns as wide as their widest cell on screen, where a Hangul syllable takes two places."""
    cells = [[one_line(str(cell)) for cell in row] for row in (head, *rows)]
    widths = [max(screen_width(row[at]) for row in cells) for at in range(len(head))]
    lines = [
        "  ".join(c + " " * (w - screen_width(c)) for c, w in zip(row, widths, strict=True))
        for row in cells
    ]
    lines.insert(1, "  ".join("─" * width for width in widths))
    return "\n".join(line.rstrip() for line in lines)


def one_line(text: str) -> str:
    return printable(" ".join(text.split()))


def screen_width(text: str) -> int:
    return max(wcswidth(text), 0)
