"""How a forecast is shown."""

from __future__ import annotations

import json

import pytest

from adjudge.reports.findings.run import forecast_dict, forecast_text
from adjudge.running.forecast import Forecast, ForecastPart

PART = ForecastPart("chatbot", "openai/m", 1200, 34, 600_000, 72_000, 0.5, 300.0, measured=True)


def forecast(*parts: ForecastPart, already: int = 0) -> Forecast:
    return Forecast("abc123", 1234, 1234, already, list(parts))


def test_everything_is_named() -> None:
    shown = forecast_text(forecast(PART))
    head, columns, _, row = shown.splitlines()
    assert head == "run abc123 would make 1234 verdicts on 1234 rows; nothing was sent"
    assert columns.split("  ")[0] == "judge"
    for part in ("chatbot", "openai/m", "1,200", "34", "600,000", "72,000", "$0.5000", "5 min"):
        assert part in row


def test_what_is_done_already() -> None:
    assert "1234 rows, 600 of them done;" in forecast_text(forecast(PART, already=600))


def test_a_rule_of_thumb_is_called_one() -> None:
    """Only where it is used: without a call nothing was guessed."""
    guessed = ForecastPart("j", "m", calls=3, cost_usd=0.0)
    assert "rule of thumb" in forecast_text(forecast(PART, guessed))
    assert "rule of thumb" not in forecast_text(forecast(PART, ForecastPart("j", "m")))


def test_an_unknown_price_is_not_zero() -> None:
    unknown = ForecastPart("j", "m", calls=3, cost_usd=None)
    shown = forecast_text(forecast(unknown))
    assert "not known" in shown
    assert "$0" not in shown
    assert "--price in=…,out=…" in shown
    assert "--price" not in forecast_text(forecast(PART))


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0.0, "0 s"), (89.0, "89 s"), (600.0, "10 min"), (86_400.0, "24.0 h")],
)
def test_times(seconds: float, shown: str) -> None:
    part = ForecastPart("j", "m", seconds=seconds, measured=True)
    assert forecast_text(forecast(part)).splitlines()[3].endswith(f"  {shown}")


def test_sums_for_programs() -> None:
    other = ForecastPart("judge2", "openai/m", 10, 1, 100, 20, 0.25, 60.0)
    shown = forecast_dict(forecast(PART, other, already=5))
    assert json.loads(json.dumps(shown)) == shown
    assert {k: v for k, v in shown.items() if k != "parts"} == {
        "run": "abc123",
        "dry_run": True,
        "rows": 1234,
        "verdicts": 1234,
        "already": 5,
        "calls": 1210,
        "kept": 35,
        "input_tokens": 600_100,
        "output_tokens": 72_020,
        "cost_usd": 0.75,
        "seconds": 360.0,
        "cautions": [],
    }
    assert [part["judge"] for part in shown["parts"]] == ["chatbot", "judge2"]  # type: ignore[attr-defined]


def test_one_unknown_price_makes_the_sum_unknown() -> None:
    shown = forecast_dict(forecast(PART, ForecastPart("j", "m", cost_usd=None)))
    assert shown["cost_usd"] is None
