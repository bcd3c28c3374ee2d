from __future__ import annotations

from io import BytesIO
from typing import Any

import openpyxl
import pytest

from adjudge.reports.blocks import Table
from adjudge.reports.files import workbook
from adjudge.reports.files.rows import CompactRow

TRAPS = ["=1+1", '=HYPERLINK("http://x")', "+1", "-2", "@SUM(A1)", "\t=1", "plain", "x\x1by\ud800"]


def written(rows: list[Any], means: Table | None = None) -> Any:
    out = BytesIO()
    workbook.write(lambda: iter(rows), out, means)
    return openpyxl.load_workbook(BytesIO(out.getvalue()))


def full(text: str, value: float | None = 4.0, unit: float | None = 0.75) -> dict[str, Any]:
    score = {"outcome": "scored", "value": value, "unit": unit, "explanation": text}
    return {
        "run": "r",
        "item": "1",
        "outcome": "scored",
        "scores": {"rating": score},
        "reply": text,
    }


@pytest.mark.parametrize("text", TRAPS)
def test_no_text_is_a_formula(text: str) -> None:
    sheet = written([full(text)])["rows"]
    cells = [cell for row in sheet.iter_rows() for cell in row]
    assert all(cell.data_type != "f" for cell in cells)
    head = [cell.value for cell in sheet[1]]
    shown = sheet.cell(2, head.index("reply") + 1)
    assert shown.value == text.replace("\x1b", "\\x1b").replace("\ud800", "\\ud800")
    assert bool(shown.quotePrefix) == (text not in ("plain", TRAPS[-1]))


def test_sheets_header_wrapping_and_colours() -> None:
    rows = [full("good"), full("bad", 1.0, 0.0), full("none", None, None)]
    book = written(rows, Table(["criterion", "mean"], [["rating", "2.50"], ["=x", "–"]]))
    assert book.sheetnames == ["rows", "means"]
    sheet = book["rows"]
    assert sheet.freeze_panes == "B2"
    assert sheet["A1"].font.bold
    head = [cell.value for cell in sheet[1]]
    colours = [
        sheet.cell(row, head.index("scores.rating.value") + 1).fill.fgColor.rgb[2:]
        for row in (2, 3, 4)
    ]
    assert colours == ["E2EFDA", "F8CBAD", "D9D9D9"]
    reply = sheet.cell(2, head.index("reply") + 1)
    assert reply.alignment.wrap_text
    assert book["means"]["B2"].value == 2.5
    assert book["means"]["A3"].data_type == "s"


def test_compact_rows_keep_their_order() -> None:
    row = CompactRow({"id": "1", "question": "q", "rating": 4, "rating explanation": "x"})
    row["outcome"] = "scored"
    row.units = {"rating": 1.0}
    sheet = written([row])["rows"]
    assert [cell.value for cell in sheet[1]] == list(row)
    assert sheet["C2"].fill.fgColor.rgb.endswith("C6E0B4")


def test_what_is_too_long_for_a_cell_is_cut_and_said() -> None:
    sheet = written([full("x" * 40_000)])["rows"]
    head = [cell.value for cell in sheet[1]]
    text = sheet.cell(2, head.index("reply") + 1).value
    assert len(text) < 32_767
    assert text.endswith("… [8,000 more characters]")
