"""Files with the inputs beside the verdicts, from a finished run."""

from __future__ import annotations

import csv
import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from tests.commands import Command

from .conftest import reply

SPECIAL = '=HYPERLINK("x") <b>질문</b>\n| "2"'


@pytest.fixture
def judged(adjudge: Command) -> Command:
    """A run of three rows with other columns, one of which bears an input's name."""
    rows: list[dict[str, object]] = [
        {"id": "1", "question": SPECIAL, "text": "Yes.", "answer": "unused", "group": 7},
        {"id": "2", "question": "Two?", "text": "No.", "group": None, "meta": {"a": {"b": 1}}},
        {"id": "3", "question": "Three?", "text": "Hm.", "group": 8, "tags": ["x", "y"]},
    ]
    adjudge.write("data.jsonl", rows)  # type: ignore[arg-type]
    adjudge.write("replies.jsonl", [{"item": n, "replies": [reply(3)]} for n in "123"])
    flags = ["--judge", "helpfulness", "-m", "replay:replies.jsonl", "--map", "answer=text"]
    assert adjudge("run", "data.jsonl", *flags, "--quiet").code == 0
    return adjudge


def exported(adjudge: Command, name: str, *flags: str) -> Path:
    ended = adjudge("export", "latest", "-o", name, *flags)
    assert (ended.code, ended.out) == (0, f"written: {name}\n")
    return Path(name)


@pytest.mark.parametrize("ending", ["jsonl", "json", "csv", "parquet", "md", "xml"])
def test_without_the_flag_there_are_no_inputs(judged: Command, ending: str) -> None:
    content = exported(judged, f"x.{ending}").read_bytes()
    assert b"Three?" not in content
    assert b"data" not in content


@pytest.mark.parametrize("ending", ["jsonl", "json"])
def test_an_object_in_json(judged: Command, ending: str) -> None:
    text = exported(judged, f"x.{ending}", "--with-inputs").read_text("utf-8")
    rows = [json.loads(each) for each in text.splitlines()] if ending == "jsonl" else None
    first, second, third = rows or json.loads(text)
    assert first["data"] == {
        "question": SPECIAL,
        "answer": "Yes.",
        "answer (column)": "unused",
        "group": 7,
    }
    assert second["data"]["meta"] == {"a": {"b": 1}}
    assert third["data"]["tags"] == ["x", "y"]
    assert list(third)[-1] == "data"
    assert third["scores"]["rating"]["value"] == 3


def test_columns_in_csv(judged: Command) -> None:
    path = exported(judged, "x.csv", "--with-inputs")
    with path.open(encoding="utf-8-sig", newline="") as file:
        first, second, third = csv.DictReader(file)
    assert first["data.question"] == f"'{SPECIAL}"  # a spreadsheet must not run it
    assert (first["data.answer"], first["data.answer (column)"]) == ("Yes.", "unused")
    assert (first["data.group"], second["data.group"]) == ("7", "")
    assert second["data.meta"] == '{"a":{"b":1}}'
    assert third["data.tags"] == "• x\n• y"
    assert third["scores.rating.value"] == "3"


def test_columns_in_parquet(judged: Command) -> None:
    from pyarrow import parquet

    found = parquet.read_table(exported(judged, "x.parquet", "--with-inputs")).to_pylist()
    assert found[0]["data.question"] == SPECIAL
    assert [row["data.group"] for row in found] == [7, None, 8]
    assert [row["data.meta"] for row in found] == [None, '{"a":{"b":1}}', None]
    assert found[2]["data.tags"] == ["x", "y"]


def test_columns_in_markdown(judged: Command) -> None:
    lines = exported(judged, "x.md", "--with-inputs").read_text("utf-8").splitlines()
    head = next(line for line in lines if line.startswith("| item"))
    assert "| explanation | data.question | data.answer |" in head
    assert all(line.count(" | ") == head.count(" | ") for line in lines if line.startswith("| 2"))
    assert "&lt;b&gt;질문&lt;/b&gt; \\|" in "\n".join(lines)


def test_properties_in_junit(judged: Command) -> None:
    path = exported(judged, "x.xml", "--with-inputs")
    first = ET.parse(path).getroot()[0][0]  # noqa: S314 - our own
    given = {each.get("name"): each.get("value") for each in first.iter("property")}
    assert given["data.question"] == SPECIAL
    assert given["data.group"] == "7"


def test_a_page_has_the_inputs_in_any_case(judged: Command) -> None:
    plain = exported(judged, "x.html").read_text("utf-8")
    assert "Three?" in plain
    assert "unused" not in plain
    assert "unused" in exported(judged, "y.html", "--with-inputs").read_text("utf-8")


def test_by_item(judged: Command) -> None:
    text = exported(judged, "x.jsonl", "--by-item", "--with-inputs").read_text("utf-8")
    rows = [json.loads(line) for line in text.splitlines()]
    assert [row["data"]["answer"] for row in rows] == ["Yes.", "No.", "Hm."]
    assert rows[0]["samples"] == 1
    plain = exported(judged, "x.jsonl", "--by-item").read_text("utf-8")
    assert "data" not in json.loads(plain.splitlines()[0])


def test_run_with_inputs(adjudge: Command, answers: list[str]) -> None:
    assert adjudge("run", *answers, "--quiet", "--with-inputs", "-o", "x.jsonl").code == 0
    first = json.loads(Path("x.jsonl").read_text().splitlines()[0])
    assert first["data"] == {"question": "Question 1?", "answer": "Answer 1"}
    dry = adjudge("run", *answers, "--with-inputs", "--dry-run", "--json")
    assert dry.json["rows"] == 3
