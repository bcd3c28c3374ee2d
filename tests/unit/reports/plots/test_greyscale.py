"""Plots are read in grey as well, on paper and on light and dark screens.

What is told apart differs in shape, hatching or size; beside the colour of the text there is one
only, and it stands off from text and paper in luminance.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from adjudge.reports.plots.agreement import confusion_plot
from adjudge.reports.plots.distribution import Bar
from adjudge.reports.plots.intervals import CorrectedRow, ProbeRow, corrected_plot, probes_plot
from adjudge.reports.plots.sheet import ACCENT
from adjudge.reports.renderers.html import report_styles
from adjudge.stats.stat import Stat

from .test_laws import NAMES, PLOTS, SOME, SVG, WORDS, Draw, counted, every_plot, parsed

NONE = Stat(None)
# What WCAG 2.2 asks of marks beside what is next to them (1.4.11), and of text (1.4.3).
MARKS, TEXT = 3.0, 4.5
STEPS = 1.4  # between depths of a field that stand for shares of none, half and all
_HEX = "(#[0-9a-f]{3}|#[0-9a-f]{6})"
INKS = re.findall(f"--ink: {_HEX};", report_styles())
PAPERS = re.findall(f"--paper: {_HEX};", report_styles())
in_both_schemes = pytest.mark.parametrize(
    ("ink", "page"), list(zip(INKS, PAPERS, strict=True)), ids=["light", "dark"]
)


def channels(colour: str) -> list[float]:
    """Red, green and blue, 0-1; #fff is short for #ffffff."""
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    return [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]


def luminance(shares: list[float]) -> float:
    """Relative luminance as in WCAG."""
    linear = [s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: list[float], b: list[float]) -> float:
    """From 1, the same grey, to 21, black on white."""
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


def over(page: str, depth: float) -> list[float]:
    """The accent of this opacity on the page."""
    pairs = zip(channels(ACCENT), channels(page), strict=True)
    return [depth * top + (1 - depth) * under for top, under in pairs]


def looks(element: ET.Element, around: str = "none") -> Iterator[tuple[str, str]]:
    """Fill and stroke of everything, strokes as they come down from groups."""
    stroke = element.get("stroke", around)
    if "fill" in element.attrib:
        yield element.attrib["fill"], stroke
    for child in element:
        yield from looks(child, stroke)


def depths(svg: str) -> list[float]:
    """How opaque the fields of a plot are."""
    filled = [each for each in parsed(svg).iter(f"{SVG}path") if each.get("fill") == ACCENT]
    return [float(each.get("opacity", "1")) for each in filled]


def marks(svg: str) -> Counter[str]:
    """How often each outline is drawn."""
    root = parsed(svg)
    outlines = {f"#{path.get('id')}": path.get("d", "") for path in root.iter(f"{SVG}path")}
    return Counter(outlines[mark.get("href", "")] for mark in root.iter(f"{SVG}use"))


def assert_told_apart(hollow: str, full: str) -> None:
    """Each has an outline that the other has less of, and one has dashes."""
    assert marks(hollow) - marks(full)
    assert marks(full) - marks(hollow)
    assert ("stroke-dasharray" in hollow, "stroke-dasharray" in full) == (True, False)


def test_the_schemes_are_found() -> None:
    """Of text and page; plots that stand alone have the same colours of text."""
    assert len(INKS) == len(PAPERS) == 2
    alone = re.findall(r"svg{color:(#\w+)}", PLOTS["means"](WORDS, NAMES[:1]))
    assert alone == INKS


@every_plot
def test_there_is_one_colour_beside_that_of_text(draw: Draw) -> None:
    svg = draw(WORDS, NAMES[:3])
    used = {
        value for each in parsed(svg).iter() for value in (each.get("fill"), each.get("stroke"))
    }
    hatched = {value for value in used if value and value.startswith("url(#")}
    assert used - hatched <= {None, "none", "currentColor", ACCENT}


@in_both_schemes
def test_it_stands_off_from_text_and_page(ink: str, page: str) -> None:
    assert contrast(channels(ACCENT), channels(page)) >= MARKS
    assert contrast(channels(ACCENT), channels(ink)) >= MARKS


@every_plot
def test_what_is_filled_has_an_outline(draw: Draw) -> None:
    """But the fields of a table, whose counts are written in them."""
    if draw is not PLOTS["confusion"]:
        found = looks(parsed(draw(WORDS, NAMES[:3])))
        assert {stroke for fill, stroke in found if fill == ACCENT} <= {"currentColor"}


@in_both_schemes
def test_fields_of_a_table_have_steps_that_show(ink: str, page: str) -> None:
    half, all_ = sorted(set(depths(confusion_plot("ab", np.array([[1, 0], [1, 2]]), WORDS))))
    for less, more in ((0.0, half), (half, all_)):
        assert contrast(over(page, less), over(page, more)) >= STEPS
    assert contrast(channels(ink), over(page, all_)) >= TEXT


def test_the_unscored_are_hatched() -> None:
    bars = [Bar("1", 3)]
    scored, both = (looks(parsed(counted(bars, WORDS, n))) for n in (0, 3))
    assert not [fill for fill, _ in scored if fill.startswith("url(#")]
    assert [fill for fill, _ in both if fill.startswith("url(#")]


def test_both_means_have_shapes_of_their_own() -> None:
    raw = corrected_plot([CorrectedRow("a", SOME, NONE)], WORDS)
    assert_told_apart(raw, corrected_plot([CorrectedRow("a", NONE, SOME)], WORDS))


def test_probes_that_do_harm_have_a_shape_of_their_own() -> None:
    fine = probes_plot([ProbeRow("a", SOME, 0.1, "fine")], WORDS)
    assert_told_apart(fine, probes_plot([ProbeRow("a", SOME, 0.1, "bad")], WORDS))
