"""Judging ends when nobody waits for it any more."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from aiohttp import web
from tests.servers import Answer, ChatServer, Flying, says
from tests.service import running_service

from adjudge.core.verdict import Verdict
from adjudge.errors import DataError, DefinitionError, UnknownName, UsageError
from adjudge.service import judging as module
from adjudge.service.judge_catalog import JudgeCatalog
from adjudge.service.judging import InlineJudge, JudgingService
from adjudge.service.options import ServeOptions

ITEM = {"question": "Q?", "answer": "A."}
GOOD = json.dumps({"evaluation": "It says what was wanted, and it is right.", "rating": 4})


def desk(server: ChatServer, told: list[Verdict] | None = None, **more: Any) -> JudgingService:
    server.answer = lambda _: says(GOOD)
    options = ServeOptions(models=("openai/a", "openai/b"), base_url=server.base_url, **more)
    heard = [] if told is None else told
    return JudgingService(options, JudgeCatalog(), b"secret", heard.append)


def judge(at: JudgingService, *items: Mapping[str, object], **more: Any) -> list[Verdict]:
    async def all_of_them() -> list[Verdict]:
        asked = (at.judge(more.get("judge", "helpfulness"), item, **_rest(more)) for item in items)
        try:
            return await asyncio.gather(*asked)
        finally:
            await at.aclose()

    return asyncio.run(all_of_them())


def _rest(more: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in more.items() if name != "judge"}


def test_the_first_model_is_asked_where_none_is_named(server: ChatServer) -> None:
    told: list[Verdict] = []
    (verdict,) = judge(desk(server, told), ITEM)
    assert (verdict.model, verdict.scores["rating"].value) == ("openai/a", 4)
    assert told == [verdict]


def test_models_and_judges_are_made_ready_once(
    server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened, ready = [], []
    at = desk(server)
    monkeypatch.setattr(
        module, "open_model", lambda *a, old=module.open_model: opened.append(a) or old(*a)
    )
    monkeypatch.setattr(
        module, "SingleItemJudge", lambda *a, old=module.SingleItemJudge: ready.append(a) or old(*a)
    )
    judge(at, *[ITEM] * 20)
    assert (len(opened), len(ready)) == (1, 1)


def test_all_requests_to_a_model_share_its_places(server: ChatServer) -> None:
    flying = Flying()
    at = desk(server, concurrency=3)
    server.answer = lambda _: flying.by(says(GOOD))

    async def both() -> None:
        asked = [at.judge("helpfulness", ITEM, options={"seed": n % 2}) for n in range(12)]
        await asyncio.gather(*asked)
        await at.aclose()

    asyncio.run(both())
    assert flying.most == 3


def test_only_so_many_are_kept_ready(server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_READY", 2)
    at, ready = desk(server), []

    async def one_after_the_other() -> None:
        for seed in range(5):
            await at.judge("helpfulness", ITEM, options={"seed": seed})
            ready.append(len(at._ready))
        await at.aclose()

    asyncio.run(one_after_the_other())
    assert ready == [1, 2, 2, 2, 2]
    assert [body["seed"] for body in server.asked] == list(range(5))


def test_what_cannot_be_judged_is_said_and_may_be_tried_again(server: ChatServer) -> None:
    at = desk(server)
    with pytest.raises(UnknownName, match=r"openai/a, openai/b"):
        judge(at, ITEM, model="openai/c")
    with pytest.raises(UnknownName, match="helpfulness"):
        judge(at, ITEM, judge="helpful")
    with pytest.raises(DefinitionError, match="line 1"):
        judge(at, ITEM, judge=InlineJudge("judge: x"))
    with pytest.raises(DataError, match="'answer'"):
        judge(at, {"question": "Q?"})
    with pytest.raises(UsageError, match="variant"):
        judge(at, ITEM, options={"variant": "pmi"})
    assert judge(at, ITEM)[0].outcome == "scored"


def test_one_that_leaves_does_not_take_the_others_along(server: ChatServer) -> None:
    at = desk(server)

    async def leaving() -> Verdict:
        first = asyncio.ensure_future(at.judge("helpfulness", ITEM))
        second = asyncio.ensure_future(at.judge("helpfulness", ITEM))
        await asyncio.sleep(0)
        first.cancel()
        try:
            return await second
        finally:
            await at.aclose()

    assert asyncio.run(leaving()).outcome == "scored"


def test_judges_of_ones_own_are_offered(server: ChatServer, tmp_path: Path) -> None:
    text = "judge: tone\nversion: 1\ntitle: T\nlanguage: en\nexplain_in: any\n"
    text += "inputs: {answer: {judged: true}}\n"
    text += 'criteria: {tone: {title: Tone, guide: "Is it kind?", scale: {type: binary}}}\n'
    (tmp_path / "tone.yaml").write_text(text)
    options = ServeOptions(models=("openai/a",), base_url=server.base_url)
    at = JudgingService(options, JudgeCatalog([str(tmp_path)]), b"secret", lambda _: None)
    server.answer = lambda _: says('{"tone": true}')
    assert judge(at, {"answer": "A."}, judge="tone")[0].scores["tone"].value is True


def until_left(left: threading.Event) -> Answer:
    """Never answers; `left` is set when the one who asked hangs up."""

    async def answer(request: web.Request) -> web.StreamResponse:
        try:
            # aiohttp tells nobody when a client leaves.
            while request.transport is not None and not request.transport.is_closing():  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        finally:
            left.set()
        return web.Response()

    return answer


def test_a_client_that_hangs_up_stops_the_model(tmp_path: Path, server: ChatServer) -> None:
    options = ServeOptions(
        store=str(tmp_path / "runs.db"), models=("openai/m",), base_url=server.base_url
    )
    left = threading.Event()
    server.answer = lambda _: until_left(left)
    body = json.dumps({"judge": "helpfulness", "item": ITEM}).encode()
    with running_service(options) as running:
        place = urlsplit(running.url)
        head = f"POST /api/v1/judge HTTP/1.1\r\nHost: {place.netloc}\r\nContent-Length: {len(body)}"
        with socket.create_connection((place.hostname or "", place.port or 0)) as client:
            client.sendall(f"{head}\r\nContent-Type: application/json\r\n\r\n".encode() + body)
            server.wait_for(1)
            assert not left.is_set()
        assert left.wait(20)
        assert len(server.asked) == 1  # and it is not asked once more
        server.answer = lambda _: says(GOOD)
        told = running.ask("/api/v1/judge", {"judge": "helpfulness", "item": ITEM})
        assert (told.status, told.json["outcome"]) == (200, "scored")
