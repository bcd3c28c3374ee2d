from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.core.score import Outcome, Score
from adjudge.reports.files.text import write_csv

DANGEROUS = tuple("=+-@＝＋－＠")
texts = st.text(st.characters(codec="utf-8"), max_size=12)


def table(*rows):
    out = io.BytesIO()
    write_csv(lambda: iter(rows), out)
    assert not out.closed
    text = out.getvalue().decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))


def cell(value):
    return table({"item": value, "run": "r"})[0]["item"]


def test_columns_stand_in_the_order_of_a_row_whatever_rows_come_first(make_row):
    other = make_row(
        scores={"fluency": Score(outcome=Outcome.SCORED, value=-1)}, flags={}, feedback={}
    )
    header = list(table(other, make_row())[0])
    assert header[:7] == ["run", "item", "judge", "fingerprint", "model", "repeat", "outcome"]
    sections = [name.partition(".")[0] for name in header]
    assert sections.index("feedback") > len(sections) - 1 - sections[::-1].index("scores")
    assert header[-1] == "reply"
    assert {"scores.fluency.value", "scores.accuracy.value"} <= set(header)


def test_the_file_begins_with_a_mark_so_that_spreadsheets_see_utf8(make_row):
    out = io.BytesIO()
    write_csv(lambda: iter([make_row()]), out)
    assert out.getvalue().startswith(b"\xef\xbb\xbfrun,item,")
    assert "Sai số liệu." in out.getvalue().decode()


@pytest.mark.parametrize(
    "text",
    [
        *(f"{sign}cmd|' /C calc'!A0" for sign in DANGEROUS),
        "\t=1",
        "\rx",
        "\nx",
        "  =1",
        '"=1',
        "'=1",
        "\u200b=1",
        "\ufeff+1",
        "\u3000@x",
        "-5",
    ],
)
def test_what_looks_like_a_formula_gets_an_apostrophe(text):
    assert cell(text) == f"'{text}"


@pytest.mark.parametrize("text", ["a=b", "점수: -1", "", "5", "'quoted'", "<b>"])
def test_other_texts_stay(text):
    assert cell(text) == text


@pytest.mark.parametrize(
    ("value", "written"),
    [(-1, "-1"), (-0.5, "-0.5"), (True, "true"), (False, "false"), (None, "")],
)
def test_numbers_are_never_escaped(value, written):
    assert cell(value) == written


def undo(written):
    rest = written.removeprefix("'")
    return rest if rest != written and cell(rest) != rest else written


@given(texts)
def test_taking_the_apostrophe_off_gives_the_text_back(text):
    written = cell(text)
    assert written in (text, f"'{text}")
    assert not written.lstrip().startswith(DANGEROUS)
    assert undo(written) == text
