from __future__ import annotations

from pathlib import Path

import click
import pytest

from adjudge.cli.file_paths import anchored

FOLDER = Path("/project")


def flag(key: str) -> click.Option:
    return click.Option([f"--{key}"], metavar="FILE" if key == "out" else "TEXT")


@pytest.mark.parametrize(
    ("key", "text", "means"),
    [
        ("store", "kept/x.db", "/project/kept/x.db"),
        ("store", "/kept/x.db", "/kept/x.db"),
        ("store", "sqlite", "sqlite"),
        ("store", "sqlite:///x.db", "sqlite:////project/x.db"),
        ("store", "sqlite:////x.db", "sqlite:////x.db"),
        ("store", "postgresql://host/db", "postgresql://host/db"),
        ("judge", "chatbot", "chatbot"),
        ("judge", "mine.yaml", "/project/mine.yaml"),
        ("judge", "judges/mine", "/project/judges/mine"),
        ("model", "openai/gpt-4o-mini", "openai/gpt-4o-mini"),
        ("model", "openai:gpt-4o-mini", "openai:gpt-4o-mini"),
        ("model", "replay:r.jsonl", "replay:/project/r.jsonl"),
        ("model", "embedded:m.gguf", "embedded:/project/m.gguf"),
        ("model", "embedded:smollm2-135m", "embedded:smollm2-135m"),
        ("model", "embedded", "embedded"),
        ("out", "x.csv", "/project/x.csv"),
        ("out", "~/x.csv", "/home/me/x.csv"),
        ("set", "answer=@a.txt", "answer=@/project/a.txt"),
        ("set", "answer=@-", "answer=@-"),
        ("set", "answer=a.txt", "answer=a.txt"),
        ("base-url", "v1/x", "v1/x"),
    ],
)
def test_from_the_file_s_folder(
    key: str, text: str, means: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    assert anchored(flag(key), text, FOLDER) == means


def test_as_written_in_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert anchored(flag("model"), "replay:r.jsonl", tmp_path) == "replay:r.jsonl"
