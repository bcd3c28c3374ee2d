from __future__ import annotations

import csv
import io
import re

from hypothesis import given
from hypothesis import strategies as st

from adjudge.reports.blocks import Folded, Lines, Section, Table
from adjudge.reports.renderers.tables import as_csv, as_latex, latex

PAGE = [
    Section(
        "Agreement & more",
        [
            Lines(["not a table"]),
            Table(["criterion", "Spearman", "n"], [["a_b", "0.62 [0.48, 0.74]", "1,200"]]),
            Folded(Table(["=x", "p"], [["=1+1", "–"], ["50% {of} #1", "<0.001"]])),
        ],
    )
]


def test_latex() -> None:
    text = as_latex(PAGE)
    assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") == 2
    assert r"\begin{tabular}{lrr}" in text
    assert r"\caption{Agreement \& more}" in text
    assert r"a\_b & 0.62 [0.48, 0.74] & 1,200 \\" in text
    assert r"50\% \{of\} \#1 & \textless{}0.001 \\" in text
    assert text.index(r"\toprule") < text.index(r"\midrule") < text.index(r"\bottomrule")
    assert "not a table" not in text


@given(st.text())
def test_no_text_is_a_command(text: str) -> None:
    rest = re.sub(
        r"\\text\w+\{\}|\\ldots\{\}|\$\\(?:rightarrow|geq|leq)\$|\\[{}&%$#_]", "", latex(text)
    )
    assert not set(rest) & set("\\{}&%$#_^~")


def test_a_row_that_begins_with_a_bracket_is_no_argument() -> None:
    assert "{[x]} & 1" in as_latex([Table(["a", "b"], [["[x]", "1"]])])


def test_csv_gives_intervals_three_columns() -> None:
    (head, row) = csv.reader(io.StringIO(as_csv([PAGE[0].blocks[1]])))
    assert head == ["criterion", "Spearman", "Spearman low", "Spearman high", "n"]
    assert row == ["a_b", "0.62", "0.48", "0.74", "1,200"]


def test_csv_has_no_formula() -> None:
    rows = list(csv.reader(io.StringIO(as_csv(PAGE))))
    assert rows[0] == ["Agreement & more"]
    assert ["'=x", "p"] in rows
    assert ["'=1+1", ""] in rows
    signed = as_csv([Table(["x", "difference"], [["y", "-0.30 [-0.50, -0.10]"], ["-z", "-1"]])])
    assert signed.splitlines()[1:] == ["y,-0.30,-0.50,-0.10", "'-z,-1,,"]
