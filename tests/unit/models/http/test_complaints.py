"""How long to wait, from headers; tests/unit/models/test_openai.py has those of one request."""

from __future__ import annotations

from time import time

import pytest

from adjudge.models.http.complaints import HttpAnswer, complaint_of, retry_after


@pytest.mark.parametrize(
    ("value", "wait"),
    [("3", 3.0), ("1m30s", 90.0), ("0", 0.0), ("never", None), ("", None)],
)
def test_a_limit_of_no_kind(value: str, wait: float | None) -> None:
    assert retry_after({"x-ratelimit-reset": value}) == wait


@pytest.mark.parametrize("unit", [1, 1000])
def test_a_moment_in_seconds_or_milliseconds(unit: int) -> None:
    wait = retry_after({"x-ratelimit-reset": str(int((time() + 60) * unit))})
    assert wait is not None
    assert 55 < wait <= 60


def test_a_moment_that_has_passed() -> None:
    assert retry_after({"x-ratelimit-reset": "1500000000"}) == 0.0


def test_the_limits_by_name_go_first() -> None:
    headers = {"x-ratelimit-reset": "9", "x-ratelimit-reset-tokens": "2s"}
    assert retry_after(headers) == 2.0
    assert retry_after(headers | {"retry-after": "1"}) == 1.0


@pytest.mark.parametrize(
    ("inside", "outside", "wait"),
    [
        ({"Retry-After": "11"}, {}, 11.0),
        ({"X-RateLimit-Reset": 4}, {}, 4.0),
        ({"Retry-After": "11"}, {"retry-after": "0"}, 0.0),
        ("x", {}, None),
    ],
)
def test_headers_that_a_gateway_puts_into_the_body(
    inside: object, outside: dict[str, str], wait: float | None
) -> None:
    data = {"error": {"message": "slow", "metadata": {"headers": inside}}}
    assert complaint_of(HttpAnswer(429, outside, b""), data).retry_after == wait
