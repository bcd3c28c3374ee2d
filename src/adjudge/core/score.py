"""One criterion's value on its scale, or a named reason why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from .reason import Reason
from .scale import Value

# Stands as the `rule` of a tie where two orders of the same answers name different winners.
ORDERS_DISAGREE = "orders-disagree"


class Outcome(StrEnum):
    """How judging ended. Only `scored` carries a value: a failure is never a number."""

    SCORED = "scored"
    UNREADABLE = "unreadable"
    OUT_OF_RANGE = "out_of_range"
    WRONG_LANGUAGE = "wrong_language"
    REFUSED = "refused"
    TRUNCATED = "truncated"
    TOO_LONG = "too_long"
    PROVIDER_ERROR = "provider_error"
    BUDGET_STOPPED = "budget_stopped"


# Not answered by the model: running the same command again asks for these once more.
UNANSWERED = frozenset({Outcome.PROVIDER_ERROR, Outcome.BUDGET_STOPPED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """`raw` is what the model said before rules, `rule` the id of the one that changed it.

    `explanation_outcome` is `wrong_language` when the explanation is not in the language asked for
    even after asking again; the score itself stands. `reason` is why there is no value, `why` the
    same in English words. `span` is where the value was read in the reply that counts, in
    characters.

    Of an expected score, `distribution` sums to 1 over the values of the scale, `confidence` is the
    probability of the likeliest, and `mass` is the share of what the model might have written there
    that they rest on.
    """

    outcome: Outcome
    value: Value | None = None
    raw: Value | None = None
    rule: str | None = None
    label: str | None = None
    unit: float | None = None
    distribution: Mapping[str, float] | None = None
    confidence: float | None = None
    mass: float | None = None
    explanation: str | None = None
    explanation_outcome: Outcome | None = None
    reason: Reason | None = None
    span: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        if (self.outcome is Outcome.SCORED) != (self.value is not None):
            raise ValueError(f"outcome {self.outcome} with value {self.value!r}")

    @property
    def why(self) -> str | None:
        return None if self.reason is None else str(self.reason)


def on_samples(distribution: object, mass: object) -> bool:
    """Whether a score with these rests on samples: no probability was counted for it."""
    return distribution is not None and mass is None
