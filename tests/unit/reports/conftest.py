from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from adjudge.core.reason import Reason
from adjudge.core.reply import Usage
from adjudge.core.score import Outcome, Score
from adjudge.core.verdict import Call, Exchange, Verdict
from adjudge.reports.files.rows import Row, Rows, verdict_row


def scored(**more: object) -> Verdict:
    """A verdict with a capped score, a failed one and feedback; `more` replaces parts of it."""
    parts: dict[str, object] = {
        "item": "42",
        "judge": "chatbot",
        "fingerprint": "f" * 16,
        "model": "openai/gpt-4o-mini",
        "outcome": Outcome.OUT_OF_RANGE,
        "scores": {
            "accuracy": Score(
                outcome=Outcome.SCORED,
                value=5.0,
                raw=7.5,
                rule="serious-error",
                unit=0.5,
                distribution={"5": 0.75, "6": 0.25},
                mass=0.9,
                explanation="Sai số liệu.",
                explanation_outcome=Outcome.WRONG_LANGUAGE,
            ),
            "tone": Score(
                outcome=Outcome.OUT_OF_RANGE,
                raw=12,
                reason=Reason("value.outside", number=12, low=0, high=10),
            ),
        },
        "feedback": {"strengths": ("짧다", "clear"), "analysis": "Gut."},
        "flags": {"accuracy.serious_error": True},
        "notes": (Reason.of("asked again"),),
        "usage": Usage(input_tokens=812, output_tokens=143, cached_tokens=7, cost_usd=0.0002),
        "attempts": 1,
        "latency_ms": 840.4,
        "calls": (Call(exchanges=(Exchange(reply="the raw text"),)),),
    }
    return Verdict(**(parts | more))  # type: ignore[arg-type]


@pytest.fixture
def make_row() -> Callable[..., Row]:
    return lambda **more: verdict_row("abc123", scored(**more))


@pytest.fixture
def walk() -> Callable[..., Rows]:
    """The rows as something that can be walked anew each time."""

    def walk(*rows: Row) -> Rows:
        def again() -> Iterator[Row]:
            yield from rows

        return again

    return walk
