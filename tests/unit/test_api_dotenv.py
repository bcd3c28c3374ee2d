"""The Python front reads `.env`, and no settings file."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.servers import ChatServer, says

import adjudge
from adjudge.settings import dotenv

ITEM = {"question": "q", "answer": "a"}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    before = set(os.environ)
    for name in list(os.environ):
        if name.startswith(("ADJUDGE_", "OPENAI_")):
            monkeypatch.delenv(name)
    monkeypatch.setattr(dotenv, "_read", {})
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    for name in set(os.environ) - before:
        del os.environ[name]


def test_keys_and_addresses_come_from_env(folder: Path, server: ChatServer) -> None:
    server.answer = lambda _: says("I would rather not.")
    (folder / ".env").write_text(f"OPENAI_API_KEY=k\nOPENAI_BASE_URL={server.base_url}\n")
    (folder / "adjudge.toml").write_text("this is not even = TOML = \n")
    adjudge.judge("helpfulness", ITEM, model="openai/x")
    assert server.asked
    with pytest.raises(adjudge.AdjudgeError, match="no provider"):
        adjudge.run("x.jsonl", judge="helpfulness", model="nobody/x")


def test_nothing_happens_at_import(folder: Path) -> None:
    (folder / ".env").write_text("OPENAI_API_KEY=k\n")
    script = "import adjudge, adjudge.api, os; print(os.environ.get('OPENAI_API_KEY'))"
    ended = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert ended.stdout == "None\n"
