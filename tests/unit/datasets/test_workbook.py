from __future__ import annotations

import datetime as dt
import re
import zipfile

import openpyxl
import pytest
from openpyxl.cell import WriteOnlyCell

from adjudge.core.reason import Reason
from adjudge.datasets import workbook
from adjudge.datasets.base import BadRow, Source, UnreadableCell
from adjudge.datasets.rows import scan
from adjudge.errors import DataError


@pytest.fixture
def book(tmp_path):
    """Saves a workbook of these sheets, each a list of rows; returns its path."""

    def book(**sheets):
        made = openpyxl.Workbook(write_only=True)
        for title, rows in sheets.items():
            sheet = made.create_sheet(title)
            for row in rows:
                sheet.append(row)
        made.save(tmp_path / "a.xlsx")
        return tmp_path / "a.xlsx"

    return book


def read(path, part=None):
    return list(workbook.read(Source(path, part)))


def test_rows_have_the_numbers_of_the_sheet_and_empty_ones_are_passed_over(book):
    path = book(One=[[], [" q ", "a"], ["질문", "답"], [None, None], ["x"], [], []])
    assert read(path) == [(3, {"q": "질문", "a": "답"}), (5, {"q": "x", "a": ""})]


def test_values_are_plain(book):
    day = dt.datetime(2024, 1, 2)  # noqa: DTZ001 - a cell has no zone
    moment = dt.datetime(2024, 1, 2, 3, 4, 5)  # noqa: DTZ001
    path = book(One=[list("abcdefg"), [1, 2.5, True, day.date(), moment, "=1+1", "7"]])
    ((_, row),) = read(path)
    # The formula was never calculated, so that no value lies beside it.
    unsaved = row.pop("f")
    assert isinstance(unsaved, UnreadableCell)
    assert unsaved == "a formula without a saved value"
    assert list(row.values()) == [1, 2.5, True, "2024-01-02", "2024-01-02T03:04:05", "7"]


def test_a_formula_without_a_saved_value_is_no_empty_answer(book, inputs):
    header = ["id", "question", "answer", "more"]
    rows = [["1", "q", "=a + b"], ["2", "q", None, "=x"], ["3", "q", "a"], ["4", "=q", "a"]]
    # More rows than are read at once, so that both readings must keep step.
    many = [[str(n), "q", "a" if n % 2 else None, "m"] for n in range(5, 700)]
    path = book(One=[header, *rows, *many, ["700", "q", "=late"]])
    plan = scan(path, [inputs], {}, skip_bad=True)
    remedy = "holds a formula without a saved value; open and save the workbook in a spreadsheet"
    assert [(str(bad.place), str(bad.why)) for bad in plan.problems] == [
        ("row 2", f"the field 'answer' from 'answer': {remedy} program"),
        ("row 5", f"the field 'question' from 'question': {remedy} program"),
        ("row 701", f"the field 'answer' from 'answer': {remedy} program"),
    ]
    assert (plan.rows, next(plan.items()).fields["answer"]) == (697, "")


def test_a_header_without_a_saved_value_is_an_error(book):
    with pytest.raises(DataError, match="row 1: the name of column B is a formula without a saved"):
        read(book(One=[["q", "=a"], ["1", "2"]]))


def _rewritten(path, pattern, to):
    """The workbook with another text in its sheet, for what openpyxl does not write."""
    with zipfile.ZipFile(path) as packed:
        parts = {name: packed.read(name) for name in packed.namelist()}
    with zipfile.ZipFile(path, "w") as out:
        for name, content in parts.items():
            out.writestr(name, re.sub(pattern, to, content) if "worksheets/" in name else content)
    return path


def test_an_empty_text_that_was_calculated_is_an_empty_text(book):
    path = book(One=[["q", "a"], ["x", '=IF(1,"","")']])
    saved = _rewritten(path, rb'<c r="B2"[^>]*>(<f>.*?</f>)<v ?/>', rb'<c r="B2" t="str">\1<v></v>')
    assert read(saved) == [(2, {"q": "x", "a": ""})]


def test_cells_may_leave_out_where_they_are(book):
    path = book(One=[["q", "a"], ["x", "=y"]])
    ((number, row),) = read(_rewritten(path, rb'(<(?:c|row)) r="[A-Z]*[0-9]+"', rb"\1"))
    assert (number, row["q"]) == (2, "x")
    assert isinstance(row["a"], UnreadableCell)


