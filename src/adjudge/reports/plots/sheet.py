"""The sheet that plots are drawn on, and how it becomes SVG text.

Matplotlib keeps its settings for the whole process. They are changed for the time of one drawing
only, one drawing at a time, so that threads do not meet and a user's own plots stay as they are.
It is loaded with the first drawing: that takes a second, which a page's figures need not wait for.
"""

# ruff: noqa: PLC0415

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal

from wcwidth import wcwidth

from .svg import INK, Mark, PlotWords, finish_svg

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

ACCENT = "#4078c0"  # of medium lightness: it shows on white and on black
FAINT = 0.25  # opacity of what only guides the eye
_WIDTH, _NARROW_WIDTH = 600, 360  # of a whole sheet, in pixels; the second on a telephone
_NARROWEST = 300
_TITLED = 460  # the least that a title has room on
_LABEL, _TITLE = 12, 15  # sizes of letters, in pixels
LINE, _TITLE_LINE = 15, 19  # from one line of letters to the next
LETTER = 7.2  # pixels that a letter takes at 12 pixels' size; Hangul takes two of them
_SWATCH = 11  # pixels of a square in a legend
_BOLD = 1.1  # how much wider bold letters are
_DPI = 72  # one point is one pixel

Span = tuple[float, float]
_ONE_AT_A_TIME = Lock()
_OURS = {
    "svg.fonttype": "none",  # text stays text, shown in the reader's fonts
    "svg.hashsalt": "adjudge",  # the same drawing is the same text
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "font.size": _LABEL,
    "hatch.color": INK,
    "hatch.linewidth": 0.8,
    "patch.linewidth": 1.0,
    "text.color": INK,
    "text.parse_math": False,
    "xtick.color": INK,
    "ytick.color": INK,
}


@cache
def _settings() -> dict[Any, Any]:
    """Of matplotlib's settings nothing but the backend is left to the user."""
    from matplotlib import rcParamsDefault

    usual = {name: value for name, value in rcParamsDefault.items() if name[:7] != "backend"}
    return usual | _OURS


@dataclass(frozen=True, slots=True)
class Frame:
    """The frame that is drawn in, and what is free at each side of it; all in pixels."""

    width: float
    height: float
    left: float = 64
    right: float = 16
    top: float = 44
    bottom: float = 48

    @classmethod
    def between(
        cls, words: PlotWords, left: float, right: float, height: float, top: float = 44
    ) -> Frame:
        """As wide as the sheet leaves room for, and on the usual one never too narrow to see
        anything."""
        least = 0 if words.narrow else _NARROWEST
        return cls(max(sheet_width(words) - left - right, least), height, left, right, top)


@dataclass(frozen=True, slots=True)
class Key:
    """An entry of a legend: the look of a mark or, with a `facecolor`, of a bar, in matplotlib's
    terms, and what it stands for."""

    look: Mapping[str, Any]
    text: str


