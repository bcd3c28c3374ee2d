"""Encodings and gzip: what holds for every format that is text."""

from __future__ import annotations

import gzip
import unicodedata

import pytest

from adjudge.datasets import csv_table, textfile
from adjudge.datasets.base import BadRow, Source
from adjudge.errors import DataError

TEXTS = {
    "cp949": "서울의 날씨는 어떤가요?,오늘은 맑고 따뜻합니다.\n",
    "euc_kr": "질문,대답\n",
    "shift_jis": "東京の天気はどうですか,今日は晴れています。\n",
    "euc_jp": "東京の天気はどうですか,今日は晴れています。\n",
    "gb18030": "北京的天气怎么样？,今天天气很好，适合出门散步。\n",
    "big5": "台北的天氣怎麼樣？,今天天氣很好，適合出門散步。\n",
    "cp1251": "Какая погода в Москве?,Сегодня тепло и солнечно.\n",
    "cp1252": "Wie heißt die größte Stadt?,Köln ist schön größer ist München.\n",
    "cp1258": "Thời tiết hôm nay thế nào?,Hôm nay trời nắng đẹp và ấm áp ở Hà Nội.\n",
}
NAMES = {"euc_kr": "CP949", "shift_jis": "CP932", "euc_jp": "EUC-JP"}
TONES = "\u0300\u0301\u0303\u0309\u0323"


def encoded(text: str, encoding: str) -> bytes:
    if encoding != "cp1258":
        return text.encode(encoding)
    # Windows writes a Vietnamese letter and its tone as two characters.
    out = []
    for letter in text:
        parts = unicodedata.normalize("NFD", letter)
        tone = "".join(part for part in parts if part in TONES)
        out += [unicodedata.normalize("NFC", "".join(p for p in parts if p not in TONES)), tone]
    return "".join(out).encode("cp1258")


def read(path):
    return list(csv_table.read(Source(path)))


@pytest.mark.parametrize("rows", [1, 50])
@pytest.mark.parametrize("encoding", TEXTS)
def test_the_encoding_is_detected_and_named_with_the_command_to_convert(write, encoding, rows):
    path = write("a b.csv", b"question,answer\n" + encoded(TEXTS[encoding], encoding) * rows)
    name = NAMES.get(encoding, encoding.upper())
    command = rf"iconv -f {name} -t UTF-8 '.*a b\.csv' > '.*a b\.utf8\.csv'"
    with pytest.raises(DataError, match=rf"is not UTF-8 and looks like {name}.*{command}"):
        read(path)


@pytest.mark.parametrize(
    ("encoding", "said"),
    [
        ("utf-16", "is UTF-16,"),
        ("utf-32", "is UTF-32,"),
        ("utf-16-le", "is UTF-16LE without a mark"),
        ("utf-16-be", "is UTF-16BE without a mark"),
        ("utf-32-le", "is UTF-32LE without a mark"),
        ("utf-32-be", "is UTF-32BE without a mark"),
    ],
)
def test_wide_encodings_are_told_by_their_mark_or_their_zeros(write, encoding, said):
    text = "question,answer\n" + TEXTS["cp949"] * 20
    with pytest.raises(DataError, match=f"{said}.*iconv -f UTF-"):
        read(write("a.csv", text.encode(encoding)))


def test_a_single_foreign_letter_is_the_fault_of_its_row_with_the_encoding_named(write):
    (bad,) = read(write("a.csv", "question,answer\nWie?,Schön\n".encode("latin-1")))
    assert isinstance(bad, BadRow)
    assert "byte 0xF6 at position 9 of line 2 is not UTF-8" in str(bad.why)
    assert "the file looks like CP1252 (Windows-1252, Latin-1); convert it: iconv -f" in str(
        bad.why
    )


def test_a_stray_line_among_good_ones_can_be_skipped(write):
    lines = [b"question,answer\n", *["질문,답\n".encode()] * 50, TEXTS["cp949"].encode("cp949")]
    rows = read(write("a.csv", b"".join(lines)))
    assert sum(isinstance(row, BadRow) for row in rows) == 1
    assert len(rows) == 51


def test_zeros_that_strayed_in_are_no_encoding():
    assert textfile.unmarked_wide(b"q,a\n1,\0\n\0x,\0\n") is None
    assert textfile.unmarked_wide(b"plain") is None


def test_what_fits_no_encoding_has_no_name():
    assert textfile.looks_like(bytes(range(128, 256)) * 3) in {None, *textfile._LIKELY.values()}
    assert textfile.spoken("KOI8-R") == "KOI8-R"


def test_gzip_is_read_as_if_it_were_not_there(write):
    path = write("a.csv.GZ", gzip.compress("\ufeffq,a\n질문,답\n".encode()))
    assert read(path) == [(2, {"q": "질문", "a": "답"})]


def test_several_packed_pieces_are_one_file(write):
    path = write(
        "a.csv.gz", gzip.compress(b"q,a\n1,2\n", mtime=0) + gzip.compress(b"3,4\n", mtime=0)
    )
    assert len(read(path)) == 2


MANY = "q,a\n" + "".join(f"{n},{n * n * 7919 % 10007}\n" for n in range(50_000))
PACKED = gzip.compress(MANY.encode(), mtime=0)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (PACKED[:-9], "the gzip file is cut off; fetch or pack it again"),
        (PACKED[: len(PACKED) // 2], "the gzip file is cut off"),
        (PACKED[:5000] + b"\xff" * 300 + PACKED[5300:], "broken"),
        (PACKED[:-8] + b"\0" * 8, r"broken or not gzip at all \(CRC"),
        (b"q,a\n1,2\n", r"not gzip at all .*take \.gz off its name"),
        (b"", "the file is empty"),
        (gzip.compress(b"", mtime=0), "the file is empty"),
    ],
)
def test_broken_gzip_is_an_error_with_its_name(write, content, words):
    with pytest.raises(DataError, match=rf"a\.csv\.gz: .*{words}"):
        read(write("a.csv.gz", content))


def test_the_encoding_inside_gzip_is_named(write):
    path = write("a.csv.gz", gzip.compress(b"q,a\n" + TEXTS["cp949"].encode("cp949")))
    with pytest.raises(DataError, match=r"gunzip -c .*a\.csv\.gz \| iconv -f CP949.*a\.utf8\.csv"):
        read(path)


def test_gzip_under_another_name_is_told(write):
    with pytest.raises(DataError, match=r"is packed with gzip; name it .*a\.csv\.gz"):
        read(write("a.csv", PACKED))


PARQUET = b"PAR1\x15\x04\x15\xb4\xd0\xff\xfe\0" * 9


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.csv", PARQUET, r"holds Parquet, no text; name it .*a\.parquet"),
        ("a.csv", b"PK\x03\x04\x14\0\xff", r"an XLSX workbook or another ZIP .* name it .*a\.xlsx"),
        (
            "a.csv.gz",
            gzip.compress(PARQUET, mtime=0),
            r"name it a\.parquet \(gunzip first\)",
        ),
    ],
)
def test_what_is_no_text_is_told_with_its_ending(write, name, content, words):
    with pytest.raises(DataError, match=words):
        read(write(name, content))


def test_a_table_may_begin_with_the_letters_of_parquet(write):
    assert read(write("a.csv", "PAR1,PAR2\n1,2\n")) == [(2, {"PAR1": "1", "PAR2": "2"})]
