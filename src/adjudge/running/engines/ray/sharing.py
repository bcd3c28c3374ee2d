"""What all workers of a run share: the limits of the models, the budget, how far they are, and
whether they are to stop. One of these lives in the cluster, as a named actor.

A worker hears when each of its requests may go out, for all that wait at once: a call takes
milliseconds, and a request must not wait for one by itself. How many may be under way is told with
the answer to what a worker reports, twice per second, and at once when a server refuses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import NamedTuple

from adjudge.core.reply import NO_USAGE, Usage
from adjudge.stores import Cost, Granted
from adjudge.stores.purse import SharedPurse
from adjudge.stores.verdict_files import VerdictFiles

from ...asking.limits import Rate, Throttle
from .. import Progress
from .cluster import settle_in

REPORT = 0.5  # seconds between two reports of a worker
_SILENT = 6 * REPORT  # seconds after which a worker counts as gone
_SAVED = 1.0  # seconds between two notes of what was spent


@dataclass(frozen=True, slots=True)
class ModelBounds:
    """`most` requests at once by each worker; the rates are for all of them."""

    most: int
    requests_a_minute: int | None = None
    tokens_a_minute: int | None = None


@dataclass(slots=True)
class AskedModel:
    """What became of requests to one model since the last report. `refused`: for each, how many
    seconds ago it went out, and for how many the server wants to be left alone."""

    answered: int = 0
    more_tokens: int = 0
    pause: float = 0.0
    refused: list[tuple[float, float | None]] = field(default_factory=list)


@dataclass(slots=True)
class Report:
    """What a worker has done since its last one."""

    verdicts: int = 0
    unscored: int = 0
    usage: Usage = NO_USAGE
    is_busy: bool = False
    asked: dict[str, AskedModel] = field(default_factory=dict)


class Orders(NamedTuple):
    """By model, how many requests may be under way, and for how many seconds there is to be none;
    `stop`: no new one begins."""

    stop: bool
    models: Mapping[str, tuple[float, float]]


class _SharedLimits:
    """Of one model, for all workers."""

    def __init__(self, bounds: ModelBounds, workers: int, clock: Callable[[], float]) -> None:
        self.throttle = Throttle(bounds.most * workers, clock, least=workers)
        per_minute = bounds.requests_a_minute, bounds.tokens_a_minute
        self._requests, self._tokens = (Rate(n, clock) if n else None for n in per_minute)
        self._clock = clock

    def turn(self, tokens: int) -> float:
        """Seconds until a request may go out, for which that place is kept."""
        rates = [(rate, n) for rate, n in ((self._requests, 1), (self._tokens, tokens)) if rate]
        wait = max((rate.wait(n) for rate, n in rates), default=0.0)
        for rate, n in rates:
            rate.take(n)
        return max(wait, self.throttle.pause())

    def hear(self, asked: AskedModel) -> None:
        for _ in range(asked.answered):
            self.throttle.answered()
        if asked.pause:
            self.throttle.answered(asked.pause)
        if self._tokens and asked.more_tokens:
            self._tokens.owe(asked.more_tokens)
        for age, retry_after in asked.refused:
            self.throttle.refused(self._clock() - age, retry_after)


class Sharing:
    """`files` is given where there is no database: then the budget is counted here too. `lent` are
    the variables that reaching them may need."""

    def __init__(
        self,
        models: Mapping[str, ModelBounds],
        workers: int,
        files: VerdictFiles | None = None,
        lent: Mapping[str, str] | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        settle_in(lent or {})
        self._clock, self._workers = clock, workers
        self._limits = {
            name: _SharedLimits(bounds, workers, clock) for name, bounds in models.items()
        }
        self._purse = SharedPurse(files) if files else None
        self._heard: dict[str, float] = {}
        self._busy: set[str] = set()
        self._sum = Report()
        self._stop = False
        self._saved = clock()

    def turns(self, model: str, tokens: Sequence[int]) -> list[float]:
        """For requests of so many tokens each: seconds until it may go out."""
        return [self._limits[model].turn(n) for n in tokens]

    def report(self, worker: str, news: Report) -> Orders:
        self._heard[worker] = self._clock()
        (self._busy.add if news.is_busy else self._busy.discard)(worker)
        self._sum.verdicts += news.verdicts
        self._sum.unscored += news.unscored
        self._sum.usage += news.usage
        for name, asked in news.asked.items():
            self._limits[name].hear(asked)
        if self._purse and self._clock() - self._saved > _SAVED:
            self.save()
        share = {
            name: (limits.throttle.at_once / self._workers, limits.throttle.pause())
            for name, limits in self._limits.items()
        }
        return Orders(self._stop, share)

    def progress(self) -> Progress:
        total = self._sum
        return Progress(total.verdicts, total.unscored, total.usage, len(self._living()))

    def stop(self) -> None:
        self._stop = True

    def is_idle(self) -> bool:
        """Whether no worker that lives is at work."""
        return not self._busy & self._living()

    def left_behind(self) -> Cost:
        """What earlier starts had reserved when they were killed."""
        return self._purse.left_behind if self._purse else Cost()

    def reserve(
        self, worker: str, need: Cost, ahead: Cost, tokens: int | None, usd: float | None
    ) -> Granted:
        purse, living = self._counted(), self._living()
        return purse.reserve(worker, need, ahead, tokens=tokens, usd=usd, living=living)

    def spend(self, worker: str, cost: Cost, of_reserved: Cost) -> None:
        """`of_reserved` of what the worker had reserved is used up by it."""
        self._counted().spend(cost)
        self._counted().reduce(worker, of_reserved)

    def release(self, worker: str) -> None:
        self._counted().release(worker)

    def save(self) -> None:
        self._counted().save()
        self._saved = self._clock()

    def _living(self) -> frozenset[str]:
        lately = self._clock() - _SILENT
        return frozenset(worker for worker, heard in self._heard.items() if heard > lately)

    def _counted(self) -> SharedPurse:
        if self._purse is None:
            raise AssertionError("a database counts what is spent")
        return self._purse
