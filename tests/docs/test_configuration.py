"""What docs/configuration.md says about files and variables, held against the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from adjudge.cli import sources
from adjudge.cli.main import cli
from adjudge.cli.settings_file import VARIABLES, problems
from adjudge.models.registry import providers
from adjudge.settings import dotenv, toml_file

PAGE = (Path(__file__).parents[2] / "docs/configuration.md").read_text("utf-8")


def block(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    assert found
    return found[1]


def test_the_settings_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    tree = sources.tree(cli)
    path = tmp_path / "adjudge.toml"
    path.write_text(block("toml"), "utf-8")
    assert problems(toml_file.read(path), tree) == []
    project = tmp_path / "pyproject.toml"
    moved = re.sub(r"^\[", "[tool.adjudge.", block("toml"), flags=re.MULTILINE)
    project.write_text(f"[tool.adjudge]\n{moved}", "utf-8")
    assert toml_file.read(project).table == toml_file.read(path).table


def test_env() -> None:
    names = [line.partition("=")[0] for line in block("dotenv").splitlines()]
    assert names
    assert all(dotenv.concerns(name, providers()) for name in names)


def test_variables_that_are_no_flags() -> None:
    assert set(re.findall(r"^\| `(ADJUDGE_\w+)` \|", PAGE, re.MULTILINE)) == set(VARIABLES)
