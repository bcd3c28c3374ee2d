"""What single plots show."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from adjudge.reports.plots.agreement import confusion_plot, scatter_plot
from adjudge.reports.plots.distribution import Bar
from adjudge.reports.plots.intervals import (
    CorrectedRow,
    ProbeRow,
    StatRow,
    corrected_plot,
    interval_plot,
    probes_plot,
)
from adjudge.reports.plots.sheet import LINE, cells, fitted, in_two
from adjudge.reports.plots.trend import TrendMark, trend_plot
from adjudge.stats.stat import Stat

from .test_laws import SOME, SVG, WORDS, counted, parsed, texts


def marks(svg: str) -> int:
    return len(list(parsed(svg).iter(f"{SVG}use")))


def turned(svg: str) -> list[str | None]:
    found = parsed(svg).iter(f"{SVG}text")
    return [each.text for each in found if "rotate(-90" in each.get("transform", "")]


def size(svg: str) -> tuple[float, float]:
    root = parsed(svg)
    return float(root.get("width", "")), float(root.get("height", ""))


def test_a_long_title_takes_two_lines() -> None:
    """And everything else has the place below it that it had."""
    title = "Clarity (Sự rõ ràng trong trình bày): how the scores are spread"
    for narrow in (False, True):
        words = replace(WORDS, narrow=narrow)
        short = counted([Bar("1", 4)], words)
        long = counted([Bar("1", 4)], replace(words, title=title))
        assert size(long)[1] - size(short)[1] == pytest.approx(19)
        assert " ".join(texts(long)).endswith(title)
        assert not [text for text in texts(long) if "…" in text]


class TestDistribution:
    def test_counts_are_written(self) -> None:
        shown = texts(counted([Bar("1", 1234), Bar("2", 0)], WORDS))
        assert {"1,234", "0", "1", "2"} <= set(shown)
        assert "unscored" not in shown

    def test_the_unscored_stand_apart_and_are_hatched(self) -> None:
        without, with_some = (counted([Bar("1", 4)], WORDS, n) for n in (0, 7))
        assert "<pattern" not in without
        assert "<pattern" in with_some
        assert {"unscored", "7"} <= set(texts(with_some))

    def test_long_names_lie(self) -> None:
        """The axis of the counts then is the lower one, and the other one is turned."""
        upright = counted([Bar(f"{n}", n) for n in range(5)], WORDS)
        lying = counted([Bar(f"a rather long name {n}", n) for n in range(5)], WORDS)
        assert turned(upright) == ["y axis"]
        assert turned(lying) == ["x axis"]

    def test_many_names_are_put_together(self) -> None:
        shown = texts(counted([Bar(f"name {n}", 1) for n in range(300)], WORDS))
        assert "… +261" in shown
        assert "261" in shown


class TestIntervals:
    def test_figures_stand_behind_the_rows(self) -> None:
        rows = [StatRow("tone", Stat(0.5, 0.25, 0.75), "n 9"), StatRow("gone", Stat(None))]
        shown = texts(interval_plot(rows, WORDS))
        assert {"0.50 [0.25, 0.75] · n 9", "–"} <= set(shown)

    def test_what_has_no_figure_has_no_mark(self) -> None:
        alone = interval_plot([StatRow("a", Stat(0.5))], WORDS, span=(0, 1))
        none = interval_plot([StatRow("a", Stat(None))], WORDS, span=(0, 1))
        assert marks(alone) == marks(none) + 1

    def test_many_rows_are_counted(self) -> None:
        shown = texts(interval_plot([StatRow(f"r{n}", Stat(n / 100)) for n in range(90)], WORDS))
        assert "… +51" in shown
        assert "r38" in shown
        assert "r39" not in shown

    def test_long_figures_leave_room_for_the_frame(self) -> None:
        stat = Stat(-123456.78, -234567.89, 345678.91)
        svg = interval_plot([StatRow("a name " * 9, stat, "n 100,000, unscored 100,000")], WORDS)
        assert size(svg)[0] > 700

    def test_both_means(self) -> None:
        rows = [CorrectedRow("tone", Stat(3.0, 2.5, 3.5), Stat(None))]
        shown = texts(corrected_plot(rows, WORDS, (1, 5)))
        assert {"judge's mean", "corrected mean", "3.00 [2.50, 3.50]", "–"} <= set(shown)

    def test_probes_are_in_percent(self) -> None:
        shown = texts(probes_plot([ProbeRow("order", Stat(0.3, 0.2, 0.4), 0.1, "bad")], WORDS))
        assert {"limit", "30% [20%, 40%]"} <= set(shown)


class TestTrend:
    def test_a_line_per_model(self) -> None:
        one = [TrendMark(at, f"{at} Nov", "m", SOME) for at in range(3)]
        two = [*one, *(replace(mark, line="n") for mark in one)]
        assert _trend_lines(trend_plot(one, WORDS)) == [3]
        assert _trend_lines(trend_plot(two, WORDS)) == [3, 3]
        assert not {"m", "n"} & set(texts(trend_plot(one, WORDS)))
        assert {"m", "n"} <= set(texts(trend_plot(two, WORDS)))

    def test_a_change_is_marked_once_for_all_models(self) -> None:
        marks = [TrendMark(1, "2 Nov", line, SOME, "judge changed") for line in "mn"]
        marks = [TrendMark(0, "1 Nov", "m", SOME), *marks]
        assert texts(trend_plot(marks, WORDS)).count("judge changed") == 1

    def test_many_names_take_several_lines(self) -> None:
        few, many = (
            trend_plot([TrendMark(0, "1 Nov", f"a long model name {n}", SOME) for n in of], WORDS)
            for of in (range(2), range(9))
        )
        assert size(many)[1] > size(few)[1]


def _trend_lines(svg: str) -> list[int]:
    """How many points each line from run to run has."""
    drawn = [each for each in parsed(svg).iter() if each.get("stroke-opacity") == "0.5"]
    return [len(re.findall("[ML]", each.get("d", ""))) for each in drawn]


class TestScatter:
    def test_equal_pairs_are_one_mark(self) -> None:
        people, judge = np.array([1.0, 1, 1, 4]), np.array([2.0, 2, 2, 4])
        svg = scatter_plot(people, judge, (1, 4), WORDS)
        assert {"items: 1", "items: 3"} <= set(texts(svg))

    def test_marks_in_a_row_have_places_of_their_own(self) -> None:
        root = parsed(scatter_plot(np.array([2.0, 2, 2]), np.array([1.0, 3, 4]), (1, 4), WORDS))
        paths = list(root.iter(f"{SVG}path"))
        round_ones = {f"#{path.get('id')}" for path in paths if " C " in path.get("d", "")}
        marks = [each for each in root.iter(f"{SVG}use") if each.get("href") in round_ones]
        assert len({(mark.get("x"), mark.get("y")) for mark in marks}) == 4  # one is the key
        assert None not in {mark.get("x") for mark in marks}

    def test_many_points_stay_small(self) -> None:
        chance = np.random.default_rng(0)
        people, judge = chance.uniform(0, 10, (2, 20_000))
        svg = scatter_plot(people, judge, (0, 10), WORDS)
        assert len(svg.encode()) < 40_000
        assert marks(svg) > 300

    def test_points_off_the_grid_are_not_lost(self) -> None:
        chance = np.random.default_rng(0)
        values = np.append(chance.uniform(0, 10, 999), 10.0)
        svg = scatter_plot(values, values, (0, 10), WORDS)
        told = [text for text in texts(svg) if text.startswith("items: ")]
        assert told


class TestConfusion:
    def test_long_names_stand_on_two_lines(self) -> None:
        names = ["1 terrible", "4 excellent", "5 beyond all that was hoped for"]
        shown = texts(confusion_plot([*names, "a", "b", "c"], np.eye(6, dtype=np.intp), WORDS))
        assert {"1 terrible", "excellent"} <= set(shown)
        plain = confusion_plot(["a", "b"], np.eye(2, dtype=np.intp), WORDS)
        named = confusion_plot(["a", "much too long"], np.eye(2, dtype=np.intp), WORDS)
        assert size(named)[1] == size(plain)[1] + LINE

    def test_counts_stand_in_cells(self) -> None:
        counts = np.array([[11, 0], [3, 1700]])
        shown = texts(confusion_plot(["yes", "no"], counts, WORDS))
        assert {"11", "0", "3", "1,700", "yes", "no"} <= set(shown)

    def test_the_diagonal_is_marked(self) -> None:
        svg = confusion_plot(["a", "b", "c"], np.ones((3, 3), dtype=np.intp), WORDS)
        assert svg.count('stroke-width="2"') == 3


@pytest.mark.parametrize(
    ("text", "most", "shown"),
    [
        ("short", 10, "short"),
        ("two\nlines ", 20, "two lines"),
        ("abcdefghij", 5, "abcd…"),
        ("정확성 평가", 6, "정확…"),
        ("e\u0301e\u0301e\u0301", 3, "e\u0301e\u0301e\u0301"),
    ],
)
def test_names_are_cut_by_their_width(text: str, most: int, shown: str) -> None:
    assert fitted(text, most) == shown
    assert cells(fitted(text, most)) <= most


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("3 helpful", ["3 helpful"]),
        ("4 excellent", ["4", "excellent"]),
        ("not at all relevant", ["not at all", "relevant"]),
        ("incomprehensible", ["incompreh…"]),
        ("2 도움이 되지 않음", ["2 도움이", "되지 않음"]),
        ("", [""]),
    ],
)
def test_names_on_two_lines(text: str, shown: list[str]) -> None:
    assert in_two(text, 10) == shown
