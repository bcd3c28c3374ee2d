"""The help of every command, word for word; ADJUDGE_UPDATE_GOLDEN=1 writes it anew."""

from __future__ import annotations

import os
from pathlib import Path

import click
import pytest
from tests.commands import Command

from adjudge.cli.main import cli

HERE = Path(__file__).parent
UPDATE = bool(os.environ.get("ADJUDGE_UPDATE_GOLDEN"))


def names() -> list[str]:
    """Every command, `judges list` after `judges`."""
    found = [""]
    for name in cli.list_commands(click.Context(cli)):
        found.append(name)
        command = cli.get_command(click.Context(cli), name)
        if isinstance(command, click.Group):
            found += [f"{name} {below}" for below in command.commands]
    return found


def file_of(name: str) -> Path:
    return HERE / f"{'-'.join(['adjudge', *name.split()])}.txt"


@pytest.mark.parametrize("name", names())
def test_help(adjudge: Command, name: str) -> None:
    shown = adjudge(*name.split(), "--help").out
    if UPDATE:
        file_of(name).write_text(shown, "utf-8")
    assert shown == file_of(name).read_text("utf-8")


def test_no_command_went_away_unnoticed() -> None:
    assert set(HERE.glob("*.txt")) == set(map(file_of, names()))
