"""Spreadsheets in and out: headers and encodings of several languages, workbooks, few columns."""

from __future__ import annotations

import csv
from pathlib import Path

import openpyxl
import pytest
from tests.commands import Command

from .conftest import reply

HEADERS = {
    "vi": ("Câu hỏi", "Trả lời", "Đáp án"),
    "vi-bare": ("CAU HOI", "Tra loi", "dap an"),
    "ko": ("질문", "답변", "정답"),
    "ja": ("質問", "回答", "正解"),
    "ja-2": ("問題", "回答", "模範解答"),
    "zh": ("问题", "回答", "参考答案"),
    "zh-2": ("問題", "答案", "標準答案"),
}
TEXTS = [("Q1?", "A1", "R1"), ("=1+1?", "@A2", "-R2")]


def book(path: str, header: tuple[str, ...], sheet: str = "Sheet1", *, more: str = "") -> None:
    made = openpyxl.Workbook()
    made.active.title = sheet
    made.active.append(header)
    for row in TEXTS:
        cells = [*row][: len(header)]
        made.active.append([])
        for place, text in enumerate(cells, 1):
            cell = made.active.cell(made.active.max_row + (place == 1), place, text)
            cell.data_type = "s"
    if more:
        made.create_sheet(more).append(["other"])
    made.save(path)


def run(adjudge: Command, data: str, *flags: str):
    adjudge.write("any.jsonl", [{"item": "none", "replies": [reply(3)]}])
    return adjudge("run", data, "--judge", "chatbot", "-m", "replay:any.jsonl", "--dry-run", *flags)


@pytest.mark.parametrize("language", HEADERS)
def test_headers_are_understood(adjudge: Command, language: str) -> None:
    book("d.xlsx", HEADERS[language])
    ended = run(adjudge, "d.xlsx")
    assert ended.code == 0, ended.err
    assert "2 verdicts on 2 rows" in ended.out


def test_a_near_miss_suggests_the_whole_flag(adjudge: Command) -> None:
    book("d.xlsx", ("Câu hỏi của khách hàng mới", "Bot trả lời", "Dáp án"))
    ended = run(adjudge, "d.xlsx")
    assert ended.code == 2
    for flag in (
        "--map 'question=Câu hỏi của khách hàng mới'",
        "--map 'answer=Bot trả lời'",
        "--map 'reference=Dáp án'",
    ):
        assert flag in ended.err


def test_a_sheet_by_its_name(adjudge: Command) -> None:
    book("d.xlsx", HEADERS["ko"], "답", more="notes")
    ended = run(adjudge, "d.xlsx")
    assert ended.code == 2
    assert "답" in ended.err
    assert run(adjudge, "d.xlsx", "--sheet", "답").code == 0
    assert "notes" in run(adjudge, "d.xlsx", "--sheet", "none").err
    both = run(adjudge, "d.xlsx", "--sheet", "답", "--encoding", "cp949")
    assert "--sheet is for workbooks, --encoding for text files" in both.err


def test_an_old_workbook(adjudge: Command) -> None:
    Path("d.xls").write_bytes(b"\xd0\xcf\x11\xe0")
    ended = run(adjudge, "d.xls")
    assert (ended.code, "save as .xlsx" in ended.err) == (2, True)


def test_labels_in_another_encoding_are_read_after_saying_so(
    adjudge: Command, answers: list[str]
) -> None:
    pytest.importorskip("numpy")
    adjudge("run", *answers, "--quiet")
    text = "item,rater,rating\n" + "".join(f"r{n},배송 담당자 김민수,{n}\n" for n in (1, 2, 3))
    Path("people.csv").write_bytes(text.encode("cp949"))
    plan = ("label", "latest", "--plan", "--width", "1")
    improve = ("improve", "helpfulness", "data.jsonl", "-m", answers[-1], "--way", "map")
    for command in (("calibrate", "latest"), ("disagreements", "latest"), plan, improve):
        said = adjudge(*command, "--labels", "people.csv")
        assert "people.csv is read as CP949 (Korean, EUC-KR); if that is wrong" in said.err
        assert "OtherEncoding" not in said.err  # a sentence, no warning of Python
        named = adjudge(*command, "--labels", "people.csv#encoding=cp949")
        assert (named.code, "is read as" in named.err) == (said.code, False)


def test_what_a_file_is_read_in_is_said(adjudge: Command) -> None:
    text = "질문,답변,정답\n어떻게 바꾸나요?,설정에서 바꿉니다,설정\n"
    Path("d.csv").write_bytes(text.encode("cp949"))
    adjudge.write("any.jsonl", [{"item": "none", "replies": [reply(3)]}])
    ended = adjudge("run", "d.csv", "--judge", "chatbot", "-m", "replay:any.jsonl")
    assert "d.csv is read as CP949 (Korean, EUC-KR); if that is wrong" in ended.err
    named = adjudge("run", "d.csv", "--judge", "chatbot", "-m", "replay:any.jsonl",
                    "--encoding", "cp949")  # fmt: skip
    assert "is read as" not in named.err
    book("d.xlsx", HEADERS["ko"])
    assert "leave out --encoding" in run(adjudge, "d.xlsx", "--encoding", "cp949").err


def test_out_again(adjudge: Command) -> None:
    rows = [
        {"id": "a", "question": "=1+1?", "answer": "+2"},
        {"id": "b", "question": "Why?", "answer": "@home"},
    ]
    adjudge.write("d.jsonl", rows)
    replies = [
        {"item": "a", "replies": [reply(4)]},
        {"item": "b", "replies": ["I would rather not."] * 2},
    ]
    adjudge.write("r.jsonl", replies)
    out = ["-o", "full.xlsx", "-o", "page.html"]
    adjudge("run", "d.jsonl", "--judge", "helpfulness", "-m", "replay:r.jsonl", *out)
    assert adjudge("export", "-o", "c.csv", "-o", "c.xlsx", "--columns", "compact").code == 0
    with Path("c.csv").open(encoding="utf-8-sig", newline="") as file:
        good, bad = csv.DictReader(file)
    columns = ["id", "question", "answer", "rating", "rating explanation", "outcome"]
    assert list(good) == columns
    assert (good["id"], good["question"], good["rating"]) == ("a", "'=1+1?", "4")
    assert (bad["rating"], bad["outcome"]) == ("", "unreadable")
    assert bad["rating explanation"]
    sheet = openpyxl.load_workbook("c.xlsx")["rows"]
    assert [cell.value for cell in sheet[1]] == columns
    assert (sheet["B2"].value, sheet["B2"].data_type) == ("=1+1?", "s")
    full = openpyxl.load_workbook("full.xlsx")
    assert full.sheetnames == ["rows", "means"]
    means = [cell.value for cell in full["means"][2]]
    assert means[0] == "rating"
    assert 4 in means
