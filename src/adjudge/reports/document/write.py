"""A report as one HTML file, and as Markdown for a pull request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import jinja2

from adjudge.errors import UsageError

from .. import page
from ..formats import check_path, write_whole
from ..paper import paper
from ..plots.svg import inline
from ..strings import Strings
from .blocks import Part, Plot
from .compose import report_parts, title_of
from .findings import Findings

ENDINGS = (".html", ".md")
_FEWEST_ENTRIES = 4  # below that a list of contents is no help


class _Piece(NamedTuple):
    """A block, or plots that stand beside each other; `anchor` is where the contents lead to."""

    kind: str
    part: page.Block | None = None
    anchor: str = ""
    plots: tuple[str, ...] = ()


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
    parts = report_parts(findings, say)
    return _whole(page.as_markdown(part for part in parts if not isinstance(part, Plot)))


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
            if isinstance(part, Plot) or page.empty(part):
                continue
            anchor = ""
            if isinstance(part, page.Heading) and part.level == 2:
                anchors += 1
                anchor = f"part-{anchors}"
            yield _Piece(type(part).__name__, part, anchor)


def _drawn(plots: Iterable[Plot]) -> Iterator[_Piece]:
    found = tuple(inline(svg) for plot in plots if (svg := plot.draw()) is not None)
    if found:
        yield _Piece("Plots", plots=found)


@cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["cut"] = page.cut
    text = files(__package__).joinpath("report.html.j2").read_text("utf-8")
    return environment.from_string(text)
