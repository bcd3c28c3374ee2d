"""Replies are recorded by request and used without a model."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from tests.commands import Command
from tests.servers import ChatServer, says

import adjudge as package
from adjudge.errors import ProviderError

JUDGE = """
judge: politeness
version: 1
title: Is the reply polite?
language: en
explain_in: any
inputs:
  question: {required: true}
  answer: {required: true, judged: true}
criteria:
  polite: {title: Politeness, guide: "Is it polite?", scale: {type: integer, min: 1, max: 5}}
reply: text
"""
ROWS = [
    {"id": "q1", "question": "How?", "answer": "Gladly."},
    {"id": "q2", "question": "Why?", "answer": "Go away."},
]
ITEM = {"question": "How?", "answer": "Gladly."}
KEY = "sk-a-secret-key"


def write(rows: list[dict[str, str]]) -> None:
    Path("data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.fixture
def run(adjudge: Command, server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The command that judges; the server knows one polite answer."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    server.answer = lambda body: says(
        f"Politeness: {5 if 'Gladly' in body['messages'][-1]['content'] else 1}"
    )
    Path("judge.yaml").write_text(JUDGE)
    write(ROWS)
    return ["run", "data.jsonl", "--judge", "judge.yaml", "-m", "openai/gpt-x", "--json"]


def lines(path: str = "replies.jsonl") -> list[dict[str, object]]:
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


@pytest.fixture
def recorded(
    adjudge: Command, run: list[str], server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> list[str]:
    """The command after a recording, on a machine without key, store or server."""
    assert adjudge(*run, "--record", "replies.jsonl").code == 0
    shutil.rmtree(".adjudge")
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.delenv("OPENAI_BASE_URL")
    server.asked.clear()
    return run


class TestRecord:
    def test_a_line_per_request_to_be_read_in_a_diff(
        self, adjudge: Command, run: list[str]
    ) -> None:
        assert adjudge(*run, "--record", "replies.jsonl").code == 0
        about, first, second = lines()
        assert about["model"] == "openai/gpt-x"
        assert (first["item"], first["reply"]) == ("q1", "Politeness: 5")
        assert (second["item"], second["judge"]) == ("q2", "politeness")
        assert "Go away." in str(second["messages"])
        assert first["usage"] == {
            "input_tokens": 100,
            "output_tokens": 10,
            "cached_tokens": 0,
            "cost_usd": None,
        }

    def test_no_secret_is_in_the_file(self, adjudge: Command, run: list[str]) -> None:
        adjudge(*run, "--record", "replies.jsonl")
        opened = package.open_run()
        mark = opened.prompts(next(opened.entries()))[0].mark
        opened.close()
        text = Path("replies.jsonl").read_text()
        assert mark
        assert mark not in text
        assert KEY not in text

    def test_a_run_that_is_complete_is_recorded_from_what_is_kept(
        self, adjudge: Command, run: list[str], server: ChatServer
    ) -> None:
        adjudge(*run)
        assert adjudge(*run, "--record", "replies.jsonl").json["verdicts"] == 2
        assert len(lines()) == 3
        assert len(server.asked) == 2

    def test_only_what_changed_changes(self, adjudge: Command, run: list[str]) -> None:
        adjudge(*run, "--record", "replies.jsonl")
        before = Path("replies.jsonl").read_text().splitlines()
        assert adjudge(*run, "--record", "replies.jsonl").code == 0
        assert Path("replies.jsonl").read_text().splitlines() == before
        write([ROWS[0], ROWS[1] | {"answer": "Please go."}])
        assert adjudge(*run, "--record", "replies.jsonl").code == 0
        after = Path("replies.jsonl").read_text().splitlines()
        assert after[:2] == before[:2]
        assert len(after) == 3
        assert "Please go." in after[2]

    def test_what_is_recorded_is_not_asked_again(
        self, adjudge: Command, run: list[str], server: ChatServer
    ) -> None:
        adjudge(*run, "--record", "replies.jsonl")
        assert adjudge(*run, "--record", "replies.jsonl", "--store", "other.db").code == 0
        assert len(server.asked) == 2


class TestOffline:
    def test_without_key_store_or_server(
        self, adjudge: Command, recorded: list[str], server: ChatServer
    ) -> None:
        ended = adjudge(*recorded, "--offline", "replies.jsonl")
        assert ended.code == 0, ended.err
        assert ended.json["means"] == {"polite": 3.0}
        assert ended.json["usage"]["input_tokens"] == 0
        assert server.asked == []

    def test_a_changed_answer_fails_and_names_the_row(
        self, adjudge: Command, recorded: list[str]
    ) -> None:
        write([ROWS[0], ROWS[1] | {"answer": "Leave!"}])
        ended = adjudge(*recorded, "--offline", "replies.jsonl", "--gate", "polite.mean>=1")
        assert ended.code == 1
        assert "requests without a recorded reply: 1" in ended.err
        assert "'q2' (data.jsonl, line 2)" in ended.err
        assert "'q1'" not in ended.err
        assert "--record" in ended.err

    def test_so_do_a_changed_judge_and_other_settings(
        self, adjudge: Command, recorded: list[str]
    ) -> None:
        assert adjudge(*recorded, "--offline", "replies.jsonl", "--temperature", "1").code == 1
        Path("judge.yaml").write_text(JUDGE.replace("Is it polite?", "Is it kind?"))
        assert adjudge(*recorded, "--offline", "replies.jsonl").code == 1

    def test_a_further_question_that_was_not_recorded(
        self, adjudge: Command, recorded: list[str]
    ) -> None:
        broken = [line | {"reply": "Hm."} if "reply" in line else line for line in lines()]
        Path("replies.jsonl").write_text("".join(json.dumps(line) + "\n" for line in broken))
        ended = adjudge(*recorded, "--offline", "replies.jsonl")
        assert ended.code == 1
        assert "further question about item 'q" in ended.err

    def test_a_model_without_replies(self, adjudge: Command, recorded: list[str]) -> None:
        other = [word.replace("gpt-x", "gpt-y") for word in recorded]
        ended = adjudge(*other, "--offline", "replies.jsonl")
        assert ended.code == 2
        assert "no replies of the model 'openai/gpt-y'" in ended.err

    def test_files_that_are_none(self, adjudge: Command, recorded: list[str]) -> None:
        assert "write it with --record" in adjudge(*recorded, "--offline", "none.jsonl").err
        Path("replies.jsonl").write_text('{"item": "q1", "replies": ["4"]}\n')
        ended = adjudge(*recorded, "--offline", "replies.jsonl")
        assert ended.code == 2
        assert "replies.jsonl, line 1: is not a line of a recording" in ended.err

    def test_both_make_no_sense(self, adjudge: Command, recorded: list[str]) -> None:
        ended = adjudge(*recorded, "--offline", "replies.jsonl", "--record", "replies.jsonl")
        assert ended.code == 2

    def test_repeats_and_two_judges(
        self, adjudge: Command, run: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        Path("other.yaml").write_text(
            JUDGE.replace("judge: politeness", "judge: other").replace('polite?"', 'kind?"')
        )
        more = [*run, "--judge", "other.yaml", "--repeat", "2"]
        adjudge(*more, "--record", "replies.jsonl")
        assert len(lines()) == 1 + 8
        monkeypatch.delenv("OPENAI_API_KEY")
        ended = adjudge(*more, "--offline", "replies.jsonl", "--store", "other.db")
        assert ended.json["outcomes"] == {"scored": 8}

    def test_the_cache_alone(
        self,
        adjudge: Command,
        run: list[str],
        server: ChatServer,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        adjudge(*run)
        monkeypatch.delenv("OPENAI_API_KEY")
        monkeypatch.delenv("OPENAI_BASE_URL")
        ended = adjudge(*run, "--base-url", server.base_url, "--offline")
        assert ended.code == 0, ended.err
        write([ROWS[0], ROWS[1] | {"answer": "Leave!"}])
        ended = adjudge(*run, "--base-url", server.base_url, "--offline")
        assert ended.code == 1
        assert "'q2'" in ended.err
        assert len(server.asked) == 2


class TestOne:
    SET = ("--set", "question=How?", "--set", "answer=Gladly.")

    def one(self) -> list[str]:
        return ["one", "--judge", "judge.yaml", "-m", "openai/gpt-x", *self.SET, "--json"]

    def test_the_second_time_nothing_is_asked(
        self, adjudge: Command, run: list[str], server: ChatServer
    ) -> None:
        first, second = (adjudge(*self.one()).json for _ in range(2))
        assert len(server.asked) == 1
        assert first["scores"] == second["scores"]
        assert (first["attempts"], second["attempts"]) == (1, 0)
        assert second["usage"]["input_tokens"] == 0
        adjudge(*self.one(), "--no-cache")
        assert len(server.asked) == 2

    def test_a_run_has_paid_for_it(
        self, adjudge: Command, run: list[str], server: ChatServer
    ) -> None:
        adjudge(*run)
        assert adjudge(*self.one()).json["attempts"] == 0
        assert len(server.asked) == 2

    def test_with_a_full_cache_no_key_is_asked_for(
        self, adjudge: Command, run: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        adjudge(*self.one())
        monkeypatch.delenv("OPENAI_API_KEY")
        assert adjudge(*self.one(), "--offline").code == 0
        ended = adjudge(*self.one(), "--offline", "--set", "x=1", "--temperature", "1")
        assert ended.code == 1
        assert "no reply is recorded" in ended.err

    def test_recorded_and_offline(self, adjudge: Command, recorded: list[str]) -> None:
        assert adjudge(*self.one(), "--offline", "replies.jsonl").json["attempts"] == 0
        assert not Path(".adjudge").exists()

    def test_asserting(self, adjudge: Command, run: list[str], server: ChatServer) -> None:
        options = {"judge": "judge.yaml", "model": "openai/gpt-x", "at_least": {"polite": 4}}
        for _ in range(2):
            package.assert_judged(ITEM, **options, record="replies.jsonl")  # type: ignore[arg-type]
        package.assert_judged(ITEM, **options, offline="replies.jsonl")  # type: ignore[arg-type]
        assert len(server.asked) == 1
        with pytest.raises(ProviderError, match="no reply is recorded"):
            package.assert_judged(
                ITEM | {"answer": "No."},
                **options,  # type: ignore[arg-type]
                offline="replies.jsonl",
            )


def test_functions_are_recorded_too(run: list[str]) -> None:
    def fake(messages: list[dict[str, str]]) -> str:
        return "Politeness: 2"

    def gone(messages: list[dict[str, str]]) -> str:
        raise AssertionError

    gone.__name__ = "fake"
    options = {"judge": "judge.yaml", "store": "other.db"}
    package.run(ROWS, model=fake, record="replies.jsonl", **options).close()  # type: ignore[arg-type]
    run_again = package.run(ROWS, model=gone, offline="replies.jsonl", **options)  # type: ignore[arg-type]
    assert run_again.mean("polite") == 2.0
    run_again.close()


def test_a_replay_by_item_says_when_texts_have_changed(adjudge: Command, run: list[str]) -> None:
    replies = [{"item": row["id"], "replies": ["Politeness: 4"]} for row in ROWS]
    Path("by_item.jsonl").write_text("".join(json.dumps(row) + "\n" for row in replies))
    replay = [*run[:4], "-m", "replay:by_item.jsonl"]
    assert "finds replies by item id alone" in adjudge(*replay).err
    again = adjudge(*replay).err
    assert "by item id alone" not in again
    assert "have changed" not in again
    write([ROWS[0], ROWS[1] | {"answer": "Leave!"}])
    said = adjudge(*replay, "--gate", "polite.mean>=4").err
    assert "the texts of 1 items have changed since run" in said
    assert "'q2'" in said


def test_a_replay_that_has_the_texts_says_it_in_a_new_store(
    adjudge: Command, run: list[str]
) -> None:
    replies = [
        {"item": row["id"], "replies": ["Politeness: 4"], "texts": {"answer": row["answer"]}}
        for row in ROWS
    ]
    Path("by_item.jsonl").write_text("".join(json.dumps(row) + "\n" for row in replies))
    replay = [*run[:4], "-m", "replay:by_item.jsonl", "--store"]
    said = adjudge(*replay, "a.db").err
    assert "texts" not in said
    assert "by item id alone" not in said
    write([ROWS[0], ROWS[1] | {"answer": "Leave!"}])
    said = adjudge(*replay, "b.db").err
    assert "the texts of 1 items are not those that replay:by_item.jsonl has replies for" in said
    assert "('q2')" in said


def test_a_recording_is_no_replay_by_item(adjudge: Command, run: list[str]) -> None:
    said = adjudge(*run, "--record", "recorded.jsonl")
    assert said.code == 0
    said = adjudge(*run[:4], "-m", "replay:recorded.jsonl")
    assert said.code == 2
    assert "use it with --offline recorded.jsonl" in said.err
