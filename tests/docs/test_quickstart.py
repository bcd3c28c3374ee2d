"""The quickstart, completion in shells, the words about a missing extra: as the pages say."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from pathlib import Path

import pytest
from tests.commands import ADJUDGE, Command
from tests.servers import ChatServer, says

from adjudge import extras

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/quickstart.md").read_text("utf-8")
COMMANDS = [
    shlex.split(line.removeprefix("$ adjudge "))
    for line in PAGE.splitlines()
    if line.startswith("$ adjudge ")
]
SAID = {
    "quality": 4,
    "explanation": "The answer names the rule and the exception to it, and so it is right.",
    "rating": 4,
    "evaluation": "It answers all that was asked.",
    "strengths": ["clear", "short"],
    "weaknesses": ["no source", "no example"],
    "analysis": "Sound.",
    "recommendations": ["Add a source."],
}


def test_the_commands_run_in_order(
    adjudge: Command, server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "a-key")
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    server.answer = lambda _: says(json.dumps(SAID))
    (adjudge.folder / "prompt.txt").write_text(
        "Rate the answer from 1 to 5.\nQuestion: {question}\nAnswer: {answer}\nScore:"
    )
    (shown,) = re.findall(r"```\n(written: judge.yaml.*?)```", PAGE, re.DOTALL)
    assert len(COMMANDS) == 4
    for number, command in enumerate(COMMANDS):
        ended = adjudge(*command)
        assert ended.code == 0, (command, ended.err)
        if not number:
            assert ended.out + ended.err == shown
    assert (adjudge.folder / "scores.csv").stat().st_size
    assert (adjudge.folder / "page.html").stat().st_size


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_can_complete(shell: str) -> None:
    page = (ROOT / "docs/configuration.md").read_text("utf-8")
    assert f"_ADJUDGE_COMPLETE={shell}_source adjudge" in page
    env = {"_ADJUDGE_COMPLETE": f"{shell}_source", "PATH": "/usr/bin:/bin"}
    ended = subprocess.run([ADJUDGE], env=env, capture_output=True, text=True, check=False)
    assert "_ADJUDGE_COMPLETE" in ended.stdout


def test_words_complete() -> None:
    env = {"_ADJUDGE_COMPLETE": "bash_complete", "COMP_CWORD": "2", "PATH": "/usr/bin:/bin"}
    env["COMP_WORDS"] = "adjudge run --bu"
    ended = subprocess.run([ADJUDGE], env=env, capture_output=True, text=True, check=False)
    assert "--budget" in ended.stdout


def test_a_missing_extra_is_named_as_the_page_says(
    adjudge: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    page = (ROOT / "docs/dependencies.md").read_text("utf-8")
    assert adjudge("calibrate", "latest").err in page


def test_every_extra_is_on_the_page() -> None:
    page = (ROOT / "docs/dependencies.md").read_text("utf-8")
    assert all(f"| `{extra}` |" in page for extra in (*extras.EXTRAS, "all"))
