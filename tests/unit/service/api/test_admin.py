"""Tokens over HTTP, for those of scope admin."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.service import Answer, Running, running_service

from adjudge import __version__
from adjudge.service import observability
from adjudge.service.options import ServeOptions
from adjudge.service.security.tokens import new_token
from adjudge.stores import TOKEN_SCOPES, TokenScope

from .conftest import ITEM, Api

PATH = "/api/v1/tokens"


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A service that nobody uses without a token."""
    store = str(tmp_path_factory.mktemp("team") / "runs.db")
    with running_service(ServeOptions(store=store, require_token=True)) as running:
        yield running


@pytest.fixture(autouse=True)
def _no_token_yet(team: Running) -> None:
    for token in team.service.store.tokens.all():
        team.service.store.tokens.revoke(token.id)


def token(team: Running, scope: TokenScope = "admin", name: str = "boss") -> str:
    made, kept = new_token(name, scope)
    team.service.store.tokens.put(kept)
    return made


def ask(
    team: Running, by: str, path: str = "", body: object = None, method: str | None = None
) -> Answer:
    headers = {"Authorization": f"Bearer {by}"}
    return team.ask(PATH + path, body, method=method, headers=headers)


def make(team: Running, by: str, **fields: Any) -> Any:
    answer = ask(team, by, body=fields)
    assert answer.status == 201, answer.body
    return answer.json


def revoke(team: Running, by: str, token_id: str) -> Answer:
    return ask(team, by, f"/{token_id}", method="DELETE")


def id_of(made: str) -> str:
    return made[4:12]


def test_a_token_is_made_told_once_and_works_at_once(team: Running) -> None:
    boss = token(team)
    answer = ask(team, boss, body={"name": "nightly", "scope": "read", "rate": 600})
    made = answer.json
    assert answer.headers["cache-control"] == "no-store"
    assert (made["name"], made["scope"], made["rate"]) == ("nightly", "read", 600)
    headers = {"Authorization": f"Bearer {made['token']}"}
    assert team.ask("/api/v1/judges", headers=headers).status == 200
    listed = ask(team, boss)
    assert made.pop("token")[13:] not in listed.body.decode()
    assert listed.json["tokens"][-1] == made
    assert all("hash" not in each for each in listed.json["tokens"])


def test_what_is_left_out_is_as_on_the_command_line(team: Running) -> None:
    made = make(team, token(team), name="김")
    assert (made["scope"], made["rate"], made["revoked"]) == ("judge", None, None)


@pytest.mark.parametrize("scope", TOKEN_SCOPES)
def test_none_makes_one_that_may_do_more_than_itself(team: Running, scope: TokenScope) -> None:
    by = token(team, scope, f"by {scope}")
    for wanted in TOKEN_SCOPES:
        status = ask(team, by, body={"name": wanted, "scope": wanted}).status
        assert status in ({201} if scope == "admin" else {403})
        assert status == 403 or TOKEN_SCOPES.index(wanted) <= TOKEN_SCOPES.index(scope)


@pytest.mark.parametrize("scope", ["read", "judge"])
def test_below_admin_there_is_nothing_to_see_or_do(team: Running, scope: TokenScope) -> None:
    boss, other = token(team), token(team, scope, "other")
    for answer in (ask(team, other), revoke(team, other, id_of(boss))):
        assert answer.status == 403
        assert "scope admin" in answer.json["detail"]
    assert team.ask(PATH).status == 401
    assert ask(team, boss).status == 200


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"name": ""},
        {"name": "  "},
        {"name": "a\nb"},
        {"name": "\x1b[2J"},
        {"name": "x" * 101},
        {"name": "x", "scope": "root"},
        {"name": "x", "rate": 0},
        {"name": "x", "rate": 10**30},
        {"name": "x", "rate": "60"},
        {"name": "x", "hash": "0" * 64},
    ],
)
def test_what_does_not_fit_is_refused(team: Running, body: object) -> None:
    boss = token(team)
    before = ask(team, boss).json
    assert ask(team, boss, body=body).status == 422
    assert ask(team, boss).json == before


def test_a_name_is_given_once(team: Running) -> None:
    boss = token(team)
    first = make(team, boss, name="ci")
    answer = ask(team, boss, body={"name": "ci"})
    assert (answer.status, answer.json["type"]) == (409, "urn:adjudge:problem:conflict")
    assert revoke(team, boss, first["id"]).status == 200
    assert make(team, boss, name="ci")["id"] != first["id"]


def test_revoked_and_still_listed(team: Running) -> None:
    boss = token(team)
    made = make(team, boss, name="ci")
    gone = revoke(team, boss, made["id"]).json
    assert gone["revoked"].endswith("+00:00")
    assert revoke(team, boss, made["id"]).json == gone  # it keeps its time
    assert gone in ask(team, boss).json["tokens"]


