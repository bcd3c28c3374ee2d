from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from adjudge.core.prompt import Message, Prompt, ReferenceCheck, Sampling
from adjudge.core.reply import NO_USAGE, Reply, Usage
from adjudge.running.asking import cache as module
from adjudge.running.asking.cache import ReplyCache, request_key
from adjudge.running.asking.stop import Stop
from adjudge.stores import Claimed, KeptReply

PAID = Reply(text="4", usage=Usage(input_tokens=9, output_tokens=1), latency_ms=5.0)


class Recorder:
    """What is kept, and what others are asking."""

    def __init__(self) -> None:
        self.kept: dict[str, KeptReply] = {}
        self.others: set[str] = set()
        self.given_up: list[str] = []
        self.looks = 0

    async def take(self, keys: Sequence[str]) -> Claimed:
        self.looks += 1
        await asyncio.sleep(0)
        found = {key: self.kept[key] for key in keys if key in self.kept}
        return Claimed(found, frozenset(set(keys) - set(found) - self.others))

    def keep(self, reply: KeptReply) -> None:
        self.kept[reply.key] = reply

    def give_up(self, keys: Sequence[str]) -> None:
        self.given_up += keys


def run(work: Callable[[ReplyCache, Recorder], Awaitable[None]]) -> None:
    async def main() -> None:
        recorder = Recorder()
        cache = ReplyCache(cast(Any, recorder), Stop(), "run", "openai/m")
        async with asyncio.timeout(5):
            await work(cache, recorder)
        assert cache._expected == {}  # nothing is remembered for longer than it is needed

    asyncio.run(main())


def test_asked_then_kept() -> None:
    async def work(cache: ReplyCache, recorder: Recorder) -> None:
        assert await cache.expect(["k"]) == set()
        assert await cache.known("k") is None
        cache.settle("k", PAID)
        assert recorder.kept["k"] == KeptReply("k", "run", "openai/m", PAID)
        assert await cache.known("k") == PAID

    run(work)


def test_paid_for_elsewhere() -> None:
    async def work(cache: ReplyCache, recorder: Recorder) -> None:
        recorder.kept["k"] = KeptReply("k", "another run", "openai/m", PAID)
        found = await cache.known("k")
        assert found is not None
        assert (found.text, found.usage, found.latency_ms) == ("4", NO_USAGE, 0.0)

    run(work)


def test_two_rows_with_the_same_request_pay_once() -> None:
    async def work(cache: ReplyCache, recorder: Recorder) -> None:
        await cache.expect(["k", "k", "k"])
        assert await cache.known("k") is None
        second = asyncio.create_task(cache.known("k"))
        await asyncio.sleep(0.01)
        assert not second.done()
        cache.settle("k", PAID)
        waited = await second
        later = await cache.known("k")  # was looked up before the reply was there
        assert waited == later
        assert waited is not None
        assert waited.usage == NO_USAGE
        assert recorder.looks == 1

    run(work)


def test_when_the_first_row_fails_the_next_one_asks() -> None:
    async def work(cache: ReplyCache, recorder: Recorder) -> None:
        await cache.expect(["k", "k", "k"])
        assert await cache.known("k") is None
        others = [asyncio.create_task(cache.known("k")) for _ in range(2)]
        await asyncio.sleep(0.01)
        cache.fail("k")
        await asyncio.sleep(0.01)
        assert [other.done() for other in others].count(True) == 1
        assert recorder.given_up == []
        cache.settle("k", PAID)
        replies = [await other for other in others]
        assert replies.count(None) == 1

    run(work)


def test_the_last_failure_frees_the_request_for_others() -> None:
    async def work(cache: ReplyCache, recorder: Recorder) -> None:
        await cache.expect(["k"])
        assert await cache.known("k") is None
        cache.fail("k")
        assert recorder.given_up == ["k"]

    run(work)


def test_what_others_ask_is_left_to_them() -> None:
    async def work(cache: ReplyCache, recorder: Recorder) -> None:
        recorder.others = {"b"}
        assert await cache.expect(["a", "b"]) == {"b"}
        cache.forget(["a"])
        assert recorder.given_up == ["a"]

    run(work)


def test_a_question_that_others_ask_is_awaited(monkeypatch: pytest.MonkeyPatch) -> None:
    async def work(cache: ReplyCache, recorder: Recorder) -> None:
        recorder.others = {"k"}
        asking = asyncio.create_task(cache.known("k"))
        await asyncio.sleep(0.05)
        assert not asking.done()
        recorder.kept["k"] = KeptReply("k", "their run", "openai/m", PAID)
        assert (await asking) is not None

    monkeypatch.setattr(module, "_LOOK_AGAIN", 0.01)
    run(work)


MODEL: Any = SimpleNamespace(identity="openai/m at here")
PROMPT = Prompt(messages=(Message("user", "안녕?"),), criteria=("c",), schema={"type": "object"})
SAMPLING = Sampling()


def key(model: Any = MODEL, prompt: Prompt = PROMPT, **more: Any) -> str:
    return request_key(model, prompt, more.get("sampling", SAMPLING), more.get("namespace", ""))


def test_equal_requests() -> None:
    same = replace(PROMPT, item="another row", messages=(Message("user", "안녕?"),))
    assert key() == key(prompt=same)
    assert len(key()) == 64


@pytest.mark.parametrize(
    "other",
    [
        key(SimpleNamespace(identity="openai/m elsewhere")),
        key(prompt=replace(PROMPT, messages=(Message("user", "안녕!"),))),
        key(prompt=replace(PROMPT, messages=(Message("system", "안녕?"),))),
        key(prompt=replace(PROMPT, schema=None)),
        key(prompt=replace(PROMPT, sample=1)),
        key(prompt=replace(PROMPT, check=ReferenceCheck((), "", ""))),
        key(sampling=Sampling(temperature=1.0)),
        key(sampling=Sampling(seed=1)),
        key(sampling=Sampling(max_tokens=7)),
        key(namespace="run"),
    ],
)
def test_whatever_shapes_the_reply(other: str) -> None:
    assert other != key()


def test_half_a_surrogate_pair() -> None:
    odd = [replace(PROMPT, messages=(Message("user", text),)) for text in ("\ud800", "\udbff")]
    assert key(prompt=odd[0]) != key(prompt=odd[1])
