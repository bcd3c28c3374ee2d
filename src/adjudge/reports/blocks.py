"""What a finding is made of. It is composed once, and each renderer shows the same blocks, so that
a terminal, a file and a web page cannot say different things."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Cell:
    """A text with more to it. `tone` is good, warn or bad, `hint` explains it, `code` is the name
    that flags and columns take. `link` names what the page may know an address for, with `fields`
    of which one is meant. `place` is where the figure and the ends of its interval lie on
    their scale, 0-1: pages draw it."""

    text: str
    tone: str = ""
    hint: str = ""
    link: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    code: str = ""
    place: tuple[float, ...] | None = None

    def __str__(self) -> str:
        return self.text


Text = str | Cell


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence; `links` name where to do what it says, `tone` is warn for a caution, note for a
    remark, next for what to do."""

    text: str
    tone: str = ""
    links: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Lines:
    """Sentences, each on a line of its own; `language` is theirs where it is not the page's. `lead`
    explains a section to those who see such a page for the first time: only web pages show it."""

    lines: Sequence[str | Line]
    language: str = ""
    lead: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """The first cell of a row names it. `caption` says what a table tells where its section does
    not; it is not shown in files."""

    head: Sequence[Text]
    rows: Sequence[Sequence[Text]]
    caption: str = ""


@dataclass(frozen=True, slots=True)
class Folded:
    """The figures that plots show already, for those who want them as a table: behind a fold on a
    page, as they are where there are no plots. `title` says what is behind it."""

    table: Table
    title: str = ""


@dataclass(frozen=True, slots=True)
class Plot:
    """A picture, drawn when it is needed: its figures stand in a table beside it, so terminals and
    Markdown do without. `draw` gives SVG text, None where there is nothing to draw; `caption` says
    whose it is where several look alike. `name` and `fields` say which one it is, `alt` what there
    is to see."""

    draw: Callable[[], str | None]
    caption: str = ""
    name: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    alt: str = ""


@dataclass(frozen=True, slots=True)
class Quote:
    """What somebody said, below a line that says who; long texts are cut to `most` characters. Of a
    file (`code`) all lines stay as they are."""

    who: Text
    text: str
    most: int = 600
    code: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """Blocks under a title; `name` is where links lead to, `mark` a verdict on it in a word or two.
    What is `folded` is behind a fold on a web page."""

    title: str
    blocks: Sequence[Block]
    name: str = ""
    mark: Cell | None = None
    folded: bool = False


@dataclass(frozen=True, slots=True)
class Heading:
    """A title of its own; `level` counts from 1, the title of the page."""

    text: str
    level: int = 2


Block = Heading | Lines | Table | Quote | Plot | Folded | Section


def flat(blocks: Iterable[Block], level: int = 2) -> Iterator[Block]:
    """The blocks without sections: each becomes its heading and what it holds. Empty blocks and
    what only web pages show are left out."""
    for block in blocks:
        match block:
            case Section(title, inner):
                yield Heading(title, level)
                yield from flat(inner, level + 1)
            case Lines(lines=[]) | Lines(lead=True) | Table(rows=[]) | Folded(Table(rows=[])):
                pass
            case _:
                yield block


def plots(blocks: Iterable[Block]) -> Iterator[Plot]:
    """All that can be drawn, in order."""
    for block in blocks:
        if isinstance(block, Plot):
            yield block
        elif isinstance(block, Section):
            yield from plots(block.blocks)


def cut(text: str, most: int) -> str:
    """The text, or its beginning where it has more than `most` characters."""
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"
