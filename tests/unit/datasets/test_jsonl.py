from __future__ import annotations

import pytest

from adjudge.datasets import jsonl
from adjudge.datasets.base import BadRow, Source
from adjudge.errors import DataError


def read(path):
    return jsonl.read(Source(path))


def test_objects_come_with_their_lines(write):
    path = write("a.jsonl", '{"q": "질문"}\n\n  \r\n{"q": "câu hỏi"}\r\n{"q": 3}')
    assert list(read(path)) == [(1, {"q": "질문"}), (4, {"q": "câu hỏi"}), (5, {"q": 3})]


def test_byte_order_mark_is_no_content(write):
    assert list(read(write("a.jsonl", '\ufeff{"q": 1}\n'))) == [(1, {"q": 1})]


def test_a_line_separator_inside_a_text_ends_no_line(write):
    assert list(read(write("a.jsonl", '{"q": "a\u2028b\x85c"}\n'))) == [(1, {"q": "a\u2028b\x85c"})]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"q": 1', "broken JSON at column"),
        ('{"q": Infinity}', "broken JSON at column"),
        ('{"q": NaN, "r": Infinity}', "broken JSON at column"),
        ('{"q": NaN', "broken JSON at column"),
        ('{"q": "\\ud800"}', "broken JSON at column"),
        ("[1, 2]", "is a list, not an object; write one {…} a line"),
        ('"text"', "is a text"),
        ("null", "is null"),
        ("true", "is true or false"),
        ("3.5", "is a number"),
    ],
)
def test_a_broken_line_is_a_value_and_reading_goes_on(write, line, words):
    bad, good = read(write("a.jsonl", f'{line}\n{{"q": 1}}\n'))
    assert isinstance(bad, BadRow)
    assert bad.line == 1
    assert words in str(bad.why)
    assert good == (2, {"q": 1})


def test_a_byte_that_is_not_utf8_is_named_with_its_place(write):
    good, bad = read(write("a.jsonl", b'{"q": "ok"}\n{"q": "Gr\xfc\xdfe"}\n'))
    assert good == (1, {"q": "ok"})
    assert isinstance(bad, BadRow)
    assert bad.line == 2
    assert "byte 0xFC at position 10" in str(bad.why)
    assert "UTF-8" in str(bad.why)
    assert "--encoding cp1252" in str(bad.why)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "the file is empty"),
        (b"\xef\xbb\xbf \n", "the file is empty"),
        (
            '{"q": "große"}\n{"q": "Grüße"}\n{"q": "schön"}\n'.encode("cp1252"),
            "is not UTF-8 and looks like CP1252",
        ),
    ],
)
def test_a_file_wrong_as_a_whole_is_an_error_at_once(write, content, words):
    with pytest.raises(DataError, match=words) as caught:
        list(read(write("daten 1.jsonl", content)))
    assert "daten 1.jsonl" in str(caught.value)
    assert "empty" in words or "--encoding cp1252" in str(caught.value)


def test_a_character_cut_at_the_end_of_the_sample_is_no_fault(write):
    line = '{"q": "' + "가" * 30 + '"}\n'
    path = write("a.jsonl", line * 3000)
    assert sum(not isinstance(row, BadRow) for row in read(path)) == 3000


def test_nothing_is_read_ahead(write):
    rows = read(write("a.jsonl", '{"q": 1}\nbroken\n'))
    assert next(rows) == (1, {"q": 1})
    rows.close()


def test_nan_counts_as_null(write):
    """pandas writes it for what is not there."""
    assert list(read(write("a.jsonl", '{"q": NaN, "r": [NaN, 1], "s": "NaN"}\n'))) == [
        (1, {"q": None, "r": [None, 1], "s": "NaN"})
    ]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-16-le"])
def test_wide_encodings_are_read(write, encoding):
    assert list(read(write("a.jsonl", '{"q": "질문"}\n'.encode(encoding)))) == [(1, {"q": "질문"})]
