from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from adjudge.errors import ProviderError
from adjudge.running import retry


class Flaky:
    """Fails with these errors one after the other, then answers."""

    def __init__(self, *errors: ProviderError) -> None:
        self.errors = list(errors)

    async def __call__(self) -> str:
        if self.errors:
            raise self.errors.pop(0)
        return "answer"


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that were waited for; nothing is really waited for."""
    seen: list[float] = []

    async def sleep(seconds: float) -> None:
        seen.append(seconds)

    monkeypatch.setattr(retry.asyncio, "sleep", sleep)
    return seen


def run(call: Callable[[], object]) -> tuple[object, int]:
    return asyncio.run(retry.with_retries(call))  # type: ignore[arg-type]


def test_at_once(waits: list[float]) -> None:
    assert run(Flaky()) == ("answer", 1)
    assert waits == []


def test_twice_as_long_each_time_with_jitter(waits: list[float]) -> None:
    errors = [ProviderError("busy", retryable=True) for _ in range(4)]
    assert run(Flaky(*errors)) == ("answer", 5)
    for wait, longest in zip(waits, (0.5, 1.0, 2.0, 4.0), strict=True):
        assert longest / 2 <= wait <= longest


def test_as_long_as_the_provider_says(waits: list[float]) -> None:
    errors = [ProviderError("busy", retryable=True, retry_after=wait) for wait in (7.0, 900.0, 0.0)]
    assert run(Flaky(*errors)) == ("answer", 4)
    assert waits[:2] == [7.0, 60.0]
    assert waits[2] > 0  # "at once" would meet the same again


def test_gives_up(waits: list[float]) -> None:
    errors = [ProviderError(f"busy {n}", retryable=True) for n in range(9)]
    with pytest.raises(ProviderError, match="busy 4") as caught:
        run(Flaky(*errors))
    assert caught.value.attempts == retry.ATTEMPTS == 5
    assert len(waits) == 4


def test_does_not_repeat_what_cannot_pass(waits: list[float]) -> None:
    with pytest.raises(ProviderError) as caught:
        run(Flaky(ProviderError("bad request")))
    assert caught.value.attempts == 1
    assert waits == []
