from __future__ import annotations

import ast
import os
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.commands import Command

import adjudge.models
from adjudge.cli import doctor_checks
from adjudge.models import registry
from adjudge.settings import dotenv


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    before = set(os.environ)
    monkeypatch.setattr(dotenv, "_read", {})
    for name in (each for names in doctor_checks.PROVIDER_VARIABLES.values() for each in names):
        monkeypatch.delenv(name, raising=False)
    yield
    for name in set(os.environ) - before:
        del os.environ[name]


def found_by(adjudge: Command, *flags: str, code: int = 0) -> dict[str, Any]:
    ended = adjudge("doctor", "--json", *flags)
    assert ended.code == code
    if code:
        assert "would stop a run" in ended.err
    return {row["what"]: row for row in ended.json}


def test_all_is_well(adjudge: Command) -> None:
    found = found_by(adjudge)
    assert all(row["ok"] for row in found.values())
    assert found["settings file"]["found"] == "none"
    assert found["model embedded"]["found"].startswith("would be asked as embedded/")
    assert "made by the first run" in found["store"]["found"]
    assert "GB free" in found["disk for the store"]["found"]
    assert "GB free" in found["disk for the models"]["found"]
    assert found["OPENAI_API_KEY"]["found"] == "not set"
    assert not Path(".adjudge").exists()


def test_never_shows_a_secret(adjudge: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-hidden")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://host/v1?key=hidden")
    monkeypatch.setenv("ADJUDGE_BASE_URL", "http://me:hidden@host/v1")
    monkeypatch.setenv("ADJUDGE_API_KEY", "sk-hidden")
    monkeypatch.setenv("HTTPS_PROXY", "me:hidden@proxy:80")
    Path(".env").write_text("ANTHROPIC_API_KEY=sk-hidden\nADJUDGE_STORE=x://me:hidden@host/db\n")
    for flags in ([], ["--all"], ["--json"]):
        ended = adjudge("doctor", *flags)
        assert "hidden" not in ended.out + ended.err
        assert "http://…@host/v1" in ended.out