class Sheet:
    """A figure with one frame.

    Texts are drawn as marks and put in at the end: matplotlib then never measures a script that its
    own fonts lack, nor takes a name for a formula.
    """

    def __init__(self, words: PlotWords, frame: Frame) -> None:
        from matplotlib.figure import Figure

        least = _NARROW_WIDTH if words.narrow else _TITLED
        self.width = max(frame.left + frame.width + frame.right, least)
        title = in_two(words.title, int((self.width - 24) / (LETTER * _BOLD) * _LABEL / _TITLE))
        self.title_height = 22 + _TITLE_LINE * (len(title) - 1)
        frame = replace(frame, top=frame.top + self.title_height - 22)
        self.words, self.frame = words, frame
        self.height = frame.top + frame.height + frame.bottom
        self._texts: list[str] = []
        self._marks: list[Mark] = []
        self.figure = Figure(figsize=(self.width / _DPI, self.height / _DPI), dpi=_DPI)
        self.figure.patch.set_visible(False)
        self.axes: Axes = self.figure.add_axes(
            (
                frame.left / self.width,
                frame.bottom / self.height,
                frame.width / self.width,
                frame.height / self.height,
            )
        )
        self.axes.patch.set_visible(False)
        for line, text in enumerate(title):
            self._title(text, 22 + _TITLE_LINE * line)
        self.axes.set_xlabel(self.text(words.x))
        self.axes.set_ylabel(self.text(words.y))
        # At the sheet's edge: how wide the labels are, matplotlib cannot know.
        self.axes.yaxis.set_label_coords((18 - frame.left) / frame.width, 0.5)

    def text(self, text: str) -> str:
        """What to draw in place of the text."""
        self._texts.append(text)
        return f"t{len(self._texts) - 1}" if text else ""

    def numbers(self, text: str) -> str:
        """The same for a text of figures."""
        return self.text(self.words.figure(text))

    def tell(self, artist: Artist, text: str, ask: str = "") -> None:
        """What a part of the drawing says to who points at it, and how items are filtered by it."""
        if text:
            artist.set_gid(f"m{len(self._marks)}")
            self._marks.append(Mark(text, ask))

    def texts(self, texts: list[str]) -> list[str]:
        return [self.text(text) for text in texts]

    def names_below(self, names: Sequence[Sequence[str]]) -> None:
        """Names along the lower axis, each on its lines: matplotlib would not centre them, for it
        takes them to be as wide as their marks."""
        axes = self.axes
        axes.set_xticks(range(len(names)), [self.text(first) for first, *_ in names])
        axes.xaxis.labelpad += LINE * (max(map(len, names), default=1) - 1)
        below, how = axes.get_xaxis_transform(), "offset points"
        for at, (_, *further) in enumerate(names):
            for row, text in enumerate(further, 1):
                place = (0, -3.5 - LINE * row)
                axes.annotate(self.text(text), (at, 0), place, below, how, ha="center", va="top")

    def guide(self, at: float, name: str = "", *, dashed: bool = False) -> None:
        """A line from top to bottom that figures are seen against; dashed when it has a name."""
        style = (0, (4, 3)) if name or dashed else "-"
        self.axes.axvline(at, color=INK, linewidth=1, linestyle=style, alpha=0.7, zorder=0)
        above = self.axes.get_xaxis_transform()
        self.axes.annotate(
            self.text(name), (at, 1), (0, 3), above, "offset points", ha="center", va="bottom"
        )

    def above(self, at: float, text: str, figure: str) -> None:
        """Writes both over a row, at the two ends of the frame."""
        room = int((self.frame.width - width(figure)) / LETTER) - 1
        for x, written, end in ((0, fitted(text, max(room, 8)), "left"), (1, figure, "right")):
            self.axes.annotate(
                self.text(written),
                (x, at),
                (0, 9),
                self.axes.get_yaxis_transform(),
                "offset points",
                ha=end,
                va="bottom",
                annotation_clip=False,
            )

    def beside(self, at: float, text: str) -> None:
        """Writes at the right of the frame, at the height of a row."""
        at_row = self.axes.get_yaxis_transform()
        self.axes.text(1.02, at, self.text(text), transform=at_row, va="center_baseline")

    def legend(self, keys: Sequence[Key]) -> None:
        """What marks stand for, below the title."""
        for key, (x, row) in zip(keys, _legend_places(keys, self.words), strict=True):
            self._key(key, x, self.height - self.title_height - 24 - 22 * row)

    def legend_aside(self, keys: Sequence[Key]) -> None:
        """The same at the right of the frame, one below the other."""
        x, y = self.frame.left + self.frame.width + 28, self.height - self.frame.top - 12
        for row, key in enumerate(keys):
            self._key(key, x, y - 24 * row)

    def _key(self, key: Key, x: float, y: float) -> None:
        from matplotlib.lines import Line2D
        from matplotlib.patches import Rectangle

        across, up = x / self.width, y / self.height
        if "facecolor" in key.look:
            side = _SWATCH / self.width, _SWATCH / self.height
            corner = across - side[0] / 2, up - side[1] / 2
            look = {"edgecolor": INK, "transform": self.figure.transFigure, **key.look}
            self.figure.add_artist(Rectangle(corner, *side, **look))
        else:
            self.figure.add_artist(Line2D([across], [up], linestyle="none", **key.look))
        beside = across + 14 / self.width
        self.figure.text(beside, up, self.text(key.text), va="center_baseline")

    def field(
        self, corner: tuple[float, float], width: float, height: float, look: Mapping[str, Any]
    ) -> Artist:
        """A rectangle, which may reach beyond the frame."""
        from matplotlib.patches import Rectangle

        return self.axes.add_patch(Rectangle(corner, width, height, clip_on=False, **look))

    def ticks(self, axis: Axis, **how: Any) -> None:
        """About six round numbers along the axis."""
        from matplotlib.ticker import MaxNLocator

        axis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10], **how))

    def grid(self, axis: Literal["x", "y", "both"]) -> None:
        self.axes.grid(axis=axis, color=INK, alpha=FAINT / 2, linewidth=1)
        self.axes.set_axisbelow(True)

    def svg(self) -> str:
        from matplotlib.backends.backend_svg import FigureCanvasSVG

        out = io.StringIO()
        unsigned = dict.fromkeys(("Creator", "Date", "Format", "Type"))
        FigureCanvasSVG(self.figure).print_svg(out, metadata=unsigned)  # type: ignore[no-untyped-call]
        return finish_svg(out.getvalue(), self._texts, self.words, self._marks)

    def _title(self, text: str, below: float) -> None:
        place = 12 / self.width, 1 - below / self.height
        self.figure.text(*place, self.text(text), size=_TITLE, weight="bold")


