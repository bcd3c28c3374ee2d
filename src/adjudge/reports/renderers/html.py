"""Blocks as one HTML file that can be mailed: nothing is loaded from elsewhere, and every text from
outside is escaped."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib.resources import files
from itertools import groupby
from typing import Any, NamedTuple

import jinja2
from markupsafe import Markup

from adjudge.strings import Strings

from ..blocks import Block, Folded, Heading, Plot, Text, cut, flat
from ..plots.svg import inline

_FEWEST_ENTRIES = 4  # below that a list of contents is no help
# Large figures have separators: digits alone, and many, are the id of a run.
_FIGURE = re.compile(r"(?!\d{9})[-+−]?\d[\d.,%–]*(?: / \d+)?(?: \[[^\]]*\])?")
_FEW_LETTERS = 16
_SCALE = Markup(
    '<svg class="scale" viewBox="-3 0 126 12" width="126" height="12" aria-hidden="true">'
    '<path class="axis" d="M0 6h120M0 2v8M120 2v8"/>'
    '<rect class="range" x="{low:.1f}" y="3" width="{width:.1f}" height="6" rx="2"/>'
    '<circle class="value" cx="{value:.1f}" cy="6" r="3.5"/></svg>'
)


class _Piece(NamedTuple):
    """A block, or plots that stand beside each other, each with its caption; `anchor` is where the
    contents lead to."""

    kind: str
    part: Block | None = None
    anchor: str = ""
    plots: tuple[tuple[str, str], ...] = ()


def as_html(title: str, blocks: Iterable[Block], say: Strings) -> str:
    pieces = list(_pieces(blocks))
    contents = [piece for piece in pieces if piece.anchor]
    text = _report().render(
        say=say,
        title=title,
        style=report_styles(),
        pieces=pieces,
        contents=contents if len(contents) >= _FEWEST_ENTRIES else [],
    )
    return visible(text)


@cache
def report_styles() -> str:
    """How pages that can be mailed look: styles, to stand in the page itself."""
    return files(__package__).joinpath("paper.css").read_text("utf-8").strip()


def visible(text: str) -> str:
    """Half surrogates and NUL, which a reply may hold and no page can, made visible."""
    return text.replace("\0", "\u2400").encode(errors="backslashreplace").decode()


def _pieces(blocks: Iterable[Block]) -> Iterator[_Piece]:
    anchors = 0
    for drawing, group in groupby(flat(blocks), lambda block: isinstance(block, Plot)):
        if drawing:
            yield from _drawn(block for block in group if isinstance(block, Plot))
            continue
        for block in group:
            anchor = ""
            if isinstance(block, Heading) and block.level == 2:
                anchors += 1
                anchor = f"part-{anchors}"
            part = block.table if isinstance(block, Folded) else block
            yield _Piece(type(block).__name__, part, anchor)


def _drawn(plots: Iterable[Plot]) -> Iterator[_Piece]:
    drawings = ((plot.draw(), plot.caption) for plot in plots)
    pictures = tuple((inline(svg), caption) for svg, caption in drawings if svg is not None)
    if pictures:
        yield _Piece("Plots", plots=pictures)


def _kind(cell: Text) -> str:
    """How a cell may be broken into lines: a figure never is, and words need room."""
    text = str(cell)
    if _FIGURE.fullmatch(text):
        return "figure"
    return "long" if len(text) > _FEW_LETTERS else ""


def scale_svg(place: tuple[float, ...]) -> Markup:
    """Where a figure with its interval lies on its scale, all on 0-1."""
    value, low, high = (120 * part for part in place)
    return _SCALE.format(value=value, low=low, width=max(high - low, 1))


def template(name: str, **filters: Callable[..., Any]) -> jinja2.Template:
    """A template of this package that escapes what it shows; reading one takes milliseconds."""
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters.update(filters, scale=scale_svg)
    return environment.from_string(files(__package__).joinpath(name).read_text("utf-8"))


@cache
def _report() -> jinja2.Template:
    return template("report.html.j2", cut=cut, kind=_kind)
