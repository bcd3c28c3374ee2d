"""What each of several judges and models took: tokens, money, time."""

from __future__ import annotations

from collections.abc import Iterator

from ...page import Heading, Table
from ...strings import Strings
from ..blocks import Part, Tongue
from ..findings import RunFindings
from .judged import cost


def costs(run: RunFindings, tongue: Tongue) -> Iterator[Part]:
    """Nothing where there is one: what the run took is said at the top."""
    say, graders = tongue.say, run.overview.graders
    if len(graders) < 2:
        return
    names = ("tokens_in", "tokens_out", "cost", "median", "p95")
    head = [say("report.judged.judge"), say("report.judged.model")]
    rows = [
        [
            each.judge,
            each.model,
            f"{each.tokens_in:,}",
            f"{each.tokens_out:,}",
            cost(each.cost_usd, say),
            _seconds(each.latency_median_ms, say),
            _seconds(each.latency_p95_ms, say),
        ]
        for each in graders
    ]
    yield Heading(say("report.costs.heading"), tongue.level)
    yield Table([*head, *(say(f"report.costs.{name}") for name in names)], rows)


def _seconds(milliseconds: float | None, say: Strings) -> str:
    if milliseconds is None:
        return say("report.dash")
    return say("report.costs.seconds", seconds=f"{milliseconds / 1000:.2f}")
