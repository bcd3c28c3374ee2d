"""What reading finds in one reply."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from adjudge.core.scale import Value
from adjudge.core.score import Outcome

from .place import Form, Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One criterion in one reply: its value, or the outcome that stands in its place.

    `given` is what stood there, also when it is off the scale. `place` tells in words where the
    value was read, e.g. "JSON key accuracy.score"; `span` where that is in the reply's text, and
    `start` where the statement begins that holds it; `stop`, `form` and `key` are the Place's.

    The rest is known where the value was weighed by its tokens' probabilities: the `distribution`
    over the values of the scale (as the scale writes them; sums to 1), the `confidence`, which is
    the probability of the most likely of them, and the `mass` (0-1), the share of what the model
    might have written that the distribution rests on.
    """

    outcome: Outcome
    value: Value | None = None
    given: Value | None = None
    why: str | None = None
    explanation: str | None = None
    place: str | None = None
    span: Span | None = None
    start: int | None = None
    stop: int | None = None
    form: Form = "other"
    key: str = ""
    distribution: Mapping[str, float] | None = None
    confidence: float | None = None
    mass: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """Everything found in one reply. `structured` is false when there was nothing of any form."""

    scores: Mapping[str, Found]
    flags: Mapping[str, bool] = field(default_factory=dict)
    feedback: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    structured: bool = True

    @property
    def complete(self) -> bool:
        return all(found.outcome is Outcome.SCORED for found in self.scores.values())