def test_who_has_set_what(adjudge: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("adjudge.toml").write_text(
        "timeout = 60\nmax-tokens = 1\nlimit = 7\n[one]\ntimeout = 5.5\nbase-url = 'http://h/v1'\n"
    )
    Path(".env").write_text("ADJUDGE_LIMIT=3\nOPENAI_API_KEY=k\n")
    monkeypatch.setenv("ADJUDGE_MAX_TOKENS", "9")
    found = found_by(adjudge)
    told = {what: (row["found"], row["set_by"]) for what, row in found.items()}
    assert told["settings file"] == ("adjudge.toml", None)
    assert told[".env"] == (".env, 2 variables taken from it", None)
    assert told["--limit"] == ("3", "ADJUDGE_LIMIT in .env, line 1")
    assert told["--max-tokens"] == ("9", "ADJUDGE_MAX_TOKENS")
    assert told["--timeout of one"] == ("5.5", "adjudge.toml, line 5, one.timeout")
    assert told["--base-url of one"] == ("http://h/v1", "adjudge.toml, line 6, one.base-url")
    assert any(what.startswith("--timeout of run") for what in told)
    assert told["OPENAI_API_KEY"] == ("set", ".env, line 2")
    assert "--repeat" not in told
    assert found_by(adjudge, "--all")["--repeat"]["set_by"] == "default"


@pytest.mark.parametrize(
    ("name", "text", "what", "says"),
    [
        ("adjudge.toml", "store = \n", "settings", "adjudge.toml, line 1: this is not valid TOML"),
        ("adjudge.toml", "\nstor = 'x'", "settings", "line 2, stor: there is no such setting"),
        ("adjudge.toml", "json = 3", "settings", "--json must be true or false"),
        (".env", "x y\n", "settings", ".env, line 1: cannot be read"),
        (".env", "ADJUDGE_RPM=abc\n", "--rpm", "'abc' is not a valid integer"),
        (".env", "ADJUDGE_MODEL=openai/x\n", "model openai/x", "set OPENAI_API_KEY"),
        (".env", "ADJUDGE_MODEL=nobody/x\n", "model nobody/x", "no provider"),
        (".env", "ADJUDGE_MODEL=replay:no\n", "model replay:no", "No such file"),
        (".env", "ADJUDGE_MODEL=embedded:no.gguf\n", "model embedded:no.gguf", "no model file"),
        (".env", "ADJUDGE_EMBEDDED=nope\n", "model embedded", "no embedded model 'nope'"),
        (".env", "ADJUDGE_EMBEDDED=./no.gguf\n", "model embedded", "no model file ./no.gguf"),
    ],
)
def test_what_would_stop_a_run(
    adjudge: Command, name: str, text: str, what: str, says: str
) -> None:
    Path(name).write_text(text)
    found = found_by(adjudge, code=1)
    assert says in found[what]["found"]
    assert (found[what]["ok"], found[what]["state"]) == (False, "wrong")


@pytest.mark.parametrize("name", ["SSL_CERT_FILE", "SSL_CERT_DIR"])
def test_certificates_that_are_not_there(
    adjudge: Command, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, "nowhere")
    assert "nowhere is not there" in found_by(adjudge, code=1)[name]["found"]


@pytest.mark.parametrize(
    ("text", "what", "says"),
    [
        ("ADJUDGE_MODELL=x\n", "ADJUDGE_MODELL", "did you mean ADJUDGE_MODEL?"),
        ("ADJUDGE_EMBEDDED_THREADS=many\n", "ADJUDGE_EMBEDDED_THREADS", "is ignored"),
        (
            "ADJUDGE_MODEL=openai/x\nOPENAI_API_KEY=k\nADJUDGE_EMBEDDED=nope\n",
            "ADJUDGE_EMBEDDED",
            "no embedded model 'nope'",
        ),
    ],
)
def test_what_is_only_worth_a_look(adjudge: Command, text: str, what: str, says: str) -> None:
    Path(".env").write_text(text)
    found = found_by(adjudge)
    assert says in found[what]["found"]
    assert found[what]["state"] == "note"


def test_the_runtime_matters_where_it_is_used(
    adjudge: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert "pip install" in found_by(adjudge, code=1)["embedded runtime"]["found"]
    monkeypatch.setenv("ADJUDGE_MODEL", "openai/x")
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    assert found_by(adjudge)["embedded runtime"]["state"] == "note"


def test_weights_that_are_still_to_come(adjudge: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADJUDGE_CACHE", str(adjudge.folder / "cache"))
    assert found_by(adjudge)["disk for the model"]["state"] == "note"
    monkeypatch.setattr("adjudge.cli.doctor_checks.free_at", lambda path: 1000)
    assert not found_by(adjudge, code=1)["disk for the model"]["ok"]


def test_a_disk_that_is_full(adjudge: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor_checks, "free_at", lambda path: 1 << 20)
    assert not found_by(adjudge, code=1)["disk for the store"]["ok"]
    monkeypatch.setattr(doctor_checks, "free_at", lambda path: 100 << 20)
    # Weights that are still to be fetched would have no room either.
    monkeypatch.setenv("ADJUDGE_MODEL", "openai/x")
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    assert found_by(adjudge)["disk for the store"]["state"] == "note"


@pytest.mark.parametrize(
    ("store", "says"),
    [
        (".", "this is a folder"),
        ("other://host/db", "stores are a path"),
        ("junk.db", "not a database"),
        ("newer.db", "newer version"),
        ("junk.db/x.db", "is a file"),
    ],
)
def test_a_store_that_cannot_be(adjudge: Command, store: str, says: str) -> None:
    Path("junk.db").write_text("this is no database " * 50)
    with sqlite3.connect("newer.db") as db:
        db.execute("CREATE TABLE runs (id)")
        db.execute("CREATE TABLE alembic_version (version_num)")
        db.execute("INSERT INTO alembic_version VALUES ('9999')")
    db.close()
    row = found_by(adjudge, "--store", store, code=1)["store"]
    assert row["ok"] is False
    assert says in row["found"]


def test_a_store_that_is_named_is_the_one_that_counts(
    adjudge: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ADJUDGE_STORE", "set.db")
    assert found_by(adjudge)["--store"]["found"] == "set.db"
    found = found_by(adjudge, "--store", "given.db")
    assert found["--store"]["found"] == "set.db; here --store given.db"
    assert found["store"]["found"].startswith("given.db")


def test_a_store_in_use(adjudge: Command, answers: list[str]) -> None:
    assert adjudge("run", *answers, "--quiet").code == 0
    before = sorted(Path(".adjudge").iterdir())
    found = found_by(adjudge)
    assert "1 run" in found["store"]["found"]
    assert "store's mode" not in found
    assert sorted(Path(".adjudge").iterdir()) == before


def test_a_store_that_others_can_read(adjudge: Command, answers: list[str]) -> None:
    adjudge("run", *answers)
    Path(".adjudge").chmod(0o755)
    Path(".adjudge/adjudge.db").chmod(0o644)
    row = found_by(adjudge)["store's mode"]
    assert row["state"] == "note"
    assert "chmod 600 .adjudge/adjudge.db" in row["found"]


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ("cut off", "cut off: "),
        ("overwritten", "damaged"),
        ("UPDATE runs SET manifest = x'00'", "cannot be read"),
        ("DROP TABLE replies", "the table replies is missing"),
    ],
)
def test_a_store_that_is_broken(adjudge: Command, answers: list[str], how: str, says: str) -> None:
    assert adjudge("run", *answers, "--quiet").code == 0
    path = Path(".adjudge/adjudge.db")
    content = path.read_bytes()
    if how == "cut off":
        path.write_bytes(content[: len(content) // 2])
    elif how == "overwritten":
        path.write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))
    else:
        with sqlite3.connect(path) as db:
            db.execute(how)
        db.close()
    row = found_by(adjudge, code=1)["store"]
    assert (row["ok"], row["state"]) == (False, "wrong")
    assert says in row["found"]
    assert "Restore a backup" in row["found"]
    if how == "overwritten":
        assert "`adjudge doctor --store .adjudge/adjudge.db`" in adjudge("show", "latest").err


def test_every_provider_s_variables_are_declared() -> None:
    """Those that the files of the providers name, found by how they look."""
    declared = {name for names in doctor_checks.PROVIDER_VARIABLES.values() for name in names}
    prefixes = tuple(f"{name.upper()}_" for name in registry.providers())
    named = {
        node.value
        for folder in adjudge.models.__path__
        for path in Path(folder).glob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if re.fullmatch("[A-Z]+(_[A-Z]+)+", node.value) and node.value.startswith(prefixes)
    }
    assert named <= declared
    assert set(doctor_checks.PROVIDER_VARIABLES) <= set(registry.providers())
