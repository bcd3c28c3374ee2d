"""Every flag of every command can be set beforehand; what is wrong is named with its place."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from tests.commands import Command

from adjudge.cli import sources
from adjudge.cli.main import COMMANDS, cli
from adjudge.cli.settings_file import ANCHORS, PATHS, anchored, key_of, takes_a_table
from adjudge.models import registry
from adjudge.settings import dotenv

from .conftest import reply

SETTINGS = [
    pytest.param(scope, option, id=f"{' '.join(scope)} {key_of(option)}")
    for scope, options in sources.tree(cli).items()
    for option in options
]


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    before = set(os.environ)
    monkeypatch.setattr(dotenv, "_read", {})
    yield
    for name in set(os.environ) - before:
        del os.environ[name]


def parsed(scope: sources.Scope, option: click.Option, *flags: str) -> Any:
    """What the command would get for the option."""
    context = click.Context(cli, info_name="adjudge", **cli.context_settings)
    *above, last = scope
    for name in above:
        context = click.Context(_below(context, name), parent=context, info_name=name)
    command = _below(context, last)
    context = command.make_context(last, [*flags, *_needed(command, option)], context)
    assert option.name is not None
    return context.params[option.name]


def _below(context: click.Context, name: str) -> click.Command:
    assert isinstance(context.command, click.Group)
    found = context.command.get_command(context, name)
    assert found is not None
    return found


def _needed(command: click.Command, but: click.Option) -> list[str]:
    needed: list[str] = []
    for each in command.params:
        if isinstance(each, click.Argument) and each.required:
            needed.append("x")
        elif isinstance(each, click.Option) and each.required and each.name != but.name:
            needed += [each.opts[-1], "x"]
    return needed


def sample(option: click.Option, number: int) -> Any:
    """A value that TOML can hold; another one for every number, as far as there are several."""
    if option.is_flag or isinstance(option.type, click.types.BoolParamType):
        return number % 2 == 1
    if isinstance(option.type, click.Choice):
        one = option.type.choices[number % len(option.type.choices)]
        return [one] if option.multiple else one
    if isinstance(option.type, click.types.IntParamType):
        return number
    if isinstance(option.type, click.types.FloatParamType):
        return number + 0.5
    text = f"a=b{number}" if "=" in (option.metavar or "") else f"v{number}"
    return [text, "c=d"] if option.multiple else text


def taken(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


@pytest.mark.parametrize(("scope", "option"), SETTINGS)
def test_flag_before_variable_before_table_before_top(
    scope: sources.Scope, option: click.Option, adjudge: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = key_of(option)
    top, table, variable, flag = (sample(option, number) for number in (1, 2, 3, 4))
    Path("adjudge.toml").write_text(f"{key.replace('-', '_')} = {json.dumps(top)}\n")
    assert parsed(scope, option) == taken(top)

    # TOML has no place for both `store = …` and [store.check].
    with Path("adjudge.toml").open("w" if scope[0] == key else "a") as file:
        file.write(f"[{'.'.join(scope)}]\n{key} = {json.dumps(table)}\n")
    assert parsed(scope, option) == taken(table)

    assert option.envvar == f"ADJUDGE_{key.replace('-', '_').upper()}"
    said = " ".join(variable) if isinstance(variable, list) else str(variable)
    monkeypatch.setenv(option.envvar, said)
    assert parsed(scope, option) == taken(variable)

    if option.is_flag:
        monkeypatch.setenv(option.envvar, "0")
        assert parsed(scope, option, f"--{key}") is True
    elif option.multiple:
        given = [word for value in flag for word in (f"--{key}", value)]
        assert parsed(scope, option, *given) == taken(flag)
    else:
        assert parsed(scope, option, f"--{key}", str(flag)) == flag


def test_a_table_is_a_flag_s_or_a_command_s() -> None:
    options = [option for options in sources.tree(cli).values() for option in options]
    assert not {key_of(each) for each in options if takes_a_table(each)} & set(COMMANDS)


def test_a_flag_may_be_called_like_a_command(adjudge: Command) -> None:
    """`label --export FILE` and the table of `export`."""
    Path("adjudge.toml").write_text("[export]\nout = ['x.csv']\n[label]\nexport = 'y.csv'\n")
    tree = sources.tree(cli)
    assert [
        parsed((name,), option)
        for name, key in (("export", "out"), ("label", "export"))
        for option in tree[name,]
        if key_of(option) == key
    ] == [("x.csv",), "y.csv"]
    Path("adjudge.toml").write_text("[export]\nout = ['x.csv']\n")
    assert "no store here" in adjudge("label").err


def test_a_command_below_a_setting_of_the_same_name(adjudge: Command) -> None:
    """In TOML, `store` cannot be a path and a table at once."""
    Path("adjudge.toml").write_text('store = "here.db"\n["store check"]\njson = true\n')
    assert adjudge("store", "migrate").code == 0
    assert Path("here.db").exists()
    assert isinstance(adjudge("store", "check").json, dict)
    Path("adjudge.toml").write_text('["store check"]\nstore = "here.db"\nrows = 3\n')
    ended = adjudge("store", "check")
    assert ended.code == 2
    assert "adjudge.toml, line 3, store check.rows" in ended.err
    Path("adjudge.toml").write_text('["store check"]\njson = true\n[store.check]\njson = 1\n')
    assert "line 4, store.check.json" in adjudge("store", "check").err


def test_every_flag_that_takes_a_path_says_where_it_begins() -> None:
    options = [option for options in sources.tree(cli).values() for option in options]
    paths = {
        key_of(each)
        for each in options
        if each.metavar not in PATHS and any(word in (each.metavar or "") for word in PATHS)
    }
    assert paths <= set(ANCHORS)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("concurency = 3", "line 1, concurency: there is no such setting; did you mean conc"),
        ("zzz = 3", "`adjudge doctor --all` lists what there is"),
        ("[rum]\nlimit = 3", "line 1, rum: there is no such setting; did you mean run?"),
        ("\n[one]\nrepeat = 3", "line 3, one.repeat: `one` has no --repeat; write it at the top"),
        ("run = 3", "line 1, run: this is a command"),
        ("embedded = 'x'", "set ADJUDGE_EMBEDDED in the environment"),
        ("limit = '3'", "line 1, limit: --limit must be a whole number without quotes, not"),
        ("limit = true", "a whole number without quotes, not true"),
        ("limit = 3.5", "a whole number without quotes, not 3.5"),
        ("timeout = 'long'", "--timeout must be a number"),
        ("json = 1", "--json must be true or false, not 1"),
        ("store = false", "--store must be a text in quotes, not false"),
        ("explain_in = {a = 1}", "--explain-in must be a text in quotes, not a table"),
        ("store = 2024-01-01", "must be a text in quotes"),
        ("[run]\nout = {a = 'b'}", "--out takes a list of texts, not a table"),
        ("limit = [1, 2]", "--limit takes one value, not 2"),
        ("ask = 'often'", "line 1, ask: --ask 'often' is not one of 'together', 'each'"),
        ("max-tokens = 1\nmax_tokens = 2", "line 2, max_tokens: given twice"),
        ("= 3", "line 1: this is not valid TOML"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(adjudge: Command, text: str, says: str) -> None:
    Path("adjudge.toml").write_text(text)
    ended = adjudge("runs")
    assert ended.code == 2
    assert ended.err.startswith("adjudge: adjudge.toml")
    assert says in ended.err


@pytest.mark.parametrize(
    "text",
    [
        "api_key = 'sk-hidden'",
        "OPENAI_API_KEY = 'sk-hidden'",
        "[openai]\nkey = 'sk-hidden'",
        "[run.env]\nOPENAI_API_KEY = 'sk-hidden'",
        "base-url = 'http://me:hidden@host/v1'",
        "tag = {db = 'x://me:hidden@host'}",
    ],
)
def test_secrets_are_refused_and_not_shown(adjudge: Command, text: str) -> None:
    Path("adjudge.toml").write_text(text)
    ended = adjudge("runs")
    assert ended.code == 2
    assert "in the environment or" in ended.err
    assert ".env" in ended.err
    assert "hidden" not in ended.err


def test_all_that_is_wrong_is_named_at_once(adjudge: Command) -> None:
    Path("adjudge.toml").write_text("limit = 'x'\n[run]\nzzz = 1\n")
    assert adjudge("runs").err.count("adjudge.toml, line") == 2


def test_one_value_where_one_is_taken(adjudge: Command) -> None:
    Path("adjudge.toml").write_text("judge = ['a', 'b']\nmodel = ['only']\n")
    ended = adjudge("one", "--set", "answer=x")
    assert "line 1, judge: --judge of `one` takes one value, not 2." in ended.err
    item = ["--set", "question=q", "--set", "answer=a"]
    ended = adjudge("one", "--judge", "helpfulness", *item)
    assert "no provider for the model 'only'" in ended.err


@pytest.mark.parametrize(
    ("text", "flag"),
    [
        ("concurrency = 0", "--concurrency"),
        ("max-unscored = 'some'", "--max-unscored"),
        ("tag = ['x']", "--tag"),
        ("explain-in = 'kr'", "--explain-in"),
    ],
)
def test_what_a_command_refuses_later_is_placed_too(
    adjudge: Command, answers: list[str], text: str, flag: str
) -> None:
    Path("adjudge.toml").write_text(text)
    ended = adjudge("run", *answers)
    assert ended.code == 2
    assert f"({flag} is set by adjudge.toml, line 1, {flag[2:]}.)" in ended.err


def test_a_variable_is_named_too(
    adjudge: Command, answers: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path(".env").write_text("\nADJUDGE_REPEAT=0\n")
    assert "(--repeat is set by ADJUDGE_REPEAT in .env, line 2.)" in adjudge("run", *answers).err
    monkeypatch.setenv("ADJUDGE_MAP", 'a="')
    assert "ADJUDGE_MAP: cannot be parsed: No closing" in adjudge("run", *answers).err


@pytest.mark.parametrize(("name", "text"), [("adjudge.toml", "= 3"), (".env", "what?\n")])
def test_help_is_shown_all_the_same(adjudge: Command, name: str, text: str) -> None:
    Path(name).write_text(text)
    for arguments in (["--help"], ["--version"], ["run", "-h"], ["cache", "info", "--help"]):
        assert adjudge(*arguments).code == 0
    for arguments in (["runs"], ["models"], ["judges", "schema"], ["show", "--item", "-h"]):
        ended = adjudge(*arguments)
        assert ended.code == 2
        assert name in ended.err


def test_a_run_by_the_file_alone(adjudge: Command, answers: list[str]) -> None:
    """From a folder below: paths begin at the file's folder."""
    Path("pyproject.toml").write_text(
        "[tool.adjudge]\nstore = 'kept/my.db'\nmodel = 'replay:replies.jsonl'\n"
        "[tool.adjudge.run]\njudge = 'helpfulness'\nlimit = 2\nout = ['scores.csv']\n"
        "tag = {team = 'x', year = 2024}\nmap = {question = 'question'}\njson = true\n"
    )
    below = Path("below")
    below.mkdir()
    os.chdir(below)
    shown = adjudge("run", "../data.jsonl").json
    assert shown["verdicts"] == 2
    assert (adjudge.folder / "scores.csv").is_file()
    assert (adjudge.folder / "kept/my.db").is_file()
    assert adjudge("runs", "--json").json[0]["tags"] == {"team": "x", "year": "2024"}


