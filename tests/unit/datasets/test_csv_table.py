from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.datasets import csv_table
from adjudge.datasets.base import BadRow, Source
from adjudge.errors import DataError


def read(path):
    return csv_table.read(Source(path))


# Everything a cell can hold; NUL is refused on purpose.
cells = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20)


def test_rows_come_with_the_line_that_they_begin_on(write):
    path = write("a.csv", 'q,a\r\n"eins\r\nzwei",x\r\n\r\n질문,"sagt ""ja"""\r\n')
    assert list(read(path)) == [
        (2, {"q": "eins\r\nzwei", "a": "x"}),
        (5, {"q": "질문", "a": 'sagt "ja"'}),
    ]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_the_delimiter_is_seen_in_the_header(write, delimiter):
    header = delimiter.join(['"a,b;c\td,e;f\tg"', "q", "a"])
    path = write("a.csv", f"{header}\n{delimiter.join('012')}\n")
    assert list(read(path)) == [(2, {"a,b;c\td,e;f\tg": "0", "q": "1", "a": "2"})]


def test_byte_order_mark_blank_lines_and_spaces_are_no_part_of_the_header(write):
    assert list(read(write("a.csv", "\ufeff\n\n q , a \n1,2\n"))) == [(4, {"q": "1", "a": "2"})]


def test_old_line_ends_are_understood(write):
    assert list(read(write("a.csv", "q,a\r1,2\r3,4\r"))) == [
        (2, {"q": "1", "a": "2"}),
        (3, {"q": "3", "a": "4"}),
    ]


def test_long_cells_are_fine(write):
    long = "x" * 1_000_000
    assert list(read(write("a.csv", f"q,a\n{long},2\n"))) == [(2, {"q": long, "a": "2"})]


def test_a_quote_in_an_unquoted_cell_is_a_character(write):
    assert list(read(write("a.csv", 'q,a\n5" pipe,2\n3,4\n'))) == [
        (2, {"q": '5" pipe', "a": "2"}),
        (3, {"q": "3", "a": "4"}),
    ]


@pytest.mark.parametrize(
    ("record", "words"),
    [
        ("1", "has 1 cell where the header has 2"),
        ("1,2,3", "has 3 cells where the header has 2"),
        ('"1"x,2', "broken quoting"),
        ("1,\0", "line 2 holds a NUL byte"),
    ],
)
def test_a_broken_row_is_a_value_and_reading_goes_on(write, record, words):
    bad, good = read(write("a.csv", f"q,a\n{record}\n3,4\n"))
    assert isinstance(bad, BadRow)
    assert bad.line == 2
    assert words in str(bad.why)
    assert good == (3, {"q": "3", "a": "4"})


def test_a_byte_that_is_not_utf8_is_named_with_its_place(write):
    content = 'q,a\n1,2\n"ä\n'.encode() + b"Gr\xfc\xdfe" + b'",x\n3,4\n'
    first, bad, last = read(write("a.csv", content))
    assert (first, last) == ((2, {"q": "1", "a": "2"}), (5, {"q": "3", "a": "4"}))
    assert isinstance(bad, BadRow)
    assert bad.line == 3
    assert "byte 0xFC at position 3 of line 4 is not UTF-8" in str(bad.why)


@pytest.mark.parametrize(
    ("record", "opened"),
    [
        ('"open,2\n5,6\n', 3),
        ('x,"open ""2""\n5,6\n', 3),
        ('"open\nsays ""5""\n', 3),
        ('"three\nlines","x\n5,6\n', 4),
        ('"three\nlines",\'\'\n"five\n', 5),
    ],
)
def test_a_quote_left_open_is_named_by_the_line_where_it_opened(write, record, opened):
    good, *_, bad = read(write("a.csv", f"q,a\n1,2\n{record}"))
    assert good == (2, {"q": "1", "a": "2"})
    assert isinstance(bad, BadRow)
    assert f"the quote opened on line {opened} is not closed" in str(bad.why)


def test_a_quote_left_open_does_not_swallow_the_file_for_ever(write, monkeypatch):
    monkeypatch.setattr(csv_table, "_LONGEST_CELL", 100)
    rows = list(read(write("a.csv", 'q,a\n"open,2\n' + "some text,4\n" * 20)))
    assert isinstance(rows[0], BadRow)
    assert "the quote opened on line 2" in str(rows[0].why)
    assert rows[-1] == (22, {"q": "some text", "a": "4"})


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("q,a,q\n1,2,3\n", "two columns are named 'q'"),
        (",q\n0,1\n", "column 1 has no name.*index=False"),
        ('q,"a\n1,2\n', "line 1: the header is broken: the quote opened on line 1"),
        ("q,a\0\n", "the header is broken: line 1 holds a NUL"),
        ("Frage;Gruß\n".encode("cp1252"), "the header is broken: byte 0xDF at position 10"),
        ("", "the file is empty"),
    ],
)
def test_a_file_wrong_as_a_whole_is_an_error_at_once(write, content, words):
    with pytest.raises(DataError, match=words):
        list(read(write("a.csv", content)))


def test_a_header_alone_has_no_rows(write):
    assert list(read(write("a.csv", "q,a\n"))) == []


@given(rows=st.lists(st.lists(cells, min_size=2, max_size=2), max_size=5))
def test_what_the_csv_module_writes_is_read_back(tmp_path_factory, rows):
    text = io.StringIO(newline="")
    csv.writer(text).writerows([["q", "a"], *rows])
    path = tmp_path_factory.mktemp("csv") / "a.csv"
    path.write_bytes(text.getvalue().encode())
    read_back = [row if isinstance(row, BadRow) else list(row[1].values()) for row in read(path)]
    assert read_back == rows
