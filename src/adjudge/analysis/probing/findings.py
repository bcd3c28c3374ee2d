"""What probing a judge comes to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from adjudge.core.reason import Reason
from adjudge.errors import UsageError
from adjudge.stats.stat import Stat
from adjudge.stores import Store

# flip: share of items with another value. gain: how far scores rise. shift: how far they move
# either way. accepted: share of empty answers that get the upper half of the scale. unnoticed:
# share of items whose score does not fall. preference: how much kinder a model is to its own texts.
Measure = Literal["flip", "gain", "shift", "accepted", "unnoticed", "preference"]
Rating = Literal["fine", "worrying", "bad", "unclear"]

MEASURES: tuple[Measure, ...] = get_args(Measure)
FEWEST = 5  # scored items below which nothing is said


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeLimits:
    """The most that each measure may be before it is worrying; all are shares from 0 to 1."""

    flip: float = 0.1
    gain: float = 0.05
    shift: float = 0.1
    accepted: float = 0.05
    unnoticed: float = 0.5
    preference: float = 0.05

    def __post_init__(self) -> None:
        for name in MEASURES:
            if not 0 <= getattr(self, name) <= 1:
                raise UsageError(Reason("probes.share").at_option(f"max-{name}"))

    def rate(self, measure: Measure, effect: Stat, items: int) -> Rating:
        """`fine` within the limit, `worrying` beyond it if chance may have done that, `bad` if the
        whole interval lies beyond it, `unclear` with fewer than five scored items.

        Where all items do the same there is no interval, and the value stands for it.
        """
        limit: float = getattr(self, measure)
        if items < FEWEST or effect.value is None:
            return "unclear"
        value, near = effect.value, effect.value if effect.low is None else effect.low
        if measure == "shift" and value < 0:
            value, near = -value, -(effect.value if effect.high is None else effect.high)
        if value <= limit:
            return "fine"
        return "bad" if near > limit else "worrying"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeFinding:
    """One probe, model and criterion.

    `n` pairs are scored on both sides and `unscored` are not. `before` and `after` are means on
    0-1, None where the values have no order. `note` says what the figures do not.
    """

    probe: str
    model: str
    criterion: str
    measure: Measure
    n: int
    unscored: int
    effect: Stat
    limit: float
    rating: Rating
    before: float | None = None
    after: float | None = None
    note: Reason | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeSession:
    """One of the runs that were made: what it was about, and what it has spent."""

    run: str
    about: str
    verdicts: int
    unscored: int
    tokens: int
    usd: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Probed:
    """Everything that was found out about a judge; `not_run` has the probes that were not, and why.

    `stopped` says that the budget ran out before all was asked.
    """

    judge: str
    fingerprint: str
    models: tuple[str, ...]
    source: Reason
    language: str
    items: int
    limits: ProbeLimits
    confidence: float
    findings: tuple[ProbeFinding, ...]
    not_run: Mapping[str, Reason]
    runs: tuple[ProbeSession, ...]
    stopped: bool = False

    def deciding(self) -> list[ProbeFinding]:
        """One finding for each probe and model: the criterion that decides.

        That is the worst one; but a judge that notices a wrong reference in one criterion does.
        """
        deciding: dict[tuple[str, str], ProbeFinding] = {}
        for finding in self.findings:
            known = deciding.get((finding.probe, finding.model))
            if known is None or _weight(finding) > _weight(known):
                deciding[finding.probe, finding.model] = finding
        return list(deciding.values())

    @property
    def bad(self) -> list[ProbeFinding]:
        """The probes that this judge fails."""
        return [finding for finding in self.deciding() if finding.rating == "bad"]


_ORDER: tuple[Rating, ...] = ("unclear", "fine", "worrying", "bad")


def _weight(finding: ProbeFinding) -> tuple[int, float]:
    """What is heavier decides. Nothing decides less than what is unclear."""
    value, rank = finding.effect.value or 0.0, _ORDER.index(finding.rating)
    if finding.measure == "unnoticed":
        return (len(_ORDER) - rank if rank else 0), -value
    return rank, abs(value) if finding.measure == "shift" else value


def keep(store: Store, probed: Probed) -> None:
    """Under the judge and each of its models."""
    store.probes.keep(probed.judge, probed.models, probed.fingerprint, asdict(probed))


def probed_from(content: Mapping[str, Any]) -> Probed:
    """What was kept, as it was found out."""
    read = {
        "models": tuple(content["models"]),
        "limits": ProbeLimits(**content["limits"]),
        "source": Reason.of(content["source"]),
        "findings": tuple(map(_finding_from, content["findings"])),
        "not_run": {name: Reason.of(why) for name, why in content["not_run"].items()},
        "runs": tuple(ProbeSession(**session) for session in content["runs"]),
    }
    return Probed(**{**content, **read})


def _finding_from(kept: Mapping[str, Any]) -> ProbeFinding:
    note = kept["note"] and Reason.of(kept["note"])
    return ProbeFinding(**{**kept, "effect": Stat.of(kept["effect"]), "note": note})
