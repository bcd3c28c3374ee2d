"""Exit codes, and what goes where."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.commands import ADJUDGE, Command

from adjudge import __version__
from adjudge.cli.main import COMMANDS, cli

ONE = ["one", "--judge", "helpfulness", "--set", "question=q", "--set", "answer=a"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "Commands:"),
        (["judges"], "Commands:"),
        (["bogus"], "no command 'bogus'"),
        (["rum"], "Did you mean run?"),
        (["run"], "Missing argument 'DATA'"),
        (["run", "data.jsonl"], "Missing option '--judge'"),
        (["run", "data.jsonl", "--bogus"], "No such option"),
        (["run", "--limit", "few", "data.jsonl"], "'few' is not a valid integer"),
        (["run", "x.jsonl", "--judge", "helpfulness"], "there is no such file"),
        (["run", "data.jsonl", "--judge", "nobody"], "no judge 'nobody'"),
        (["run", "data.jsonl", "--judge", "bad.yaml"], "bad.yaml, line 2"),
        (["run", "data.jsonl", "--judge", "missing.yaml"], "no such file"),
        (["run", "data.jsonl", "--judge", "helpfulness", "--map", "x"], "--map x: write it as"),
        (["run", "data.jsonl", "--judge", "helpfulness", "--map", "x=y"], "no input 'x'"),
        (["run", "data.jsonl", "--judge", "helpfulness", "--map", "answer=y"], "no column 'y'"),
        (["run", "data.jsonl", "--judge", "helpfulness", "-m", "nobody/x"], "no provider"),
        (["run", "data.jsonl", "--judge", "helpfulness", "-o", "x.docx"], "ending '.docx'"),
        (["run", "data.jsonl", "--judge", "helpfulness", "-o", "no/x.csv"], "is not there"),
        (["run", "data.jsonl", "--judge", "helpfulness", "-o", "."], "no ending"),
        (["run", "data.jsonl", "--judge", "helpfulness", "--store", "."], "this is a folder"),
        (["run", "data.jsonl", "--judge", "helpfulness", "--store", "x://y"], "stores are a path"),
        (["run", "data.jsonl", "--judge", "helpfulness", "--max-unscored", "some"], "such as 2%"),
        (["run", "data.jsonl", "--judge", "helpfulness", "--max-unscored", "200%"], "such as 2%"),
        (["run", "data.jsonl", "--judge", "helpfulness", "--tag", "x"], "--tag x: write it as"),
        (["run", "broken.jsonl", "--judge", "helpfulness"], "line 2"),
        (["one", "--judge", "helpfulness"], "Nothing to judge"),
        (["one", "--judge", "helpfulness", "--set", "question=q"], "'answer'"),
        ([*ONE, "--set", "answer=b"], "answer is given twice"),
        (["judges", "show", "nobody"], "no judge 'nobody'"),
        (["judges", "check", "bad.yaml"], "1 of 1 judge files are wrong"),
        (["judges", "new", "Bad Name"], "is not a valid name here"),
        (["show", "--prompt"], "need --item"),
        (["export", "latest"], "Missing option"),
        (["export", "latest", "-o", "x.docx"], "ending '.docx'"),
        (["models", "pull", "nobody"], "nobody"),
    ],
)
def test_wrong_usage_is_2(adjudge: Command, arguments: list[str], says: str) -> None:
    adjudge.write("data.jsonl", [{"question": "q", "answer": "a"}])
    Path("broken.jsonl").write_text('{"question": "q", "answer": "a"}\n{oops\n')
    Path("bad.yaml").write_text("judge: bad\nversions: 1\n")
    ended = adjudge(*arguments)
    assert ended.code == 2
    assert says in ended.err
    assert ended.out == ""
    assert not Path(".adjudge").exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["runs"], "there is no store here"),
        (["show"], "there is no store here"),
        (["export", "-o", "x.csv"], "there is no store here"),
        (["runs", "--store", "junk.db"], "not an adjudge store"),
        ([*ONE, "--store", "junk.db"], "not an adjudge store"),
        ([*ONE, "-m", "openai/gpt-x"], "OPENAI_API_KEY"),
        (["run", "data.jsonl", "--judge", "helpfulness", "-m", "openai/x"], "OPENAI_API_KEY"),
        (
            ["run", "data.jsonl", "--judge", "helpfulness", "--store", "junk.db"],
            "not an adjudge store",
        ),
        (["run", "data.jsonl", "--judge", "helpfulness", "--store", "junk.db/x"], "--store"),
    ],
)
def test_what_stops_the_work_is_1(adjudge: Command, arguments: list[str], says: str) -> None:
    adjudge.write("data.jsonl", [{"question": "q", "answer": "a"}])
    Path("junk.db").write_text("this is no database " * 50)
    ended = adjudge(*arguments)
    assert ended.code == 1
    assert ended.err.startswith("adjudge: ")
    assert says in ended.err
    assert ended.out == ""


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["run", "--help"], ["judges", "-h"]])
def test_help_is_0(adjudge: Command, arguments: list[str]) -> None:
    ended = adjudge(*arguments)
    assert (ended.code, ended.err) == (0, "")
    assert "Usage: adjudge" in ended.out


def test_version(adjudge: Command) -> None:
    assert adjudge("--version").out == f"adjudge, version {__version__}\n"


def test_every_command_says_in_the_list_what_it_says_itself() -> None:
    import click

    for name in COMMANDS:
        command = cli.get_command(click.Context(cli), name)
        assert command is not None
        assert command.name == name


def test_a_message_cannot_steer_the_terminal(adjudge: Command) -> None:
    adjudge.write("data.jsonl", [{"x\x1b]0;hi\x07": "q"}])
    ended = adjudge("run", "data.jsonl", "--judge", "x\x07\u202e")
    assert ended.code == 2
    assert not set("\x1b\x07\u202e") & set(ended.err)
    ended = adjudge("export", "-o", "x.csv", "--store", "no\x07where")
    assert r"no\x07where" in ended.err


def test_a_name_that_is_no_text(adjudge: Command) -> None:
    ended = adjudge("run", "data\udcff.jsonl", "--judge", "helpfulness")
    assert ended.code == 2
    assert "no such file" in ended.err
    assert adjudge("judges", "new", "mine", "-o", ".").code == 0
    Path("odd\udcff.yaml").write_text(Path("mine.yaml").read_text())
    ended = adjudge("judges", "check", "odd\udcff.yaml")
    assert ended.code == 0
    assert ended.out.startswith(r"odd\udcff.yaml: ok")


def test_a_reader_that_leaves(adjudge: Command) -> None:
    """`adjudge judges list | head -1` ends without a word about it."""
    shell = f"'{ADJUDGE}' judges schema | head -1; exit ${{PIPESTATUS[0]}}"
    ended = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=False)
    assert ended.stdout == "{\n"
    assert ended.stderr == ""
    assert ended.returncode in {0, 1}


def test_no_memory(adjudge: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_room(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("adjudge.api.run", no_room)
    adjudge.write("data.jsonl", [{"question": "q", "answer": "a"}])
    ended = adjudge("run", "data.jsonl", "--judge", "helpfulness")
    assert ended.code == 1
    assert ended.err.startswith("adjudge: there is no memory left. What was answered is kept")


@pytest.mark.parametrize(("arguments", "code"), [("--version", 0), ("--nonsense", 2)])
def test_a_process_that_was_in_a_cluster_ends_at_once(arguments: str, code: int) -> None:
    """With its exit code and all that it had to say, though nothing is taken apart."""
    program = (
        "import atexit, sys, types\n"
        "from adjudge.cli import main\n"
        "class Late:\n"
        "    def __del__(self): print('taken apart')\n"
        "sys.modules['ray'] = types.ModuleType('ray')\n"
        "sys.modules['ray'].late = Late()\n"
        "atexit.register(print, 'at the end')\n"
        f"sys.argv = ['adjudge', {arguments!r}]\n"
        "main.command()"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert ended.returncode == code
    assert "adjudge" in ended.stdout + ended.stderr
    assert "at the end" in ended.stdout
    assert "taken apart" not in ended.stdout