def test_a_map_flag_adds_to_the_files_map(adjudge: Command) -> None:
    """And says what it replaces; what it does not name stays."""
    adjudge.write("data.jsonl", [{"id": "r1", "Frage": "Q?", "Antwort": "A", "B": "C"}])
    adjudge.write("replies.jsonl", [{"item": "r1", "replies": [reply(4)]}])
    Path("adjudge.toml").write_text("[run]\nmap = {question = 'Frage', answer = 'B'}\n")
    judging = ("run", "data.jsonl", "--judge", "helpfulness", "-m", "replay:replies.jsonl")
    ended = adjudge(*judging, "--map", "answer=Antwort")
    assert ended.code == 0, ended.err
    assert "--map: answer replaces answer=B of adjudge.toml, line 2, run.map." in ended.err
    assert "question" not in ended.err
    shown = adjudge("show", "latest", "--item", "r1").out
    assert "question:\n  Q?\nanswer:\n  A\n" in shown
    same = adjudge(*judging, "--map", "answer=B")
    assert "replaces" not in same.err


def test_without_a_file_no_toml_is_read() -> None:
    script = (
        "import sys; sys.argv = ['adjudge', 'runs']\n"
        "from adjudge.cli.main import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print(sorted({'tomllib', 'dotenv'} & set(sys.modules)))"
    )
    ended = subprocess.run(
        [sys.executable, "-c", script], cwd="/", capture_output=True, text=True, check=False
    )
    assert ended.stdout == "[]\n"


def test_env_knows_every_provider() -> None:
    assert sources._providers() == registry.providers()


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