def test_a_time_is_shown_where_the_cell_shows_it(tmp_path):
    made = openpyxl.Workbook(write_only=True)
    sheet = made.create_sheet("One")
    sheet.append(["date", "moment"])
    cells = [WriteOnlyCell(sheet, dt.datetime(2024, 1, 2)) for _ in range(2)]  # noqa: DTZ001
    cells[0].number_format, cells[1].number_format = "yyyy-mm-dd", "yyyy-mm-dd hh:mm"
    sheet.append(cells)
    made.save(tmp_path / "a.xlsx")
    assert read(tmp_path / "a.xlsx") == [
        (2, {"date": "2024-01-02", "moment": "2024-01-02T00:00:00"})
    ]


def test_a_formula_counts_by_the_value_saved_with_it(book, tmp_path):
    path = book(One=[["q", "a"], ["=1+1", '=CONCAT("a","b")']])
    # As Excel saves it: the value beside the formula.
    with zipfile.ZipFile(path) as packed:
        parts = {name: packed.read(name) for name in packed.namelist()}
    (sheet,) = [name for name in parts if "worksheets/" in name]
    text = parts[sheet].decode()
    for value in ("2", "ab"):
        kind = "" if value == "2" else ' t="str"'
        text = re.sub(r'<c r="(\w+)"[^>]*><f>([^<]*)</f><v ?/></c>',
                      rf'<c r="\1"{kind}><f>\2</f><v>{value}</v></c>', text, count=1)  # fmt: skip
    parts[sheet] = text.encode()
    with zipfile.ZipFile(tmp_path / "b.xlsx", "w") as out:
        for name, content in parts.items():
            out.writestr(name, content)
    assert read(tmp_path / "b.xlsx") == [(2, {"q": 2, "a": "ab"})]


def test_the_error_of_a_formula_is_no_text(book):
    ((_, row),) = read(book(One=[["q"], ["#DIV/0!"]]))
    assert isinstance(row["q"], UnreadableCell)
    assert row["q"] == "the error #DIV/0!"


def test_an_error_feeds_neither_an_input_nor_an_id(book, inputs):
    header = ["id", "question", "answer", "more"]
    path = book(One=[header, ["#REF!", "q", "a"], ["2", "#N/A", "a"], ["3", "q", "a", "#REF!"]])
    plan = scan(path, [inputs], {}, skip_bad=True)
    assert [item.id for item in plan.items()] == ["3"]
    assert [(str(bad.place), str(bad.why)) for bad in plan.problems] == [
        ("row 2", "the id from 'id': holds the error #REF!; write text"),
        ("row 3", "the field 'question' from 'question': holds the error #N/A; write text"),
    ]


def test_of_several_sheets_one_must_be_chosen(book):
    path = book(Empty=[], One=[["q"], ["1"]], Two=[["q"], ["2"]])
    with pytest.raises(DataError, match=r"sheets are 'One', 'Two'; choose one: '.*a\.xlsx#One'"):
        read(path)
    assert read(path, "Two") == [(2, {"q": "2"})]
    with pytest.raises(DataError, match="no sheet 'Three'; the sheets are 'Empty', 'One', 'Two'"):
        read(path, "Three")
    with pytest.raises(DataError, match="the sheet is empty"):
        read(path, "Empty")


def test_empty_sheets_do_not_count(book):
    assert read(book(Empty=[[]], One=[["q"], ["1"]], Last=[])) == [(2, {"q": "1"})]
    with pytest.raises(DataError, match="the workbook is empty"):
        read(book(Empty=[]))


def test_a_cell_without_a_header_is_the_fault_of_its_row(book):
    bad, good = read(book(One=[["q", "a"], ["1", "2", "3"], ["4", "5"]]))
    assert bad == BadRow(2, Reason("rows.no_header", cell="C2"))
    assert good == (3, {"q": "4", "a": "5"})


@pytest.mark.parametrize(
    ("header", "words"),
    [(["q", None, "a"], "row 1: column B has no name"), (["q", "q "], "two columns are named 'q'")],
)
def test_a_wrong_header_is_an_error(book, header, words):
    with pytest.raises(DataError, match=words):
        read(book(One=[header, ["1"]]))


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 nothing", b"\xd0\xcf\x11\xe0 old or locked"])
def test_what_is_no_workbook_is_an_error(write, content):
    with pytest.raises(DataError, match=r"not a workbook that can be read \(.*save it as \.xlsx"):
        read(write("a.xlsx", content))


def test_decorations_that_openpyxl_does_not_know_say_nothing(tmp_path):
    import warnings

    made = openpyxl.Workbook()
    made.active.append(["q"])
    made.active.append([1])
    made.active["A2"].number_format = "yyyy-mm-dd"
    made.active["A2"].value = 10**9  # no date that there is: openpyxl warns
    made.save(tmp_path / "a.xlsx")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(read(tmp_path / "a.xlsx")) == 1
