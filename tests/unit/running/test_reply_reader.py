from __future__ import annotations

import asyncio
import json

import pytest

from adjudge.core.judge import Judge
from adjudge.core.prompt import Prompt
from adjudge.core.reply import Reply
from adjudge.core.score import Outcome
from adjudge.judges.load import load_text
from adjudge.running import reply_reader
from adjudge.running.reply_reader import ReplyReader

from .conftest import POLITENESS

GERMAN = "Die Antwort ist höflich und sachlich, und sie nimmt die Kundin durchaus ernst."


ASKED = Prompt(messages=(), criteria=("politeness",))


@pytest.fixture
def judge() -> Judge:
    return load_text(POLITENESS, "politeness.yaml")


def reply(value: object, explanation: str = "") -> Reply:
    return Reply(text=json.dumps({"explanation": explanation, "politeness": value}))


def test_each_gets_its_own(judge: Judge) -> None:
    async def main() -> list[object]:
        together = ReplyReader(judge)
        replies = [reply(1 + n % 5) for n in range(100)]  # more than are read in one go
        results = await asyncio.gather(*(together.read(ASKED, r) for r in replies))
        return [reading.scores["politeness"].value for reading, _ in results]

    assert asyncio.run(main()) == [1 + n % 5 for n in range(100)]


def test_the_language_is_looked_at(judge: Judge) -> None:
    async def main() -> object:
        _, wrong = await ReplyReader(judge).read(ASKED, reply(4, GERMAN))
        return wrong

    assert asyncio.run(main()) == {"scores.politeness": "de"}


def test_whoever_was_cancelled_holds_up_nobody(judge: Judge) -> None:
    async def main() -> Outcome:
        together = ReplyReader(judge)
        first = asyncio.create_task(together.read(ASKED, reply(1)))
        second = asyncio.create_task(together.read(ASKED, reply(2)))
        await asyncio.sleep(0)
        first.cancel()
        reading, _ = await second
        return reading.scores["politeness"].outcome

    assert asyncio.run(main()) is Outcome.SCORED


def test_a_failure_is_one_replys_alone(judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = reply_reader.read_reply

    def fails_on_two(judge: Judge, prompt: Prompt, given: Reply) -> object:
        if '"politeness": 2' in given.text:
            raise ValueError("a bug")
        return whole(judge, prompt, given)

    async def main() -> list[object]:
        together = ReplyReader(judge)
        reads = (together.read(ASKED, reply(n)) for n in (1, 2, 3))
        return await asyncio.gather(*reads, return_exceptions=True)

    monkeypatch.setattr(reply_reader, "read_reply", fails_on_two)
    first, second, third = asyncio.run(main())
    assert isinstance(second, ValueError)
    assert isinstance(first, tuple)
    assert isinstance(third, tuple)