def test_unknown_ones_are_not_found_and_secrets_not_repeated(team: Running) -> None:
    boss = token(team)
    answer = revoke(team, boss, "00000000")
    assert answer.status == 404
    assert team.service.store.where not in answer.json["detail"]
    pasted = revoke(team, boss, boss)
    assert pasted.status == 404
    assert boss not in pasted.json["detail"]


def test_the_last_admin_is_not_revoked_over_http(team: Running) -> None:
    boss = token(team)
    token(team, "judge", "worker")
    answer = revoke(team, boss, id_of(boss))
    assert (answer.status, answer.json["type"]) == (409, "urn:adjudge:problem:conflict")
    second = make(team, boss, name="second", scope="admin")
    assert revoke(team, second["token"], id_of(boss)).status == 200
    assert revoke(team, second["token"], second["id"]).status == 409


def test_a_page_elsewhere_can_do_nothing(team: Running) -> None:
    boss = token(team)
    headers = {"Authorization": f"Bearer {boss}", "Origin": "http://elsewhere.example"}
    for path, body, method in ((PATH, {"name": "x"}, "POST"), (f"{PATH}/x", None, "DELETE")):
        assert team.ask(path, body, method=method, headers=headers).status == 403
    assert len([each for each in ask(team, boss).json["tokens"] if not each["revoked"]]) == 1


def test_on_one_s_own_machine_no_token_is_needed_for_the_first(tmp_path: Path) -> None:
    with running_service(ServeOptions(store=str(tmp_path / "runs.db"))) as running:
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        assert running.ask(PATH, b"name=x", headers=form).status == 415
        made = running.ask(PATH, {"name": "boss", "scope": "admin"}).json
        assert running.ask(f"{PATH}/{made['id']}", method="DELETE").status == 409


def test_who_did_what_is_in_the_log_without_secrets(
    team: Running, capsys: pytest.CaptureFixture[str]
) -> None:
    boss = token(team)
    with observability.logging_to_stderr("json"):
        made = make(team, boss, name="a secret name", scope="read")
        revoke(team, boss, made["id"])
        revoke(team, boss, id_of(boss))  # refused
    shown = capsys.readouterr().err
    lines = [json.loads(line) for line in shown.splitlines()]
    told = [each for each in lines if each["message"] != "request"]
    assert [(each["message"], each["target"], each["scope"]) for each in told] == [
        ("token made", made["id"], "read"),
        ("token revoked", made["id"], "read"),
    ]
    assert {each["token"] for each in lines} == {id_of(boss)}
    asked = [each["request_id"] for each in lines if each["message"] == "request"]
    assert [each["request_id"] for each in told] == asked[:2]
    assert "secret" not in shown
    assert made["token"][13:] not in shown
    assert boss[13:] not in shown


def test_health_needs_no_token_and_tells_nothing(api: Api) -> None:
    answer = api.running.ask("/healthz")
    assert answer.json == {"status": "ok", "version": __version__}


def test_health_does_not_look_at_tokens(api: Api) -> None:
    wrong = {"Authorization": "Bearer adj_00000000_" + "a" * 43}
    assert api.running.ask("/healthz", headers=wrong).status == 200


def test_a_store_that_is_gone_is_told(api: Api) -> None:
    api.running.service.store.jobs.find = _broken  # type: ignore[method-assign]
    answer = api.running.ask("/healthz")
    assert answer.status == 503
    assert answer.json["type"] == "urn:adjudge:problem:store-failed"


def _broken(_: str) -> None:
    from adjudge.errors import StoreError

    raise StoreError("/somewhere: disk I/O error")


def test_figures_count_without_texts_and_ids(api: Api) -> None:
    api.post("judge", {"judge": "helpfulness", "item": {"id": "secret-item", **ITEM}})
    run = api.run(2)
    api.get(f"runs/{run}")
    api.problem("nothing/at/all")
    api.running.ask("/api/v1/judges", method="BREW")
    text = api.running.ask("/metrics").body.decode()
    lines = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    assert lines['adjudge_judgments_total{outcome="scored"}'] == "3.0"
    assert lines['adjudge_tokens_total{direction="input"}'] == "300.0"
    assert lines['adjudge_jobs{state="running"}'] == "0.0"
    judged = '{method="POST",route="/api/v1/judge",status="200"}'
    assert lines[f"adjudge_http_requests_total{judged}"] == "1.0"
    assert lines['adjudge_http_request_seconds_count{route="/api/v1/judge"}'] == "1.0"
    for secret in (run, "secret-item", "nothing/at", "BREW", "small", "helpfulness"):
        assert secret not in text
