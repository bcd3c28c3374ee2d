"""The limits of a worker: what it is told, it does; what happens to it, it reports."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from adjudge.errors import ProviderError
from adjudge.running.asking.stop import Draining, Stop
from adjudge.running.engines.ray.limits import SharedLimits
from adjudge.running.engines.ray.sharing import ModelBounds

pytestmark = pytest.mark.cluster


class Cluster:
    """Lets requests go after `wait` seconds; each call takes a moment."""

    def __init__(self, wait: float = 0.0) -> None:
        self.calls: list[Sequence[int]] = []
        self.wait = wait
        self.failure: Exception | None = None

    async def turns(self, tokens: Sequence[int]) -> Sequence[float]:
        self.calls.append(tokens)
        await asyncio.sleep(0.005)
        if self.failure:
            raise self.failure
        return [self.wait] * len(tokens)


def limits(
    cluster: Cluster, urgent: list[bool] | None = None, rpm: int | None = 60
) -> SharedLimits:
    signs = [] if urgent is None else urgent
    bounds = ModelBounds(8, requests_a_minute=rpm)
    return SharedLimits(bounds, Stop(), cluster.turns, lambda: signs.append(True))


def test_those_that_wait_are_asked_for_together() -> None:
    async def run() -> None:
        bound = limits(cluster)
        await asyncio.gather(*(bound.enter(n) for n in range(8)))

    cluster = Cluster()
    asyncio.run(run())
    assert sum(map(len, cluster.calls)) == 8
    assert len(cluster.calls) <= 2


def test_without_a_rate_nobody_is_asked() -> None:
    async def run() -> None:
        await limits(cluster, rpm=None).enter()

    cluster = Cluster()
    asyncio.run(run())
    assert not cluster.calls


def test_a_stop_ends_the_waiting() -> None:
    async def run() -> None:
        bound = limits(Cluster(wait=60.0))
        waiting = asyncio.create_task(bound.enter())
        await asyncio.sleep(0.02)
        bound.stop.ask()
        with pytest.raises(Draining):
            await waiting
        assert bound.under_way == 0

    asyncio.run(run())


def test_a_cluster_that_is_gone_is_an_error_for_all_that_wait() -> None:
    async def run() -> None:
        cluster.failure = RuntimeError("gone")
        bound = limits(cluster)
        ends = await asyncio.gather(bound.enter(), bound.enter(), return_exceptions=True)
        assert [str(end) for end in ends] == ["gone", "gone"]
        cluster.failure = None
        await bound.enter()

    cluster = Cluster()
    asyncio.run(run())


def test_what_becomes_of_requests_is_reported_and_refusals_at_once() -> None:
    async def run() -> None:
        bound = limits(Cluster(), urgent)
        entered = await bound.enter()
        bound.answered(more_tokens=7)
        assert not urgent
        entered = await bound.enter()
        bound.failed(ProviderError("too much", status=429, retry_after=3.0), entered)
        asked = bound.taken()
        assert (asked.answered, asked.more_tokens) == (1, 7)
        ((age, retry_after),) = asked.refused
        assert 0 <= age < 5
        assert retry_after == 3.0
        assert bound.at_once == 8  # the cluster decides
        assert bound.taken().answered == 0

    urgent: list[bool] = []
    asyncio.run(run())
    assert urgent == [True]


def test_it_has_as_many_under_way_as_it_is_told() -> None:
    async def run() -> None:
        bound = limits(Cluster(), rpm=None)
        bound.obey(1.5, 0.0)
        await bound.enter()
        second = asyncio.create_task(bound.enter())
        await asyncio.sleep(0.01)
        assert not second.done()
        bound.obey(2.0, 0.0)
        await second
        assert bound.under_way == 2

    asyncio.run(run())
