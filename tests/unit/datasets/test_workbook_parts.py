"""Workbooks that no spreadsheet program wrote are refused in words, and before they are built."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest

from adjudge.datasets import workbook
from adjudge.datasets.base import Source
from adjudge.errors import DataError

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
TEXTS, SHEET, STYLES = "xl/sharedStrings.xml", "xl/worksheets/sheet1.xml", "xl/styles.xml"
BOOK, TYPES = "xl/workbook.xml", "[Content_Types].xml"
PARTS = (TEXTS, SHEET, STYLES, BOOK, TYPES)
DTD = b'<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]>'

Change = Callable[[bytes], bytes]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A workbook with a table of texts, as spreadsheet programs write them."""
    made = openpyxl.Workbook()
    made.active.append([1, 2])  # type: ignore[union-attr]
    made.active.append([3, 4])  # type: ignore[union-attr]
    path = tmp_path / "a.xlsx"
    made.save(path)
    texts = "".join(f"<si><t>t{number}</t></si>" for number in range(5))
    override = f'<Override PartName="/{TEXTS}" ContentType="{TYPE}"/></Types>'
    _rewrite(path, SHEET, lambda xml: xml.replace(b't="n"', b't="s"'))
    _rewrite(path, TYPES, lambda xml: xml.replace(b"</Types>", override.encode()))
    with zipfile.ZipFile(path, "a") as book:
        book.writestr(TEXTS, f'<sst xmlns="{MAIN}">{texts}</sst>')
    return path


def _rewrite(path: Path, part: str, change: Change) -> None:
    with zipfile.ZipFile(path) as book:
        parts = {each: book.read(each) for each in book.namelist()}
    assert part in parts
    parts[part] = change(parts[part])
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        for name, content in parts.items():
            book.writestr(name, content)


def _after_declaration(xml: bytes, more: bytes) -> bytes:
    start = xml.find(b"?>") + 2 if xml.startswith(b"<?xml") else 0
    return xml[:start] + more + xml[start:]


def read(path: Path) -> list[object]:
    return list(workbook.read(Source(path)))


def refused(path: Path) -> str:
    with pytest.raises(DataError) as told:
        read(path)
    return str(told.value)


def test_a_sound_one_is_read(path: Path) -> None:
    assert read(path) == [(2, {"t1": "t3", "t2": "t4"})]


@pytest.mark.parametrize("part", PARTS)
def test_broken_xml(path: Path, part: str) -> None:
    _rewrite(path, part, lambda xml: xml[: len(xml) // 2])
    assert "save it" in refused(path)


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_document_type(path: Path, part: str, encoding: str) -> None:
    def declares(xml: bytes) -> bytes:
        text = _after_declaration(xml, DTD).decode()
        return text.replace('"UTF-8"', f'"{encoding}"').encode(encoding)

    _rewrite(path, part, declares)
    assert f"{part} in the workbook declares a document type" in refused(path)


def test_too_many_texts(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert workbook.TEXTS == 1_000_000
    monkeypatch.setattr(workbook, "TEXTS", 4)
    assert "more than 4 different texts" in refused(path)


def test_too_large_a_part(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workbook, "PART", 2_000)
    told = refused(path)
    assert "xl/theme/theme1.xml in the workbook has" in told
    assert "2,000 are allowed" in told


def test_too_many_parts(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workbook, "PARTS", 5)
    assert "more than 5 parts" in refused(path)


def test_a_row_where_no_sheet_has_one(path: Path) -> None:
    """Otherwise two billion empty rows would come before it."""
    _rewrite(
        path,
        SHEET,
        lambda xml: (
            xml.replace(b'"2"', b'"2000000000"')
            .replace(b'A2"', b'A2000000000"')
            .replace(b'B2"', b'B2000000000"')
        ),
    )
    assert "a row below 1,048,576" in refused(path)


def test_a_whole_number_of_many_digits_stays_exact(path: Path) -> None:
    def number(xml: bytes) -> bytes:
        return xml.replace(b'<c r="B2" t="s"><v>4</v>', b'<c r="B2"><v>1' + b"0" * 40 + b"</v>")

    _rewrite(path, SHEET, number)
    assert read(path) == [(2, {"t1": "t3", "t2": "1" + "0" * 40})]


def test_a_name_that_is_too_long(path: Path) -> None:
    _rewrite(path, TEXTS, lambda xml: xml.replace(b"t2", b"x" * 1_001))
    assert "row 1: the name of column B has 1,001 characters" in refused(path)
