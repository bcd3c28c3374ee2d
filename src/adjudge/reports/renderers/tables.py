"""The tables among blocks on their own: as LaTeX for a paper, as CSV for a spreadsheet.

Every text is escaped: what a model or a judged text says is neither a command of LaTeX nor a
formula.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ..blocks import Block, Folded, Heading, Table, flat
from ..files.text import guarded

ENDINGS = (".md", ".tex", ".csv", ".json")

_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "–": "--",
    "…": r"\ldots{}",
    "→": r"$\rightarrow$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    **{sign: f"\\{sign}" for sign in "&%$#_"},
}
_SIGN = re.compile("[" + re.escape("".join(_LATEX)) + "]")
_NUMBER = r"[+\-−]?\d[\d,]*(?:\.\d+)?%?"
_FIGURE = re.compile(rf"(?:[<>]?{_NUMBER})(?: \[{_NUMBER}, {_NUMBER}\])?|–|")
_INTERVAL = re.compile(rf"({_NUMBER}) \[({_NUMBER}), ({_NUMBER})\]")
_PLAIN = re.compile(_NUMBER)
_HEAD = "% Needs \\usepackage{booktabs}. Korean or Vietnamese texts: XeLaTeX or LuaLaTeX.\n"


class TitledTable(NamedTuple):
    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


def titled_tables(blocks: Iterable[Block]) -> Iterator[TitledTable]:
    """Each table with the heading that it stands under."""
    title = ""
    for block in flat(blocks):
        match block:
            case Heading(text):
                title = text
            case Table(head, rows) | Folded(Table(head, rows)):
                yield TitledTable(title, _texts(head), [_texts(row) for row in rows])
            case _:
                pass


def _texts(cells: Iterable[object]) -> list[str]:
    return [" ".join(str(cell).split()) for cell in cells]


def as_latex(blocks: Iterable[Block]) -> str:
    """A `table` with a caption for each, ruled as booktabs does it."""
    return _HEAD + "\n".join(map(_latex, titled_tables(blocks)))


def _latex(table: TitledTable) -> str:
    columns = list(zip(*table.rows, strict=True))
    kinds = "".join("r" if all(map(_FIGURE.fullmatch, column)) else "l" for column in columns)
    lines = [r"\begin{table}[htbp]", r"\centering"]
    if table.title:
        lines.append(rf"\caption{{{latex(table.title)}}}")
    lines += [rf"\begin{{tabular}}{{{kinds}}}", r"\toprule", _line(table.head), r"\midrule"]
    lines += [*map(_line, table.rows), r"\bottomrule", r"\end{tabular}", r"\end{table}", ""]
    return "\n".join(lines)


def _line(cells: Sequence[str]) -> str:
    # A bracket at the start of a row would be read as an argument of the line break before it.
    texts = [f"{{{text}}}" if text.startswith("[") else text for text in map(latex, cells)]
    return " & ".join(texts) + r" \\"


def latex(text: str) -> str:
    """The text without any meaning in LaTeX."""
    return _SIGN.sub(lambda match: _LATEX[match[0]], text)


def as_csv(blocks: Iterable[Block]) -> str:
    """A figure with an interval takes three columns: the value, and `low` and `high` behind it.

    Several tables stand below each other, each under its title, with an empty line between them.
    """
    tables = list(titled_tables(blocks))
    out = io.StringIO()
    writer = csv.writer(out)
    for number, table in enumerate(tables):
        if number:
            out.write("\r\n")
        if len(tables) > 1:
            writer.writerow([_cell(table.title)])
        for row in _with_ends(table):
            writer.writerow([_cell(text) for text in row])
    return out.getvalue()


def _with_ends(table: TitledTable) -> Iterator[list[str]]:
    spread = [
        any(_INTERVAL.fullmatch(text) for text in column)
        for column in zip(*table.rows, strict=True)
    ]
    head: list[str] = []
    for name, split in zip(table.head, spread, strict=True):
        head += [name, f"{name} low", f"{name} high"] if split else [name]
    yield head
    for row in table.rows:
        cells: list[str] = []
        for text, split in zip(row, spread, strict=True):
            match = _INTERVAL.fullmatch(text)
            cells += list(match.groups()) if match else [text, "", ""] if split else [text]
        yield cells


def _cell(text: str) -> object:
    if text == "–":
        return ""
    return text if _PLAIN.fullmatch(text) else guarded(text)
