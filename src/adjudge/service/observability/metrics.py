"""The figures below /metrics, in the form of Prometheus."""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
)

from adjudge.core.score import Outcome
from adjudge.core.verdict import Verdict

disable_created_metrics()  # type: ignore[no-untyped-call]  # twice the lines, for no use
# Seconds: from a page to a slow model.
_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120)


class Metrics:
    """Counts for one service; labels hold templates of routes and outcomes, never ids or texts."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "adjudge_http_requests",
            "Requests that were answered.",
            ["method", "route", "status"],
            registry=self._registry,
        )
        self._seconds = Histogram(
            "adjudge_http_request_seconds",
            "Time until the answer was sent, streams aside.",
            ["route"],
            buckets=_BUCKETS,
            registry=self._registry,
        )
        judgments = Counter(
            "adjudge_judgments",
            "Verdicts that the service made, by outcome.",
            ["outcome"],
            registry=self._registry,
        )
        self._judgments = {outcome: judgments.labels(outcome.value) for outcome in Outcome}
        tokens = Counter(
            "adjudge_tokens",
            "Tokens that models read and wrote for these verdicts.",
            ["direction"],
            registry=self._registry,
        )
        self._read, self._written = tokens.labels("input"), tokens.labels("output")
        self._usd = Counter(
            "adjudge_usd",
            "US dollars that these verdicts cost, where the price is known.",
            registry=self._registry,
        )
        self._jobs = Gauge(
            "adjudge_jobs",
            "Runs that the service was asked for, by state.",
            ["state"],
            registry=self._registry,
        )

    def request(self, method: str, route: str, status: int, seconds: float | None) -> None:
        """`route` is the template; `seconds` is None for a stream, which lasts as it lasts."""
        self._requests.labels(method, route, str(status)).inc()
        if seconds is not None:
            self._seconds.labels(route).observe(seconds)

    def verdict(self, verdict: Verdict) -> None:
        self._judgments[verdict.outcome].inc()
        self._read.inc(verdict.usage.input_tokens)
        self._written.inc(verdict.usage.output_tokens)
        self._usd.inc(verdict.usage.cost_usd or 0.0)

    def jobs(self, state: str, count: Callable[[], float]) -> None:
        """`count` is asked whenever somebody reads the figures."""
        self._jobs.labels(state).set_function(count)

    def text(self) -> bytes:
        return generate_latest(self._registry)
