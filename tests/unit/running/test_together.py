from __future__ import annotations

import asyncio

import pytest

from adjudge.running.together import together


async def later(value: int) -> int:
    await asyncio.sleep(0.001 * (3 - value))
    return value


def test_results_in_their_order() -> None:
    async def run() -> list[int]:
        return await together(later(value) for value in range(3))

    assert asyncio.run(run()) == [0, 1, 2]


def test_a_failure_stops_the_others() -> None:
    stopped: list[str] = []

    async def endless() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            stopped.append("endless")

    async def failing() -> None:
        await asyncio.sleep(0)
        raise LookupError("first")

    async def run() -> None:
        with pytest.raises(LookupError, match="first"):
            await together([endless(), failing()])
        assert stopped == ["endless"]

    asyncio.run(run())
