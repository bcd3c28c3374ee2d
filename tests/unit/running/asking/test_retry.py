from __future__ import annotations

import asyncio

import pytest

from adjudge.errors import ProviderError
from adjudge.running.asking import retry
from adjudge.running.asking.stop import Draining, Stop


class Flaky:
    """Fails with these errors one after the other, then answers."""

    def __init__(self, *errors: ProviderError) -> None:
        self.errors = list(errors)

    async def __call__(self) -> str:
        if self.errors:
            raise self.errors.pop(0)
        return "answer"


class Waiting(Stop):
    """Notes the seconds that are waited for; nothing is really waited for."""

    def __init__(self) -> None:
        super().__init__()
        self.waits: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.check()
        self.waits.append(seconds)


@pytest.fixture
def stop() -> Waiting:
    return Waiting()


def run(call: Flaky, stop: Waiting) -> tuple[str, int]:
    return asyncio.run(retry.with_retries(call, stop))


def busy(times: int = 1, **more: float) -> list[ProviderError]:
    return [ProviderError(f"busy {n}", retryable=True, **more) for n in range(times)]  # type: ignore[arg-type]


def test_at_once(stop: Waiting) -> None:
    assert run(Flaky(), stop) == ("answer", 1)
    assert stop.waits == []


def test_anywhere_below_a_bound_that_doubles(stop: Waiting) -> None:
    seen: list[list[float]] = [[] for _ in range(5)]
    for _ in range(200):
        stop.waits.clear()
        assert run(Flaky(*busy(5)), stop) == ("answer", 6)
        for waits, wait in zip(seen, stop.waits, strict=True):
            waits.append(wait)
    for waits, longest in zip(seen, (0.5, 1.0, 2.0, 4.0, 8.0), strict=True):
        assert max(waits) <= longest
        assert min(waits) < longest / 10  # full jitter: nobody comes back together
        assert max(waits) > longest * 0.9


def test_at_least_as_long_as_the_provider_says(stop: Waiting) -> None:
    errors = [*busy(retry_after=7.0), *busy(retry_after=900.0), *busy(retry_after=0.0)]
    assert run(Flaky(*errors), stop) == ("answer", 4)
    assert 7.0 <= stop.waits[0] <= 7.5
    assert 60.0 <= stop.waits[1] <= 61.0
    assert stop.waits[2] > 0  # "at once" would meet the same again


def test_gives_up(stop: Waiting) -> None:
    with pytest.raises(ProviderError, match="busy 5") as caught:
        run(Flaky(*busy(9)), stop)
    assert caught.value.attempts == retry.ATTEMPTS == 6
    assert len(stop.waits) == 5


def test_gives_up_when_it_takes_too_long(stop: Waiting, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retry, "_PATIENCE", 50.0)
    with pytest.raises(ProviderError) as caught:
        run(Flaky(*busy(9, retry_after=60.0)), stop)
    assert caught.value.attempts == 1
    assert stop.waits == []


def test_does_not_repeat_what_cannot_pass(stop: Waiting) -> None:
    with pytest.raises(ProviderError) as caught:
        run(Flaky(ProviderError("bad request")), stop)
    assert caught.value.attempts == 1
    assert stop.waits == []


def test_a_wish_to_stop_ends_the_waiting() -> None:
    async def main() -> None:
        stop = Stop()
        asyncio.get_running_loop().call_later(0.01, stop.ask)
        await retry.with_retries(Flaky(*busy(retry_after=60.0)), stop)

    with pytest.raises(Draining):
        asyncio.run(asyncio.wait_for(main(), 5))
