"""`adjudge init`: what it writes works at once."""

from __future__ import annotations

import json

import pytest
from tests.commands import Command
from tests.servers import ChatServer, says

EXPLAINED = {
    "en": "The answer names the rule and the exception to it, and so it is right.",
    "ko": "답변은 규칙과 예외를 모두 설명하므로 정확합니다.",
    "vi": "Câu trả lời nêu đúng quy tắc và cả trường hợp ngoại lệ.",
}


@pytest.mark.parametrize("language", EXPLAINED)
def test_an_example_folder_runs(adjudge: Command, server: ChatServer, language: str) -> None:
    assert adjudge("init", "--language", language, "-m", "openai/any").code == 0
    assert adjudge("judges", "check", "judge.yaml").code == 0
    server.answer = lambda _: says(
        json.dumps({"quality": 4, "explanation": EXPLAINED[language]}, ensure_ascii=False)
    )
    ended = adjudge("run", "answers.csv", "--base-url", server.base_url, "--json")
    assert ended.code == 0, ended.err
    assert ended.json["means"] == {"quality": 4.0}
    assert ended.json["criteria"][0]["wrong_language"] == 0


def test_own_data_in_another_folder(adjudge: Command, server: ChatServer) -> None:
    row = {"id": "1", "Frage": "Is it?", "answer": "Yes.", "reference": "y"}
    adjudge.write("mine.jsonl", [row])
    ended = adjudge(
        *("init", "work", "--data", "mine.jsonl", "--language", "en", "--what", 'Is it "so": yes?'),
        *("--map", "question=Frage", "-m", "openai/any"),
    )
    assert ended.code == 0, ended.err
    text = (adjudge.folder / "work/judge.yaml").read_text("utf-8")
    assert "reference: {required: false}" in text
    assert "context" not in text
    assert 'map = {question = "Frage"}' in (adjudge.folder / "work/adjudge.toml").read_text("utf-8")
    assert not (adjudge.folder / "work/answers.csv").exists()
    assert "next: cd work && adjudge run " in ended.err


def test_the_language_of_the_data_is_the_default(adjudge: Command) -> None:
    adjudge.write("ko.jsonl", [{"question": "윤년인가요?", "answer": "네, 그해는 윤년이었습니다."}])
    assert adjudge("init", "--data", "ko.jsonl").code == 0
    assert "language: ko" in (adjudge.folder / "judge.yaml").read_text("utf-8")


def test_nothing_is_overwritten_unasked(adjudge: Command) -> None:
    (adjudge.folder / "judge.yaml").write_text("mine")
    ended = adjudge("init")
    assert ended.code == 2
    assert "judge.yaml" in ended.err
    assert "--force" in ended.err
    assert (adjudge.folder / "judge.yaml").read_text() == "mine"
    assert not (adjudge.folder / "adjudge.toml").exists()
    assert adjudge("init", "--force").code == 0


@pytest.mark.parametrize(
    ("content", "named"),
    [("id,text\n1,a\n", "answer"), ("id,answer\n", "no row")],
)
def test_data_that_cannot_be_judged_is_refused_first(
    adjudge: Command, content: str, named: str
) -> None:
    (adjudge.folder / "data.csv").write_text(content)
    ended = adjudge("init", "--data", "data.csv")
    assert ended.code == 2
    assert named in ended.err
    assert not (adjudge.folder / "judge.yaml").exists()