def draw_svg(words: PlotWords, frame: Frame, draw: Callable[[Sheet], None]) -> str:
    """The SVG text of what `draw` draws."""
    from matplotlib import rc_context

    with _ONE_AT_A_TIME, rc_context(_settings()):
        sheet = Sheet(words, frame)
        draw(sheet)
        return sheet.svg()


def sheet_width(words: PlotWords) -> int:
    """Pixels."""
    return _NARROW_WIDTH if words.narrow else _WIDTH


def legend_lines(keys: Sequence[Key], words: PlotWords) -> int:
    """That a legend takes."""
    return 1 + max((row for _, row in _legend_places(keys, words)), default=-1)


def _legend_places(keys: Sequence[Key], words: PlotWords) -> list[tuple[float, int]]:
    """Where each entry begins, and on which line."""
    places: list[tuple[float, int]] = []
    x, row = 20.0, 0
    for key in keys:
        if x > 20 and x + 14 + width(key.text) > sheet_width(words):
            x, row = 20.0, row + 1
        places.append((x, row))
        x += width(key.text) + 40
    return places


def room_for(labels: list[str], most: float = 290) -> float:
    """The room that the longest label takes beside a frame, in pixels."""
    return min(most, max((width(label) for label in labels), default=0) + 22)


def width(text: str) -> float:
    """In pixels, about; rather too wide than too narrow."""
    return cells(text) * LETTER


def cells(text: str) -> int:
    return sum(max(wcwidth(sign), 0) for sign in text)


def in_two(text: str, most: int) -> list[str]:
    """The text cut to so many letters' width, on two lines where one is too short for it."""
    words = text.split()
    line = " ".join(words)
    if cells(line) <= most or len(words) < 2:
        return [fitted(line, most)]
    halves = [(" ".join(words[:at]), " ".join(words[at:])) for at in range(1, len(words))]
    return [fitted(half, most) for half in min(halves, key=lambda two: max(map(cells, two)))]


def fitted(text: str, most: int) -> str:
    """The text on one line, cut to so many letters' width."""
    line = " ".join(text.split())
    if cells(line) <= most:
        return line
    kept, taken = "", 1
    for sign in line:
        taken += max(wcwidth(sign), 0)
        if taken > most:
            break
        kept += sign
    return f"{kept.rstrip()}…"
