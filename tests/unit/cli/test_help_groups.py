"""Help in groups; every flag has its place."""

from __future__ import annotations

import click
import pytest
from tests.commands import Command

from adjudge.cli.help_groups import _GROUP_OF, _RARE, GroupedCommand
from adjudge.cli.main import cli
from adjudge.cli.sources import key_of

CONTEXT = click.Context(cli)
MANY = 15  # flags that a plain list may have


def flags_of(command: click.Command) -> set[str]:
    options = (part for part in command.params if isinstance(part, click.Option))
    return {key_of(option) for option in options} - {"help-all"}


@pytest.mark.parametrize("name", cli.list_commands(CONTEXT))
def test_a_command_with_many_flags_groups_them(name: str) -> None:
    command = cli.get_command(CONTEXT, name)
    assert command is not None
    if isinstance(command, GroupedCommand):
        assert flags_of(command) <= _GROUP_OF.keys()
    elif not isinstance(command, click.Group):
        assert len(flags_of(command)) <= MANY + 2, "use cls=GroupedCommand"


def test_what_is_rare_is_in_a_group() -> None:
    assert _GROUP_OF.keys() >= _RARE


def test_run_shows_the_usual_flags_and_counts_the_others(adjudge: Command) -> None:
    short, whole = adjudge("run", "--help").out, adjudge("run", "--help-all").out
    for title in ("What:", "How:", "Limits:", "Output:"):
        assert f"\n{title}\n" in short
    command = cli.get_command(CONTEXT, "run")
    assert command is not None
    for flag in flags_of(command):
        assert f"--{flag}" in whole
        assert (f"  --{flag} " in short or f", --{flag} " in short) == (flag not in _RARE), flag
    assert f"shows {len(flags_of(command) & _RARE)} more flags" in short
    assert "more flags" not in whole


def test_neither_needs_good_settings(adjudge: Command) -> None:
    (adjudge.folder / "adjudge.toml").write_text("nonsense = 1\n")
    assert adjudge("run", "--help-all").code == 0
