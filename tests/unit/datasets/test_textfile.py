"""Encodings and gzip: what holds for every format that is text."""

from __future__ import annotations

import gzip
import unicodedata

import pytest

from adjudge.datasets import csv_table, textfile
from adjudge.datasets.base import BadRow, Source
from adjudge.datasets.encodings import guess, spoken, unmarked_wide
from adjudge.errors import DataError, UsageError

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


SURE = ("cp949", "shift_jis", "euc_jp", "gb18030", "big5", "cp1258")


@pytest.mark.parametrize("rows", [1, 50])
@pytest.mark.parametrize("encoding", SURE)
def test_what_is_plainly_of_a_language_is_read(write, encoding, rows):
    """And what it was read in is told; Vietnamese letters are put together again."""
    path = write("a.csv", b"question,answer\n" + encoded(TEXTS[encoding], encoding) * rows)
    question, answer = TEXTS[encoding].strip().split(",", 1)
    assert read(path) == [(n + 2, {"question": question, "answer": answer}) for n in range(rows)]
    name = NAMES.get(encoding, encoding.upper())
    assert str(textfile.encoding_read(Source(path))).startswith(name)
    assert textfile.encodings_read([Source(path)]) == {str(path): name}


@pytest.mark.parametrize(
    ("encoding", "rows"),
    [("euc_kr", 1), ("cp1251", 1), ("cp1251", 50), ("cp1252", 1), ("cp1252", 50)],
)
def test_what_is_not_sure_is_told_with_the_flag(write, encoding, rows):
    content = b"question,answer\n" + encoded(TEXTS[encoding], encoding) * rows
    name = NAMES.get(encoding, encoding.upper())
    flag = rf"is not UTF-8 and looks like {name}.*--encoding {name.lower()} .*, else save"
    path = write("a.csv", content)
    with pytest.raises(DataError, match=flag):
        read(path)
    named = Source(path, part=f"encoding={encoding}")
    assert textfile.encoding_read(named) is None
    assert next(csv_table.read(named))[1]["question"] == TEXTS[encoding].split(",")[0]


def test_vietnamese_is_never_called_western(write):
    """Few words do not make it sure, but its tones stand where they do in no other language."""
    assert guess(encoded("tên,tuổi\nLý,sáu mươi\nHồ,bảy mươi\n", "cp1258")).name == "CP1258"
    italian = "perché,città\nperò può,là giù\nverità,così è\n".encode("cp1252")
    assert guess(italian) == ("CP1252", False)
    portuguese = "não,são\nações,então você\npão,avô\n".encode("cp1252")
    assert guess(portuguese) != ("CP1258", True)


def test_a_wrong_encoding_is_told_with_its_line(write):
    path = write("a.csv", TEXTS["cp1251"].encode("cp1251"))
    with pytest.raises(DataError, match=r"a\.csv#encoding=shift-jis.*cannot be read as shift_jis"):
        list(csv_table.read(Source(path, part="encoding=shift-jis")))
    with pytest.raises(UsageError, match="--encoding klingon: there is no encoding 'klingon'"):
        list(csv_table.read(Source(path, part="encoding=klingon")))
    with pytest.raises(UsageError, match="there is no encoding 'rot13'"):
        list(csv_table.read(Source(path, part="encoding=rot13")))


@pytest.mark.parametrize(
    ("encoding", "name"),
    [
        ("utf-16", "UTF-16"),
        ("utf-32", "UTF-32"),
        ("utf-16-le", "UTF-16LE"),
        ("utf-16-be", "UTF-16BE"),
        ("utf-32-le", "UTF-32LE"),
        ("utf-32-be", "UTF-32BE"),
    ],
)
def test_wide_encodings_are_read_by_their_mark_or_their_zeros(write, encoding, name):
    text = "question,answer\n" + TEXTS["cp949"] * 20
    path = write("a.csv", text.encode(encoding))
    assert textfile.encoding_read(Source(path)) == name
    rows = read(path)
    assert len(rows) == 20
    assert rows[0][1]["question"] == "서울의 날씨는 어떤가요?"


def test_a_single_foreign_letter_is_the_fault_of_its_row_with_the_encoding_named(write):
    (bad,) = read(write("a.csv", "question,answer\nWie?,Schön\n".encode("latin-1")))
    assert isinstance(bad, BadRow)
    assert "byte 0xF6 at position 9 of line 2 is not UTF-8" in str(bad.why)
    remedy = "the file looks like CP1252 (Windows-1252, Latin-1); read it with --encoding cp1252"
    assert remedy in str(bad.why)


def test_a_stray_line_among_good_ones_can_be_skipped(write):
    lines = [b"question,answer\n", *["질문,답\n".encode()] * 50, TEXTS["cp949"].encode("cp949")]
    rows = read(write("a.csv", b"".join(lines)))
    assert sum(isinstance(row, BadRow) for row in rows) == 1
    assert len(rows) == 51


def test_zeros_that_strayed_in_are_no_encoding():
    assert unmarked_wide(b"q,a\n1,\0\n\0x,\0\n") is None
    assert unmarked_wide(b"plain") is None


def test_what_fits_no_encoding_has_no_name():
    seen = guess(bytes(range(128, 256)) * 3)
    assert seen is None or not seen.sure
    assert str(spoken("KOI8-R")) == "KOI8-R"
    assert str(spoken("CP949")) == "CP949 (Korean, EUC-KR)"


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


def test_the_encoding_inside_gzip_is_seen(write):
    path = write("a.csv.gz", gzip.compress(b"q,a\n" + TEXTS["cp949"].encode("cp949")))
    assert textfile.encoding_read(Source(path)) == "CP949"
    assert read(path)[0][1]["q"] == "서울의 날씨는 어떤가요?"


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


LONG = {
    "cp949": "주문한 상품을 언제 받을 수 있나요? 배송은 보통 사흘 걸립니다. 환불도 되나요?",
    "cp932": "注文した商品はいつ届きますか。通常は三日ほどかかります。返金も教えてください。",
    "euc_jp": "注文した商品はいつ届きますか。通常は三日ほどかかります。返金も教えてください。",
    "gb18030": "我订购的商品什么时候可以收到？一般需要三天的时间。请告诉我退款的规定，谢谢你们。",
    "big5": "我訂購的商品什麼時候可以收到？一般需要三天的時間。請告訴我退款的規定，謝謝你們。",
    "cp1258": "Khi nào tôi nhận được hàng đã đặt? Thường mất ba ngày. Xin cho biết quy định.",
}


@pytest.mark.parametrize("encoding", LONG)
def test_no_language_is_taken_for_another(encoding):
    lines = [encoded(LONG[encoding][start:] + "\n", encoding) for start in range(0, 24, 4)]
    for line in lines:
        seen = guess(line)
        assert seen is not None
        name = "CP932" if encoding == "cp932" else encoding.upper().replace("_", "-")
        assert seen.name == name or not seen.sure, line
    assert guess(b"".join(lines)) == (name, True)
