"""What is missing is named with the command that installs it, before anything is spent."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from tests.commands import Command

import adjudge
from adjudge import extras
from adjudge.errors import MissingExtra

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))
OPTIONAL = PROJECT["project"]["optional-dependencies"]


@pytest.fixture
def command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    monkeypatch.chdir(tmp_path)
    return Command(tmp_path, monkeypatch, capsys)


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """No extra is installed."""
    monkeypatch.setattr(extras, "find_spec", lambda name: None)


def test_every_extra_is_one_of_the_package() -> None:
    assert {*extras.EXTRAS, "all"} == OPTIONAL.keys()
    (whole,) = map(Requirement, OPTIONAL["all"])
    assert whole.extras == set(extras.EXTRAS)


@pytest.mark.parametrize(
    ("words", "extra"),
    [
        (("calibrate", "latest"), "trust"),
        (("compare", "a", "b"), "trust"),
        (("rank", "latest"), "trust"),
        (("panel",), "trust"),
        (("probe", "--judge", "helpfulness"), "trust"),
        (("report", "latest", "-o", "r.html"), "web"),
        (("serve",), "web"),
        (("runs", "--store", "postgresql://host/name"), "postgres"),
        (("run", "data.jsonl", "--judge", "helpfulness", "-o", "x.parquet"), "parquet"),
        (("run", "data.parquet", "--judge", "helpfulness", "-m", "replay:r.jsonl"), "parquet"),
        (("run", "data.jsonl", "--judge", "helpfulness", "--gate", "rating.lower>=3"), "trust"),
    ],
)
@pytest.mark.usefixtures("bare")
def test_a_command_names_the_command_that_installs(
    command: Command, tmp_path: Path, words: tuple[str, ...], extra: str
) -> None:
    (tmp_path / "data.jsonl").write_text('{"question": "a", "answer": "b"}\n')
    (tmp_path / "data.parquet").write_bytes(b"PAR1")
    (tmp_path / "r.jsonl").write_text('{"item": "1", "replies": ["Total rating: 3"]}\n')
    told = command(*words)
    assert told.code == 2
    assert f"pip install 'adjudge[{extra}]'" in told.err
    assert "Traceback" not in told.err


def test_help_needs_no_extra(command: Command, bare: None) -> None:
    assert "Usage: adjudge serve" in command("serve", "--help").out


@pytest.mark.usefixtures("bare")
def test_python_says_the_same() -> None:
    with pytest.raises(MissingExtra) as raised:
        adjudge.calibrate("latest")
    assert raised.value.code == "extra.missing"
    assert raised.value.remedy == "Install it: pip install 'adjudge[trust]'"
