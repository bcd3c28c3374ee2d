"""The tutorial, command by command: what the page shows is what happens."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest
from tests.commands import Command

ROOT = Path(__file__).parents[2]
PAGES = ("tutorial.md", "tutorial.ko.md", "tutorial.vi.md")


def steps_of(page: str) -> list[tuple[str, str]]:
    text = (ROOT / "docs" / page).read_text("utf-8")
    return re.findall(r"```console\n(.*?)```\n+```\n(.*?)```", text, re.DOTALL)


STEPS = steps_of("tutorial.md")
_RUN = re.compile(r"\b[0-9a-f]{12}\b")


@pytest.mark.parametrize("page", PAGES)
def test_three_commands_and_their_output(adjudge: Command, page: str) -> None:
    shutil.copytree(ROOT / "examples" / "tutorial", adjudge.folder, dirs_exist_ok=True)
    steps = steps_of(page)
    assert len(steps) == 3
    for console, shown in steps:
        command = console.splitlines()[-1].removeprefix("$ adjudge ")
        ended = adjudge(*shlex.split(command))
        assert ended.code == 0, ended.err
        out = _RUN.sub("RUN", ended.out)
        for part in _RUN.sub("RUN", shown).split("…\n"):
            place = out.find(part.strip("\n"))
            assert place >= 0, f"{command} does not print:\n{part}\nbut:\n{ended.out}"
            out = out[place:]


def test_the_report_is_written(adjudge: Command) -> None:
    shutil.copytree(ROOT / "examples" / "tutorial", adjudge.folder, dirs_exist_ok=True)
    for console, _ in STEPS[:2]:
        adjudge(*shlex.split(console.splitlines()[-1].removeprefix("$ adjudge ")))
    assert "## May shop-answers" in (adjudge.folder / "trust.md").read_text("utf-8")
