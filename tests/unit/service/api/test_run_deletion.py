from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from tests.servers import after, says

from adjudge.service.observing import log
from adjudge.service.security.tokens import new_token
from adjudge.stores.records import Scope

from .conftest import GOOD, ITEM, Api


def delete(api: Api, run: str, scope: Scope | None = None) -> tuple[int, dict[str, object]]:
    headers = {}
    if scope:
        token, kept = new_token(scope, scope)
        api.running.service.store.tokens.put(kept)
        headers = {"Authorization": f"Bearer {token}"}
    answer = api.running.ask(f"/api/v1/runs/{run}", method="DELETE", headers=headers)
    return answer.status, answer.json


def test_a_run_goes_with_its_texts_and_replies(
    api: Api, capsys: pytest.CaptureFixture[str]
) -> None:
    first, other = api.run(2), api.run(4)
    api.get(f"runs/{first}")  # its figures are remembered
    with log.written("json"):
        status, told = delete(api, first, "admin")
    assert (status, told) == (200, {"run": first, "items": 2, "verdicts": 2, "replies": 2})
    assert [each["run"] for each in api.get("runs")["runs"]] == [other]
    for path in (f"runs/{first}", f"runs/{first}/verdicts", f"labels?run={first}"):
        assert api.problem(path)["status"] == 404
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    (said,) = [each for each in lines if each["message"] == "run deleted"]
    (token,) = api.running.service.store.tokens.all()
    assert (said["run"], said["token"]) == (first, token.id)


def test_replies_that_another_run_paid_for_stay(api: Api) -> None:
    first = api.run(2)
    larger = api.run(3)  # two of its three requests were answered before
    assert len(api.model.asked) == 3
    assert delete(api, larger)[1]["replies"] == 1
    assert api.running.service.store.replies.info().replies == 2
    assert api.get(f"runs/{first}")["verdicts"] == 2


def test_the_same_request_begins_the_run_anew(api: Api) -> None:
    run = api.run(2)
    assert api.get(f"runs/{run}")["criteria"][0]["mean"] == 3.0
    delete(api, run)
    api.model.answer = lambda _: says(GOOD.replace("3", "4"))
    assert api.run(2) == run
    told = api.get(f"runs/{run}")
    assert (told["verdicts"], told["criteria"][0]["mean"]) == (2, 4.0)
    assert len(api.model.asked) == 4


def test_a_run_under_way_is_refused_until_its_last_reply_is_there(api: Api) -> None:
    api.model.answer = lambda _: after(0.5, says(GOOD))
    rows = [{"id": f"r{n}", **ITEM, "answer": f"Answer {n}."} for n in range(200)]
    run = api.post("runs", {"judges": ["helpfulness"], "rows": rows}, 202)["run"]
    api.model.wait_for(3)
    assert delete(api, run)[0] == 409
    api.post(f"runs/{run}/stop", {})
    status, told = delete(api, run)  # replies under way are still kept
    assert (status, told["type"]) == (409, "urn:adjudge:problem:conflict")
    for _ in range(200):
        if delete(api, run)[0] == 200:
            break
        time.sleep(0.05)
    assert api.get("runs")["total"] == 0
    assert api.running.service.store.replies.info().replies == 0
    assert b"Answer" not in Path(api.running.service.store.where).read_bytes()


@pytest.mark.parametrize("scope", ["read", "judge"])
def test_below_admin_nothing_is_deleted(api: Api, scope: Scope) -> None:
    run = api.run(1)
    assert delete(api, run, scope)[0] == 403
    assert api.get(f"runs/{run}")["verdicts"] == 1


def test_a_run_is_named_in_full(api: Api) -> None:
    run = api.run(1)
    for name in ("latest", run[:6]):
        status, told = delete(api, name)
        assert (status, run in str(told["detail"])) == (422, True)
    assert delete(api, "none")[0] == 404
    assert delete(api, run)[0] == 200
    assert delete(api, run)[0] == 404
