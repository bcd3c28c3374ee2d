from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.cli.output import report_paths
from adjudge.core.reason import Reason
from adjudge.errors import UsageError
from adjudge.reports.blocks import Heading, Lines, Quote, Table
from adjudge.reports.figures import number, p_value, percent, signed
from adjudge.reports.files.whole_file import write_text
from adjudge.reports.renderers.markdown import as_markdown
from adjudge.reports.renderers.notebook import as_cell
from adjudge.reports.renderers.terminal import as_text
from adjudge.stats.stat import Stat

PAGE = [
    Heading("A <b>page</b>"),
    Lines(["One line.", "Another\x1b[31m line."]),
    Lines([]),
    Table(["name", "value"], [["a|b", "[x](http://y)"], ["한글", "2"]]),
    Table(["empty"], []),
    Quote("r1, A 2", "word " * 300),
]


def test_text() -> None:
    shown = as_text(PAGE)
    assert "\x1b" not in shown
    assert "empty" not in shown
    assert "한글" in shown
    assert max(map(len, shown.splitlines())) <= 96
    assert shown.endswith("…")


def test_lines_of_a_file_stay_as_they_are() -> None:
    page = [Quote("a.yaml", "-  guide: *a*\n+  guide: </pre><b>\x1b[31m\n", code=True)]
    assert as_text(page) == "  a.yaml\n    -  guide: *a*\n    +  guide: </pre><b>\\x1b[31m"
    assert "\n\n    -  guide: *a*\n    +  guide: </pre><b>" in as_markdown(page)
    assert "<pre>-  guide: *a*\n+  guide: &lt;/pre&gt;&lt;b&gt;" in as_cell(page)


def test_markdown_obeys_no_text() -> None:
    shown = as_markdown(PAGE)
    assert "## A &lt;b&gt;page&lt;/b&gt;" in shown
    assert "| a\\|b | \\[x\\](http://y) |" in shown
    assert "empty" not in shown


def test_commands_can_be_copied() -> None:
    lines = [
        "Next: hold later runs to it: adjudge run … --gate 'a_b.corrected>=4.5'.",
        "See why: adjudge show 3f2a9c11; if so, adjudge label 3f2a9c11 --pick random.",
        "as adjudge does <b>; adjudge show `--x` *y*",
    ]
    assert as_markdown([Lines(lines)]) == (
        "- Next: hold later runs to it: `adjudge run … --gate 'a_b.corrected>=4.5'`.\n"
        "- See why: `adjudge show 3f2a9c11`; if so, `adjudge label 3f2a9c11 --pick random`.\n"
        "- as adjudge does &lt;b&gt;; adjudge show \\`--x\\` \\*y\\*\n"
    )


def test_a_file_is_markdown_or_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"write the page as \.md, or its tables as"):
        report_paths([str(tmp_path / "page.html")])
    with pytest.raises(UsageError, match="is not there"):
        report_paths([str(tmp_path / "none" / "page.md")])
    write_text(tmp_path / "page.md", as_markdown(PAGE))
    assert (tmp_path / "page.md").read_text("utf-8") == as_markdown(PAGE)
    assert [path.name for path in tmp_path.iterdir()] == ["page.md"]


def test_figures() -> None:
    assert signed(Stat(0.3, 0.12, 0.48)) == "+0.30 [+0.12, +0.48]"
    assert signed(Stat(-0.3, why=Reason.of("no interval"))) == "-0.30"
    assert percent(Stat(0.125, 0.05, 0.24)) == "12% [5%, 24%]"
    assert (percent(Stat(None)), signed(Stat(None)), number(None)) == ("–", "–", "–")
    assert (p_value(0.0004), p_value(0.0324), p_value(None)) == ("<0.001", "0.032", "–")
    assert (number("tie"), number(2)) == ("tie", "2.00")
