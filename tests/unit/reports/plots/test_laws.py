"""What holds for every plot, whatever it shows."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from xml.etree import ElementTree as ET

import matplotlib as mpl
import numpy as np
import pytest

from adjudge.reports.plots.agreement import confusion_plot, scatter_plot
from adjudge.reports.plots.distribution import Bar, Series, distribution_plot
from adjudge.reports.plots.intervals import (
    CorrectedRow,
    ProbeRow,
    StatRow,
    agreement_plot,
    corrected_plot,
    differences_plot,
    interval_plot,
    probes_plot,
)
from adjudge.reports.plots.svg import INK, PlotWords, inline
from adjudge.reports.plots.trend import TrendMark, trend_plot
from adjudge.stats.stat import Stat

SVG = "{http://www.w3.org/2000/svg}"
WORDS = PlotWords("Title", "x axis", "y axis", "What is seen.")
KOREAN = PlotWords(
    "점수 분포: 정확성", "점수", "문항 수", "점수별 문항 수입니다.", unscored="미채점"
)
HOSTILE = "</text></svg><script>alert(1)</script> $x_1^2$ t0 \x1b\x00\ud800 \u202eabc & \"'"
NAMES = ("accuracy", "정확성", "độ chính xác", HOSTILE)
SOME = Stat(0.4, 0.1, 0.7)


def counted(bars: Sequence[Bar], words: PlotWords, unscored: int = 0) -> str:
    """The distribution of one criterion alone."""
    return distribution_plot([Series("", bars, unscored)], words)


Draw = Callable[[PlotWords, tuple[str, ...]], str]
PLOTS: dict[str, Draw] = {
    "distribution": lambda w, names: distribution_plot(
        [Series("", [Bar(n, 3) for n in names], 2)], w
    ),
    "overlay": lambda w, names: distribution_plot(
        [Series(n, [Bar(n, 3), Bar("2", at)], at) for at, n in enumerate(names)][:4], w
    ),
    "means": lambda w, names: interval_plot([StatRow(n, SOME, n) for n in names], w, span=(0, 1)),
    "confusion": lambda w, names: confusion_plot(names, np.eye(len(names), dtype=np.intp), w),
    "scatter": lambda w, _: scatter_plot(np.array([1.0, 2, 2]), np.array([1.0, 3, 3]), (1, 5), w),
    "corrected": lambda w, names: corrected_plot(
        [CorrectedRow(n, SOME, Stat(0.3)) for n in names], w
    ),
    "differences": lambda w, names: differences_plot([StatRow(n, SOME) for n in names], w),
    "probes": lambda w, names: probes_plot([ProbeRow(n, SOME, 0.1, "bad") for n in names], w),
    "agreement": lambda w, names: agreement_plot([StatRow(n, SOME) for n in names], w, (0.4, 0.6)),
    "trend": lambda w, names: trend_plot(
        [TrendMark(at, n, n, SOME, n) for at, n in enumerate(names)], w
    ),
}
every_plot = pytest.mark.parametrize("draw", PLOTS.values(), ids=PLOTS)


def parsed(svg: str) -> ET.Element:
    return ET.fromstring(svg)  # noqa: S314 - made here


def texts(svg: str) -> list[str]:
    return [each.text or "" for each in parsed(svg).iter(f"{SVG}text")]


@every_plot
def test_it_is_told_in_words(draw: Draw) -> None:
    root = parsed(draw(WORDS, NAMES[:1]))
    assert root.get("role") == "img"
    assert [(each.tag, each.text) for each in root][:2] == [
        (f"{SVG}title", "Title"),
        (f"{SVG}desc", "What is seen."),
    ]
    shown = texts(draw(WORDS, NAMES[:1]))
    assert {"Title", "x axis"} <= set(shown)


@every_plot
def test_hostile_names_stay_text(draw: Draw) -> None:
    words = replace(WORDS, title=HOSTILE, x=HOSTILE, seen=HOSTILE, limit=HOSTILE, raw=HOSTILE)
    svg = draw(words, (HOSTILE, "b", HOSTILE + "2"))
    for each in parsed(svg).iter():
        assert each.tag.removeprefix(SVG) in {
            *("svg", "title", "desc", "style", "g", "defs", "path", "use", "text"),
            *("clipPath", "rect", "pattern"),
        }
        assert not [name for name in each.attrib if name.startswith("on") or name == "style"]
        assert (each.get("href") or "#").startswith("#")
    assert any("<script>alert(1)" in text for text in texts(svg))


@every_plot
def test_nothing_is_loaded_from_elsewhere(draw: Draw) -> None:
    svg = draw(WORDS, NAMES[:3]).replace('xmlns="http://www.w3.org/2000/svg"', "", 1)
    assert not re.search(r"https?:|@import|<!|<\?|url\((?!#)|data:", svg)


@every_plot
def test_the_same_data_are_the_same_text(draw: Draw) -> None:
    assert draw(KOREAN, NAMES) == draw(KOREAN, NAMES)


@every_plot
def test_threads_do_not_meet(draw: Draw) -> None:
    """Each draws with words of its own."""
    many = [replace(WORDS, title=f"Title {n}") for n in range(4)]
    alone = [draw(words, NAMES) for words in many]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda words: draw(words, NAMES), many)) == alone


@every_plot
def test_other_scripts_stand_as_they_are(draw: Draw) -> None:
    """Matplotlib's own fonts lack them; a warning would fail the test."""
    assert {KOREAN.title, KOREAN.x} <= set(texts(draw(KOREAN, NAMES)))


@every_plot
def test_texts_are_in_the_readers_fonts(draw: Draw) -> None:
    root, *others = parsed(draw(WORDS, NAMES[:2])).iter()
    assert "Noto Sans KR" in root.get("font-family", "")
    assert not [each for each in others if "font-family" in each.attrib]


@every_plot
def test_marks_have_their_places(draw: Draw) -> None:
    """Themselves: a group hands none down."""
    root = parsed(draw(WORDS, NAMES[:3]))
    assert not [group for group in root.iter(f"{SVG}g") if {"x", "y"} & set(group.attrib)]
    assert all({"x", "y"} <= set(mark.attrib) for mark in root.iter(f"{SVG}use"))


@every_plot
def test_light_and_dark(draw: Draw) -> None:
    svg = draw(WORDS, NAMES[:2])
    assert "prefers-color-scheme:dark" in svg
    assert INK not in svg
    assert "currentColor" in svg
    assert "<style" not in inline(svg)


@every_plot
def test_nothing_to_show(draw: Draw) -> None:
    """An empty frame is still a picture."""
    assert parsed(draw(WORDS, ())).get("role") == "img"


@every_plot
def test_it_is_small(draw: Draw) -> None:
    names = tuple(f"criterion {n}" for n in range(12))
    assert len(draw(WORDS, names).encode()) < 40_000


def test_the_users_own_settings_stay() -> None:
    with mpl.rc_context({"svg.fonttype": "path", "axes.edgecolor": "red", "font.size": 30}):
        before = dict(mpl.rcParams)
        svg = PLOTS["means"](WORDS, NAMES)
        assert dict(mpl.rcParams) == before
    assert svg == PLOTS["means"](WORDS, NAMES)
