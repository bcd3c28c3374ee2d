"""The plugin in sessions of its own, also with the workers of xdist."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import adjudge
import adjudge.stores.opening  # else a session within a test would load it twice

pytest_plugins = ["pytester"]

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
  polite: {title: Politeness, guide: Polite, scale: {type: integer, min: 1, max: 5}}
reply: text
"""
TESTS = """
import adjudge
import pytest

ANSWERS = {"How?": "Gladly.", "Why?": "So it is."}

def keen(messages):
    text = str(messages)
    return "Hm." if "mumble" in text else f"Politeness: {1 if 'Go away' in text else 5}"

@pytest.mark.adjudge_data("questions.jsonl")
def test_row(adjudge_row, adjudge_judge):
    item = {"question": adjudge_row["question"], "answer": ANSWERS[adjudge_row["question"]]}
    adjudge_judge(item, at_least={"polite": 4}, judge="judge.yaml", model=keen)

def test_direct():
    item = {"question": "Hi", "answer": "Hello."}
    adjudge.assert_judged(item, at_least={"polite": 4}, judge="judge.yaml", model=keen)

def test_without_judging():
    pass
"""


@pytest.fixture
def suite(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "")
    monkeypatch.delenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    Path("judge.yaml").write_text(JUDGE)
    rows = [{"id": "how", "question": "How?"}, {"question": "Why?"}]
    Path("questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    pytester.makepyfile(test_bot=TESTS)
    return pytester


# Plugins of others that are here too: to load them takes most of a session's time.
OTHERS = ("cacheprovider", "schemathesis", "hypothesispytest", "anyio")


def run(suite: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    without = (f"-pno:{name}" for name in OTHERS)
    return suite.runpytest_subprocess(*without, *arguments)


def test_passes_and_tells_of_it(suite: pytest.Pytester) -> None:
    result = run(suite, "-v")
    result.assert_outcomes(passed=4)
    result.stdout.fnmatch_lines(
        [
            "*test_bot.py::test_row[[]how[]] PASSED*",
            "*test_bot.py::test_row[[]row2[]] PASSED*",
            "*= adjudge =*",
            "polite (politeness by keen): mean 5, 3 judged, 0 unscored",
            "kept as run *",
        ]
    )
    kept = adjudge.open_run(store=str(suite.path / ".adjudge/adjudge.db"))
    assert [row["item"] for row in kept.to_dicts()] == [
        "test_bot.py::test_direct",
        "test_bot.py::test_row[how]",
        "test_bot.py::test_row[row2]",
    ]
    assert kept.mean("polite") == 5.0
    assert kept.record.state == "finished"
    kept.close()


def test_a_worse_answer_fails(suite: pytest.Pytester) -> None:
    suite.makepyfile(test_bot=TESTS.replace("So it is.", "Go away."))
    result = run(suite)
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(["*polite is 1, below 4*", "polite *: mean 3.67, 3 judged,*"])


def test_an_unscored_answer_fails_and_is_counted(suite: pytest.Pytester) -> None:
    suite.makepyfile(test_bot=TESTS.replace("So it is.", "mumble"))
    result = run(suite)
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(["*polite was not scored*", "*mean 5, 3 judged, 1 unscored"])


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_recorded_then_offline(suite: pytest.Pytester, workers: tuple[str, ...]) -> None:
    run(suite, "--adjudge-record", "replies.jsonl", *workers).assert_outcomes(passed=4)
    lines = Path("replies.jsonl").read_text().splitlines()
    assert len(lines) == 4  # the model, and three replies
    gone = TESTS.replace("text = messages", "raise ConnectionError\n    text = messages")
    suite.makepyfile(test_bot=gone)
    result = run(suite, "--adjudge-offline", "replies.jsonl", *workers)
    result.assert_outcomes(passed=4)
    result.stdout.fnmatch_lines(["polite (politeness by keen): mean 5, 3 judged, 0 unscored"])
    suite.makepyfile(test_bot=gone.replace("So it is.", "Go away."))
    result = run(suite, "--adjudge-offline", "replies.jsonl", *workers)
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(["*no reply is recorded for item*"])


def test_settings_name_judge_and_model(suite: pytest.Pytester) -> None:
    replies = [{"item": "q1", "replies": ["Politeness: 3"]}]
    Path("replies.jsonl").write_text("".join(json.dumps(row) + "\n" for row in replies))
    suite.makeini("[pytest]\nadjudge_judge = judge.yaml\nadjudge_model = replay:replies.jsonl\n")
    suite.makepyfile(
        test_bot="""
        def test_it(adjudge_judge):
            item = {"id": "q1", "question": "How?", "answer": "So."}
            assert adjudge_judge(item, at_least={"polite": 3}).scores["polite"].value == 3
            adjudge_judge(item, at_least={"polite": 1})
        """
    )
    run(suite, "--adjudge-store", "tests.db").assert_outcomes(passed=1)
    kept = adjudge.open_run(store="tests.db")
    names = sorted(str(row["item"]) for row in kept.to_dicts())
    assert names == ["test_bot.py::test_it", "test_bot.py::test_it (2)"]
    kept.close()


def test_a_file_that_is_not_there_is_named(suite: pytest.Pytester) -> None:
    Path("questions.jsonl").unlink()
    result = run(suite)
    assert result.ret != 0
    result.stdout.fnmatch_lines(["*questions.jsonl: there is no such file*"])


def test_a_row_without_a_file(suite: pytest.Pytester) -> None:
    suite.makepyfile(test_bot="def test_row(adjudge_row): ...")
    result = run(suite)
    result.stdout.fnmatch_lines(["*adjudge_row needs @pytest.mark.adjudge_data('FILE')*"])
