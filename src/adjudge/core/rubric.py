"""What is asked: criteria with their scales and forms, rules over them, and the overall score."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from .checklist import Checklist
from .scale import Binary, Number, Scale, Value, value_range

OVERALL = "overall"  # stands beside the criteria wherever scores become figures
SIGNS: Mapping[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "=": operator.eq,
}


@dataclass(frozen=True, slots=True)
class Threshold:
    """A condition that a score meets or not, e.g. `>= 3.5`."""

    sign: str
    limit: float

    def met(self, value: float) -> bool:
        """A value that only rounding keeps off the limit is on it."""
        if abs(value - self.limit) <= 1e-9 * max(1.0, abs(self.limit)):
            return "=" in self.sign
        return SIGNS[self.sign](value, self.limit)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The model quotes these inputs word for word, at least so often; code finds each quotation.

    Where it is `required`, a score without them is no score.
    """

    inputs: tuple[str, ...]
    least: int = 1
    required: bool = False


CLAIM_VERDICTS = ("supported", "contradicted", "not_mentioned")


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """The model lists what the judged text claims, each with what the sources say about it.

    The score is a share of the claims: those that are supported, or those that are
    `not_contradicted`. `against` are the inputs that hold the sources. Where quotations are
    `required`, a verdict without one makes the score unreadable.
    """

    against: tuple[str, ...]
    credit: Literal["supported", "not_contradicted"] = "supported"
    required: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorSpans:
    """The model marks every error in these inputs: the passage, its category and its severity.

    The score is 0 less the points that each severity costs, as MQM has it, and not below the lowest
    value of the scale. Where quotations are `required`, an error whose passage is not in the texts
    makes the score unreadable.
    """

    inputs: tuple[str, ...]
    severities: Mapping[str, float]
    categories: tuple[str, ...] = ()
    required: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """Without it the overall score is void, or not above `cap`.

    Without a `threshold` a score meets it in the upper half of its scale; yes does, no does not.
    """

    threshold: Threshold | None = None
    cap: float | None = None


TraceMatch = Literal["strict", "unordered", "subset", "superset"]
TraceFact = Literal["steps", "tool_calls", "errors", "repeated", "cost", "tokens"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trajectory:
    """What code checks of an agent's trace; see `judges.trajectory`.

    `match` compares the tools called with those of a reference trace, `arguments` included or not.
    `fact` is a number, which passes where it is not above `most`, or is the score itself.
    """

    input: str
    match: TraceMatch | None = None
    reference: str = ""
    arguments: bool = True
    fact: TraceFact | None = None
    most: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """A question with a scale.

    `explain` is True when the model explains this score, False when it does not, or the name of the
    feedback section that serves as the explanation. With a `checklist`, `claims` or `errors` the
    model answers about parts, and code makes the score of them. A `trajectory` is checked by code
    alone. `weight` counts in the overall score, and may be negative.
    """

    name: str
    title: str
    guide: str
    scale: Scale
    steps: tuple[str, ...] = ()
    explain: bool | str = True
    trajectory: Trajectory | None = None
    weight: float = 1.0
    required: Requirement | None = None
    may_not_apply: bool = False
    evidence: Evidence | None = None
    checklist: Checklist | None = None
    claims: Claims | None = None
    errors: ErrorSpans | None = None
    check: str = ""

    @property
    def in_parts(self) -> bool:
        """Whether the score is made of parts that the model answers about."""
        return self.checklist is not None or self.lists

    @property
    def lists(self) -> bool:
        """Whether the model lists the parts itself, each with a quotation."""
        return self.claims is not None or self.errors is not None

    @property
    def quotes(self) -> tuple[str, ...]:
        """The inputs that the model quotes for this score."""
        if self.claims is not None:
            return self.claims.against
        if self.errors is not None:
            return self.errors.inputs
        return self.evidence.inputs if self.evidence is not None else ()

    def passes(self, value: Value, threshold: Threshold | None = None) -> bool:
        """Whether the value meets the criterion's own requirement, else the threshold, else lies in
        the upper half of the scale."""
        own = self.required.threshold if self.required else None
        if limit := own or threshold:
            return limit.met(float(value))
        return (self.scale.unit(value) or 0.0) >= 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A promise of the rubric that code keeps.

    The model reports `flag` (true or false, as `when` describes); when it is true, `cap` and
    `floor` bound the scores named there. `criterion` is the one whose call asks for the flag.
    """

    id: str
    criterion: str
    flag: str
    when: str
    cap: Mapping[str, Value] = field(default_factory=dict)
    floor: Mapping[str, Value] = field(default_factory=dict)


OverallKind = Literal["weighted_mean", "sum", "min", "all", "any"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Overall:
    """One score over several criteria, made in code; `threshold` says which values pass."""

    kind: OverallKind
    over: tuple[str, ...]
    threshold: Threshold | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rubric:
    """The ordered criteria with the rules over them, and the overall score where there is one."""

    criteria: Mapping[str, Criterion]
    rules: tuple[Rule, ...] = ()
    overall: Overall | None = None

    @property
    def asked(self) -> tuple[str, ...]:
        """The criteria that the model is asked about; the others are computed."""
        criteria = self.criteria.items()
        return tuple(name for name, known in criteria if not (known.check or known.trajectory))

    def title(self, name: str) -> str:
        """What people call a criterion; a name that the rubric does not have stays as it is."""
        return self.criteria[name].title if name in self.criteria else name

    def flags_of(self, criteria: tuple[str, ...]) -> tuple[Rule, ...]:
        """The rules whose flag is asked for together with these criteria."""
        return tuple(rule for rule in self.rules if rule.criterion in criteria)

    @property
    def measures(self) -> Mapping[str, Criterion]:
        """All that has a figure: the criteria, and the overall score as one of them."""
        if self.overall is None:
            return self.criteria
        title = OVERALL.capitalize()
        made = Criterion(
            name=OVERALL, title=title, guide="", scale=self.overall_scale, explain=False
        )
        return {**self.criteria, OVERALL: made}

    @property
    def shares_scale(self) -> bool:
        """Whether all parts of the overall score lie on one scale; else their units are taken."""
        parts = [self.criteria[name].scale for name in self.overall.over] if self.overall else []
        return all(scale == parts[0] for scale in parts)

    @property
    def overall_scale(self) -> Scale:
        """From the lowest to the highest value that the overall score can have."""
        assert self.overall is not None  # noqa: S101 - asked for only where there is one
        if self.overall.kind in {"all", "any"}:
            return Binary()
        first = self.criteria[self.overall.over[0]].scale
        span = (value_range(first) if self.shares_scale else None) or (0.0, 1.0)
        weights = [self.criteria[name].weight for name in self.overall.over]
        if self.overall.kind == "min":
            return Number(*span)
        ends = [sorted((weight * span[0], weight * span[1])) for weight in weights]
        low, high = sum(end[0] for end in ends), sum(end[1] for end in ends)
        if self.overall.kind == "weighted_mean":
            total = sum(weight for weight in weights if weight > 0)
            low, high = low / total, high / total
        return Number(round(low, 10), round(high, 10))
