from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.commands import Command
from tests.servers import ChatServer, says

from adjudge.judges import registry


def test_list(adjudge: Command) -> None:
    shown = adjudge("judges", "list").out
    assert [line.split()[0] for line in shown.splitlines()[2:]] == registry.names()
    rows = adjudge("judges", "list", "--json").json
    (chatbot,) = (row for row in rows if row["judge"] == "chatbot")
    assert chatbot["wordings"] == ["vi", "en", "ko"]
    assert "vi en ko" in shown
    assert [row["judge"] for row in rows] == registry.names()
    assert all(len(row["fingerprint"]) == 16 for row in rows)


@pytest.mark.parametrize("name", registry.names())
def test_show(adjudge: Command, name: str) -> None:
    assert adjudge("judges", "show", name).out.rstrip() == registry.source(name)[1].rstrip()


def test_show_prompt(adjudge: Command) -> None:
    shown = adjudge("judges", "show", "gptscore", "--prompt").out
    assert shown.count("--- prompt ") == 9
    assert "{source}" in shown
    assert (
        adjudge("judges", "show", "gptscore", "--prompt", "--ask", "together").out.count("---\n")
        == 1
    )


def test_new_then_check(adjudge: Command) -> None:
    ended = adjudge("judges", "new", "mine")
    assert (ended.code, ended.out) == (0, "written: mine.yaml\n")
    assert adjudge("judges", "check", "mine.yaml", "helpfulness").code == 0
    again = adjudge("judges", "new", "mine")
    assert again.code == 2
    assert "is there already" in again.err
    assert adjudge("judges", "new", "mine", "-o", "nowhere").code == 2


def test_check_names_every_bad_file(adjudge: Command) -> None:
    Path("a.yaml").write_text("judge: a\nversion: 1\n")
    Path("b.yaml").write_text("- not a judge\n")
    ended = adjudge("judges", "check", "a.yaml", "helpfulness", "b.yaml")
    assert ended.code == 2
    assert "a.yaml, line" in ended.err
    assert "b.yaml, line 1" in ended.err
    assert "2 of 3 judge files are wrong" in ended.err
    assert "helpfulness: ok" in ended.out


def test_schema(adjudge: Command) -> None:
    schema = adjudge("judges", "schema").json
    assert schema["$schema"].startswith("https://json-schema.org/")
    assert {"judge", "criteria", "inputs"} <= set(schema["properties"])


def test_new_to_standard_output_and_wrong_names(adjudge: Command) -> None:
    ended = adjudge("judges", "new", "mine", "-o", "-")
    assert (ended.code, ended.out.count("judge: mine")) == (0, 1)
    assert not list(adjudge.folder.iterdir())
    for name in ("-", "1", "Mine", "a/b"):
        ended = adjudge("judges", "new", name)
        assert ended.code == 2
        assert f"{name!r} is not a valid name here" in ended.err
    assert not list(adjudge.folder.iterdir())


@pytest.mark.parametrize("per_item", [False, True])
def test_draft(adjudge: Command, server: ChatServer, *, per_item: bool) -> None:
    adjudge.write("data.jsonl", [{"id": "a", "Frage": "How much?", "answer": "5"}])
    listed = {"questions": [{"text": "Names the fee?", "points": 3, "required": True}]}
    scale = {"name": "right", "title": "Right", "guide": "Is it?", "scale": "1-5", "weight": 2}
    rubric = {"title": "Is it good?", "criteria": [scale]}
    server.answer = lambda _: says(json.dumps(listed if per_item else rubric))
    model = ("-m", "openai/any", "--base-url", server.base_url)
    more = ("--map", "question=Frage", *["--per-item"] * per_item)
    ended = adjudge("judges", "draft", "data.jsonl", *model, *more, "-o", "drafts")
    assert ended.code == 0, ended.err
    assert "written: drafts/drafted.yaml" in ended.out
    assert (Path("drafts/drafted.jsonl").exists(), "drafted.jsonl" in ended.out) == (per_item,) * 2
    checked = adjudge("judges", "check", "drafts/drafted.yaml")
    assert (checked.code, "drafted by openai/any" in checked.out + checked.err) == (0, True)
