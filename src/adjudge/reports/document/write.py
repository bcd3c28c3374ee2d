"""A report as one HTML file, and as Markdown for a pull request."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import jinja2

from adjudge.errors import UsageError

from .. import page
from ..formats import check_path
from ..paper import paper
from ..plots.svg import inline
from ..strings import Strings
from ..whole_file import write_whole
from .blocks import Folded, Part, Plot
from .compose import report_parts, title_of
from .findings import Findings

ENDINGS = (".html", ".md")
_FEWEST_ENTRIES = 4  # below that a list of contents is no help
_FIGURE = re.compile(r"[-+−]?\d[\d.,%–]*(?: \[[^\]]*\])?")
_FEW_LETTERS = 16


class _Piece(NamedTuple):
    """A block, or plots that stand beside each other, each with its caption; `anchor` is where the
    contents lead to."""

    kind: str
    part: page.Block | None = None
    anchor: str = ""
    plots: tuple[tuple[str, str], ...] = ()


def as_html(findings: Findings, say: Strings) -> str:
    """One file, nothing loaded from elsewhere; every text from outside is escaped."""
    pieces = list(_pieces(report_parts(findings, say)))
    contents = [piece for piece in pieces if piece.anchor]
    text = _template().render(
        say=say,
        title=title_of(findings, say),
        style=paper(),
        pieces=pieces,
        contents=contents if len(contents) >= _FEWEST_ENTRIES else [],
    )
    return _whole(text)


def as_markdown(findings: Findings, say: Strings) -> str:
    """The same without the plots, whose figures stand in its tables."""
    parts = (part for part in report_parts(findings, say) if not isinstance(part, Plot))
    return _whole(page.as_markdown(_unfolded(part) for part in parts))


def check_report_path(path: Path) -> None:
    """UsageError when no report could be written there."""
    if path.suffix.casefold() not in ENDINGS:
        raise UsageError(f"{path}: a report ends in one of: {', '.join(ENDINGS)}.")
    check_path(path)


def write_report(path: Path, findings: Findings, say: Strings) -> None:
    """The ending picks the form; the file appears as a whole or not at all."""
    check_report_path(path)
    form = as_html if path.suffix.casefold() == ".html" else as_markdown
    text = form(findings, say).encode()
    write_whole(path, lambda out: out.write(text))


def _unfolded(part: page.Block | Folded) -> page.Block:
    return part.table if isinstance(part, Folded) else part


def _whole(text: str) -> str:
    """Half surrogates and NUL, which a reply may hold and no page can, made visible."""
    return text.replace("\0", "\u2400").encode(errors="backslashreplace").decode()


def _pieces(parts: Iterable[Part]) -> Iterator[_Piece]:
    anchors = 0
    for drawing, group in groupby(parts, lambda part: isinstance(part, Plot)):
        if drawing:
            yield from _drawn(part for part in group if isinstance(part, Plot))
            continue
        for part in group:
            if isinstance(part, Plot) or page.empty(_unfolded(part)):
                continue
            anchor = ""
            if isinstance(part, page.Heading) and part.level == 2:
                anchors += 1
                anchor = f"part-{anchors}"
            yield _Piece(type(part).__name__, _unfolded(part), anchor)


def _drawn(plots: Iterable[Plot]) -> Iterator[_Piece]:
    drawings = ((plot.draw(), plot.caption) for plot in plots)
    found = tuple((inline(svg), caption) for svg, caption in drawings if svg is not None)
    if found:
        yield _Piece("Plots", plots=found)


def _kind(cell: str) -> str:
    """How a cell may be broken into lines: a figure never is, and words need room."""
    if _FIGURE.fullmatch(cell):
        return "figure"
    return "long" if len(cell) > _FEW_LETTERS else ""


@cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["cut"] = page.cut
    environment.filters["kind"] = _kind
    text = files(__package__).joinpath("report.html.j2").read_text("utf-8")
    return environment.from_string(text)
