"""What README says, run: its commands against a server on loopback, its Python, its links."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest
from tests.commands import Command
from tests.servers import ChatServer, says

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")
COMMANDS = [
    shlex.split(line.removeprefix("$ adjudge "))
    for line in README.splitlines()
    if line.startswith("$ adjudge ") and line != "$ adjudge serve"  # tests/browser has it
]
HELPFUL = (
    '{"evaluation": "It answers all that was asked.", "strengths": ["clear", "short"],'
    ' "weaknesses": ["no source", "no example"], "analysis": "Sound.",'
    ' "recommendations": ["Add a source."], "rating": 4}'
)
# What the page shows of the tables that its commands print.
(PRINTED,) = re.findall(r"^```\n(criterion.*?)^```", README, re.MULTILINE | re.DOTALL)


@pytest.fixture
def folder(adjudge: Command) -> Path:
    """A working directory with the files that README speaks of."""
    shutil.copytree(ROOT / "examples", adjudge.folder / "examples")
    shutil.copy(ROOT / "examples/chatbot.csv", adjudge.folder / "answers.csv")
    assert adjudge("judges", "new", "my-judge").code == 0
    return adjudge.folder


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_the_commands_run(
    command: list[str], adjudge: Command, folder: Path, server: ChatServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setenv("OPENAI_API_KEY", "a-key")
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    if command[0] in ("calibrate", "report"):  # of the tutorial's run
        assert adjudge(*next(each for each in COMMANDS if "replay:" in " ".join(each))).code == 0
    elif "-m" not in command:
        command = [*command, "-m", "openai/any"]  # the embedded model has tests of its own
    command = [server.base_url if part.startswith("http://localhost") else part for part in command]
    own = '{"explanation": "It is calm.", "insult": false, "politeness": 4}'
    reply = HELPFUL if "helpfulness" in command else own
    server.answer = lambda _: says(reply)
    ended = adjudge(*command)
    assert ended.code == 0, ended.err
    for name in re.findall(r"-o (\S+)", " ".join(command)):
        assert (folder / name).stat().st_size


@pytest.mark.usefixtures("folder")
def test_the_tables_are_those_of_the_commands(adjudge: Command) -> None:
    offline = [line for line in COMMANDS if "replay:" in " ".join(line) or line[0] == "calibrate"]
    printed = "".join(adjudge(*command).out for command in offline)
    shown = [line for line in PRINTED.splitlines() if line != "…"]
    assert len(shown) > 4
    for line in shown:
        assert line in printed, line


def test_the_python_runs(server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    server.answer = lambda _: says(HELPFUL)
    code = re.findall(r"```python\n(.*?)```", README, re.DOTALL)[0]
    server_model = f'model="openai/any", base_url="{server.base_url}",\n)\nprint'
    exec(code.replace(")\nprint", server_model), {})  # noqa: S102 - our own page


@pytest.mark.parametrize("page", sorted(ROOT.glob("*.md")) + sorted(ROOT.glob("docs/**/*.md")))
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)", page.read_text("utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target
