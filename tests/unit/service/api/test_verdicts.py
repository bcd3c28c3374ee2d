from __future__ import annotations

import base64
from urllib.parse import quote

import pytest
from tests.servers import says

from .conftest import GOOD, Api


@pytest.fixture
def api(shared: Api) -> Api:
    """One service for the whole file."""
    return shared


def test_pages_hold_every_verdict_once_and_in_order(api: Api) -> None:
    run = api.run(7, repeat=2)
    seen, cursor = [], ""
    while True:
        page = api.get(f"runs/{run}/verdicts?limit=3{cursor}")
        seen += [(each["item"], each["repeat"]) for each in page["verdicts"]]
        if page["next"] is None:
            break
        assert len(page["verdicts"]) == 3
        cursor = f"&cursor={page['next']}"
    assert seen == [(f"r{n}", repeat) for n in range(7) for repeat in range(2)]


def test_rows_are_those_of_every_export(api: Api) -> None:
    run = api.run(2)
    told = api.get(f"runs/{run}/verdicts")["verdicts"]
    assert told == list(api.running.service.run(run).rows())


def test_texts_come_only_where_they_are_asked_for(api: Api) -> None:
    run = api.run(1)
    assert "data" not in api.get(f"runs/{run}/verdicts")["verdicts"][0]
    (row,) = api.get(f"runs/{run}/verdicts?with_inputs=true")["verdicts"]
    assert row["data"] == {**api.item, "answer": "Answer 0."}


def test_reasons_are_in_the_language_that_is_asked_for(api: Api) -> None:
    api.model.answer = lambda _: says("no")
    run = api.run(1)
    said = {}
    for language in ("en", "ko", "vi"):
        wanted = {"Accept-Language": language}
        (row,) = api.get(f"runs/{run}/verdicts", headers=wanted)["verdicts"]
        said[language] = row["scores"]["rating"]["why"]
        body = {"judge": "helpfulness", "item": api.item}
        at_once = api.post("judge", body, headers=wanted)["scores"]["rating"]
        assert at_once["reason"] == row["scores"]["rating"]["reason"]
        assert at_once["why"] == said[language]
    assert len(set(said.values())) == 3


def test_items_and_outcomes_are_filtered(api: Api) -> None:
    api.model.answer = lambda body: says(
        GOOD if "Answer 1." in body["messages"][-1]["content"] else "no"
    )
    run = api.run(3)
    scored = api.get(f"runs/{run}/verdicts?outcome=scored")["verdicts"]
    assert [each["item"] for each in scored] == ["r1"]
    other = api.get(f"runs/{run}/verdicts?item=r2")["verdicts"]
    assert [each["outcome"] for each in other] == ["unreadable"]
    assert api.get(f"runs/{run}/verdicts?item={quote('no such item')}")["verdicts"] == []
    assert api.problem(f"runs/{run}/verdicts?outcome=fine")["status"] == 422


@pytest.mark.parametrize(
    "key", [b"", b"x", b"[]", b'[1,"a","b"]', b"[-1,1,1,1]", b'["a","b","c",1]', b"[" * 2000]
)
def test_a_cursor_of_ones_own_making_is_refused(api: Api, key: bytes) -> None:
    cursor = base64.urlsafe_b64encode(key).decode().rstrip("=")
    run = api.run(1)
    assert api.problem(f"runs/{run}/verdicts?cursor={cursor or '*'}")["status"] == 422
