"""One criterion's value on its scale, or a named reason why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from .reason import Reason
from .scale import Value

# Stands as the `rule` of a tie where two orders of the same answers name different winners.
ORDERS_DISAGREE = "orders-disagree"
# Stands as the `rule` of a checklist of which a required question is answered with no.
REQUIRED_RULE = "required"
# Stands as the `rule` of errors that cost more than the scale reaches down to.
LOWEST_RULE = "lowest"


class Outcome(StrEnum):
    """How judging ended. Only `scored` carries a value: a failure is never a number.

    `not_applicable` is no failure: the judge says that there is nothing to judge. `unsupported` is
    about an explanation, whose quotations are not in the texts; `void` about an overall score, of
    which a required part failed.
    """

    SCORED = "scored"
    NOT_APPLICABLE = "not_applicable"
    UNREADABLE = "unreadable"
    OUT_OF_RANGE = "out_of_range"
    WRONG_LANGUAGE = "wrong_language"
    REFUSED = "refused"
    TRUNCATED = "truncated"
    TOO_LONG = "too_long"
    PROVIDER_ERROR = "provider_error"
    BUDGET_STOPPED = "budget_stopped"
    UNSUPPORTED = "unsupported"
    VOID = "void"


# Not to be asked about again, and not counted as unscored.
SETTLED = frozenset({Outcome.SCORED, Outcome.NOT_APPLICABLE})


# Not answered by the model: running the same command again asks for these once more.
UNANSWERED = frozenset({Outcome.PROVIDER_ERROR, Outcome.BUDGET_STOPPED})


@dataclass(frozen=True, slots=True)
class Quotation:
    """What the model quotes, and where that stands; without a `start` it stands nowhere.

    `start` and `end` are characters of the item's text in `input`; where that is a list, of the
    entry with the number `source`, counted from 1.
    """

    quote: str
    input: str | None = None
    start: int | None = None
    end: int | None = None
    source: int | None = None

    @property
    def supported(self) -> bool:
        return self.start is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScorePart:
    """A part that a score is made of: a question of a checklist, a claim, or an error.

    `verdict` is yes, no or n/a for a question; supported, contradicted or not_mentioned for a
    claim; the severity of an error; "" for none. `source` is the number of the source as the model
    gave it. An error has a `category`, and `points` that it costs.
    """

    text: str
    verdict: str
    points: float | None = None
    required: bool = False
    source: int | None = None
    quotation: Quotation | None = None
    category: str = ""


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

    `evidence` are the quotations that the criterion asks for, `parts` what the score is made of,
    `turns` those of a conversation.
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
    evidence: tuple[Quotation, ...] = ()
    parts: tuple[ScorePart, ...] = ()
    turns: tuple[TurnScore, ...] = ()

    def __post_init__(self) -> None:
        if (self.outcome is Outcome.SCORED) != (self.value is not None):
            raise ValueError(f"outcome {self.outcome} with value {self.value!r}")

    @property
    def why(self) -> str | None:
        return None if self.reason is None else str(self.reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class OverallScore:
    """The score over several criteria, made in code.

    `low` and `high` are the ends between which it lies where parts are unscored: the missing ones
    at their lowest and highest. `passed` is None where that is not settled, or nothing says what
    passes. A `void` one has no value since a required part failed.
    """

    outcome: Outcome
    value: Value | None = None
    passed: bool | None = None
    low: float | None = None
    high: float | None = None
    unit: float | None = None
    reason: Reason | None = None

    @property
    def as_score(self) -> Score:
        outcome, value = self.outcome, self.value
        return Score(outcome=outcome, value=value, raw=value, unit=self.unit, reason=self.reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnScore:
    """The score of one turn of a conversation: its number in the whole, and who speaks."""

    turn: int
    role: str
    score: Score


def on_samples(distribution: object, mass: object) -> bool:
    """Whether a score with these rests on samples: no probability was counted for it."""
    return distribution is not None and mass is None
