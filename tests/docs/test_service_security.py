"""docs/service-security.md: its commands work, and what it shows is what comes."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from tests.commands import Command

from adjudge.service.options import ServeOptions
from adjudge.stores import TOKEN_SCOPES

PAGE = Path(__file__).parents[2] / "docs" / "service-security.md"
TEXT = PAGE.read_text("utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)


def test_the_commands_that_make_tokens(adjudge: Command) -> None:
    for line in blocks("sh")[0].splitlines():
        _, *arguments = shlex.split(line, comments=True)
        if arguments[1] == "revoke":
            arguments[2] = adjudge("tokens", "list", "--json").json[0]["id"]
        assert adjudge(*arguments).code == 0
    made = adjudge("tokens", "list", "--json").json
    assert [(each["name"], each["scope"], each["rate"]) for each in made] == [
        ("ci", "judge", None),
        ("dashboard", "read", None),
        ("nightly", "judge", 600),
    ]


def test_the_refusal(adjudge: Command) -> None:
    command, said = blocks("text")[0].splitlines()
    started = adjudge.process(*shlex.split(command.removeprefix("$ adjudge ")), "--port", "0")
    out, err = started.communicate(timeout=60)
    assert (out, err) == ("", f"{said}\n")


def test_the_figures() -> None:
    options = ServeOptions()
    assert f"`--rate`, {options.rate:,};" in TEXT
    assert f"`--max-body`, {options.body // 10**6} MB |" in TEXT
    assert f"| {options.item_body // 10**6} MB, or `--max-body`" in TEXT
    assert [row for row in TOKEN_SCOPES if f"| `{row}`" in TEXT] == list(TOKEN_SCOPES)
