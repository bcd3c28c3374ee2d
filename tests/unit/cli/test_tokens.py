from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.commands import Command

TOKEN = re.compile(r"adj_[0-9a-f]{8}_[A-Za-z0-9_-]{43}\n")


def test_a_token_is_printed_once_and_not_kept(adjudge: Command) -> None:
    ended = adjudge("tokens", "new", "ci")
    assert ended.code == 0
    assert TOKEN.fullmatch(ended.out)
    token_id = ended.out[4:12]
    assert token_id in ended.err
    assert "not shown again" in ended.err
    secret = ended.out.strip().removeprefix(f"adj_{token_id}_")
    assert secret not in ended.err
    shown = adjudge("tokens", "list")
    assert "ci" in shown.out
    assert secret not in shown.out + adjudge("tokens", "list", "--json").out
    with closing(sqlite3.connect(".adjudge/adjudge.db")) as db:
        assert secret not in "\n".join(db.iterdump())


def test_json(adjudge: Command) -> None:
    flags = ["--scope", "admin", "--rate", "60", "--json"]
    made = adjudge("tokens", "new", "김", *flags).json
    assert TOKEN.fullmatch(made.pop("token") + "\n")
    assert (made["name"], made["scope"], made["rate"]) == ("김", "admin", 60)
    assert made["created"].endswith("+00:00")
    assert adjudge("tokens", "list", "--json").json == [made]
    gone = adjudge("tokens", "revoke", made["id"], "--json").json
    assert gone == made | {"revoked": gone["revoked"]}
    assert gone["revoked"].endswith("+00:00")


def test_the_list(adjudge: Command) -> None:
    adjudge("tokens", "new", "first", "--scope", "read", "--rate", "6000")
    adjudge("tokens", "new", "second")
    lines = adjudge("tokens", "list").out.splitlines()
    assert [line.split()[1:4] for line in lines[-2:]] == [
        ["first", "read", "6,000"],
        ["second", "judge", lines[-1].split()[3]],
    ]
    assert all(line.endswith("valid") for line in lines[-2:])


def test_no_token_yet(adjudge: Command) -> None:
    assert "there is no store here" in adjudge("tokens", "list").err
    token_id = adjudge("tokens", "new", "x").out[4:12]
    assert adjudge("tokens", "revoke", token_id).out == f"token {token_id} is revoked\n"
    assert "revoked 2" in adjudge("tokens", "list").out


def test_revoked_twice(adjudge: Command) -> None:
    token_id = adjudge("tokens", "new", "x").out[4:12]
    first = adjudge("tokens", "revoke", token_id, "--json").json
    again = adjudge("tokens", "revoke", token_id)
    assert again.code == 0
    assert "was revoked before" in again.out
    assert adjudge("tokens", "list", "--json").json == [first]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["new", "taken"], "There is a token 'taken' already"),
        (["new", ""], "name a token by whom"),
        (["new", "a\nb"], "name a token by whom"),
        (["new", "\x1b[2J"], "name a token by whom"),
        (["new", "x" * 101], "at most 100 characters"),
        (["new", "x", "--scope", "root"], "'root' is not one of 'read', 'judge', 'admin'"),
        (["new", "x", "--rate", "0"], "--rate"),
        (["revoke", "00000000"], "There is no token '00000000'"),
        (["revoke", "taken"], "(taken)"),
        (["revoke", "adj_00000000_secret"], "by its id alone"),
    ],
)
def test_mistakes(adjudge: Command, arguments: list[str], says: str) -> None:
    adjudge("tokens", "new", "taken")
    ended = adjudge("tokens", *arguments)
    assert ended.code == 2
    assert says in ended.err
    assert ended.out == ""
    assert "secret" not in ended.err
    assert len(adjudge("tokens", "list", "--json").json) == 1


def test_a_name_is_free_again_once_its_token_is_revoked(adjudge: Command) -> None:
    token_id = adjudge("tokens", "new", "x").out[4:12]
    assert adjudge("tokens", "revoke", token_id).code == 0
    assert adjudge("tokens", "new", "x").code == 0


def test_another_store(adjudge: Command) -> None:
    assert adjudge("tokens", "new", "x", "--store", "other.db").code == 0
    assert Path("other.db").exists()
    assert not Path(".adjudge").exists()
