"""What matplotlib writes made into SVG that stands alone and also fits into a page.

Looks are attributes and no styles, so that a page which forbids inline styles can hold the plot;
ink is `currentColor`, so that it shows on light and on dark.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from xml.etree import ElementTree as ET

INK = "#010203"  # becomes the colour of the text around
_SVG = "http://www.w3.org/2000/svg"
_LINK = "{http://www.w3.org/1999/xlink}href"
_FONTS = "system-ui, 'Segoe UI', Roboto, 'Noto Sans', 'Noto Sans KR', 'Malgun Gothic', sans-serif"
_ALONE = "<style>svg{color:#1b1f24}@media (prefers-color-scheme:dark){svg{color:#e6e9ee}}</style>"
_MARK = re.compile(r"t(\d+)")
_LONG = re.compile(r"-?\d+\.\d{3,}")
_FONT = re.compile(r"(?:(bold|\d{3}) )?([\d.]+)px ")
# Nothing in XML may be one of these.
_UNFIT = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_PLACING = frozenset({"x", "y", "transform"})
_NUMERIC = ("d", "x", "y", "transform", "width", "height")


@dataclass(frozen=True, slots=True)
class PlotWords:
    """`x` and `y` name the axes with their units; `seen` tells in words what there is to see, for
    those who cannot. The others stand in legends."""

    title: str
    x: str
    y: str = ""
    seen: str = ""
    unscored: str = "unscored"
    raw: str = "judge's mean"
    corrected: str = "corrected mean"
    limit: str = "limit"
    same: str = "same value"
    good: str = "good"
    fair: str = "fair"
    items: str = "items"
    narrow: bool = False  # for a telephone
    figure: Callable[[str], str] = str  # writes a text of figures as the reader's language does


class Mark(NamedTuple):
    """What a part of a drawing says to who points at it; `ask` are the parameters that filter items
    by it, "" where there are none."""

    text: str
    ask: str = ""


def finish_svg(
    drawing: str, texts: Sequence[str], words: PlotWords, marks: Sequence[Mark] = ()
) -> str:
    """The drawing with its texts put in, its colours and fonts left to the reader, and told in
    words; the part with the id `m0` is the first of the marks."""
    root = ET.fromstring(drawing)  # noqa: S314 - matplotlib's own, with marks in place of texts
    _plain_root(root)
    for element in list(root.iter()):
        _look(element)
        _fill_in(element, texts, words)
        _shorten(element)
    _tell_marks(root, marks)
    _forget_names(root)
    _unwrap(root)
    _hoist(root)
    _tell(root, words)
    return _written(root)


def inline(svg: str) -> str:
    """The same for inside a page, whose own text colour it takes on."""
    return svg.replace(_ALONE, "", 1)


def _plain_root(root: ET.Element) -> None:
    for parent in root.iter():
        for child in list(parent):
            if child.tag in (f"{{{_SVG}}}metadata", f"{{{_SVG}}}style"):
                parent.remove(child)
    _, _, width, height = root.attrib["viewBox"].split()
    root.attrib.clear()
    root.attrib |= {"viewBox": f"0 0 {width} {height}", "width": width, "height": height}
    root.attrib |= {"role": "img", "font-family": _FONTS, "stroke-linejoin": "round"}


def _look(element: ET.Element) -> None:
    """Turns styles into attributes."""
    link = element.attrib.pop(_LINK, None)
    if link is not None:
        element.set("href", link)
    for name, value in _declared(element.attrib.pop("style", "")):
        if name == "font":
            weight, size = _font(value)
            element.set("font-size", size)
            if weight:
                element.set("font-weight", weight)
        elif name != "font-family":  # that of the whole: matplotlib's own lack most scripts
            element.set(name, value)
    for name, value in element.attrib.items():
        if value.casefold() == INK:
            element.set(name, "currentColor")
    if element.tag == f"{{{_SVG}}}text":
        element.set("fill", element.get("fill", "currentColor"))
        if "rotate(-0 " in element.get("transform", ""):
            del element.attrib["transform"]


def _declared(style: str) -> Iterator[tuple[str, str]]:
    for part in style.split(";"):
        name, colon, value = part.partition(":")
        if colon:
            yield name.strip(), value.strip()


def _font(value: str) -> tuple[str, str]:
    match = _FONT.search(value)
    return (match[1] or "", match[2]) if match else ("", "12")


def _fill_in(element: ET.Element, texts: Sequence[str], words: PlotWords) -> None:
    """What is no mark is a number along an axis."""
    if element.tag != f"{{{_SVG}}}text":
        element.text = element.text.strip() if element.text else None
    else:
        mark = _MARK.fullmatch(element.text or "")
        element.text = _fit(texts[int(mark[1])]) if mark else words.figure(element.text or "")
    element.tail = None


def _fit(text: str) -> str:
    return _UNFIT.sub("\ufffd", text)


def _shorten(element: ET.Element) -> None:
    """Hundredths of a pixel are enough."""
    for name in _NUMERIC:
        if name in element.attrib:
            value = _LONG.sub(lambda match: f"{float(match[0]):.2f}", element.attrib[name])
            element.set(name, " ".join(value.split()))


def _tell_marks(root: ET.Element, marks: Sequence[Mark]) -> None:
    named = {f"m{at}": mark for at, mark in enumerate(marks)}
    for element in root.iter():
        mark = named.get(element.get("id", ""))
        if mark is None:
            continue
        element.set("class", "mark")
        if mark.ask:
            element.set("data-ask", mark.ask)
        title = ET.Element(f"{{{_SVG}}}title")
        title.text = _fit(mark.text)
        element.insert(0, title)


def _forget_names(root: ET.Element) -> None:
    """Names that nothing refers to would only clash with those of the page around."""
    used = set()
    for element in root.iter():
        for value in element.attrib.values():
            used.update(re.findall(r"#([\w-]+)", value))
    for element in root.iter():
        if element.get("id") not in used:
            element.attrib.pop("id", None)


def _unwrap(root: ET.Element) -> None:
    """Takes the children out of groups that say nothing."""
    for parent in root.iter():
        for child in list(parent):
            if child.tag == f"{{{_SVG}}}g":
                _unwrap(child)
        kept: list[ET.Element] = []
        for child in parent:
            bare = child.tag == f"{{{_SVG}}}g" and not child.attrib
            kept += list(child) if bare else [child]
        parent[:] = kept


def _hoist(root: ET.Element) -> None:
    """Says once what all marks of a group have in common."""
    for group in root.iter(f"{{{_SVG}}}g"):
        marks = [child for child in group if child.tag == f"{{{_SVG}}}use"]
        if len(marks) < 2 or len(marks) != len(group):
            continue
        for name, value in list(marks[0].attrib.items()):
            if name in _PLACING or name == "href":  # a group has no place to hand down
                continue
            if all(mark.get(name) == value for mark in marks):
                group.set(name, value)
                for mark in marks:
                    del mark.attrib[name]


def _tell(root: ET.Element, words: PlotWords) -> None:
    for at, (name, text) in enumerate((("title", words.title), ("desc", words.seen))):
        element = ET.Element(f"{{{_SVG}}}{name}")
        element.text = _fit(text)
        root.insert(at, element)


def _written(root: ET.Element) -> str:
    for element in root.iter():
        element.tag = element.tag.removeprefix(f"{{{_SVG}}}")
    root.set("xmlns", _SVG)
    text = ET.tostring(root, encoding="unicode")
    head, end, rest = text.partition("</desc>")
    return f"{head}{end}{_ALONE}{rest}"
