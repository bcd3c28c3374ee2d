"""What somebody wants to see of a run's items."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, cast, get_args
from urllib.parse import quote, unquote

import numpy as np

from adjudge.analysis.scores.grader import Grader
from adjudge.core.reason import Reason, reason_of
from adjudge.core.scale import Category, NotAValue
from adjudge.errors import UsageError
from adjudge.stats.arrays import Bools, Floats
from adjudge.stores.facts import OUTCOMES

How = Literal["=", "!=", "~", ">=", "<="]
HOWS: tuple[How, ...] = get_args(How)
SCORE = "score."  # before the name of a criterion
# What people said beside the judge: anything, nothing, the same, or the judge above or below.
LABELS = ("any", "none", "same", "above", "below")
NEAR = 1e-9  # numbers that differ by rounding alone
Sort = Literal["worst", "position", "score", "disagreement", "confidence", "latency", "cost"]
SORTS: tuple[Sort, ...] = get_args(Sort)
UNSCORED = "unscored"  # any outcome but scored
ANY_RULE = "any"
LARGEST_PAGE = 200
_WRITTEN = re.compile(r"([^=!<>~]+)(!=|>=|<=|=|~)(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ItemCondition:
    """`name` is a column, or a criterion behind "score."; `~` holds where the value has the text in
    it, in whatever case. Written `topic=shop`, the name with its signs quoted as in addresses."""

    name: str
    how: How
    value: str

    @classmethod
    def of(cls, written: str) -> ItemCondition:
        """UsageError for what is no condition."""
        parts = _WRITTEN.fullmatch(written)
        if parts is None:
            raise UsageError(Reason("query.condition").at_parameter("where", written))
        return cls(unquote(parts[1]), cast(How, parts[2]), parts[3])

    def __str__(self) -> str:
        return f"{quote(self.name, safe=' ./()[]_-:')}{self.how}{self.value}"

    @property
    def criterion(self) -> str | None:
        return self.name.removeprefix(SCORE) if self.name.startswith(SCORE) else None

    @property
    def bound(self) -> float:
        try:
            return float(self.value.replace(",", "."))
        except ValueError:
            reason = Reason("form.number").at_parameter("where", str(self))
            raise UsageError(reason) from None

    def holds(self, values: Floats) -> Bools:
        """Of numbers; NaN is none."""
        known = np.isfinite(values)
        if self.how == ">=":
            return known & (values >= self.bound - NEAR)
        if self.how == "<=":
            return known & (values <= self.bound + NEAR)
        same = np.abs(values - self.bound) < NEAR
        return known & (~same if self.how == "!=" else same)


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """Filters hold all together; each holds for an item where it does for any of its verdicts by
    the chosen `judge` and `model`. Left out, a filter lets everything through.

    `low`, `high` and `value` are on the criterion's scale, the mean over an item's scored repeats;
    `value` is a name, "yes", "no", a number, a label, or "(divided)" for items whose samples name
    two values equally often. `outcome` is the criterion's where one is chosen, else the verdict's;
    `disagreement` is the least, on 0-1; `label` is how people's labels stand to the score (LABELS),
    or `=3` for what they said; each of `where` is a ItemCondition on a column or a score.

    Items that lack what is sorted by come last; `worst` is the mean over all scores that count, as
    shares of their scales. Pages count from 1.
    """

    search: str = ""
    judge: str | None = None
    model: str | None = None
    criterion: str | None = None
    low: float | None = None
    high: float | None = None
    value: str | None = None
    outcome: str | None = None
    rule: str | None = None
    disagreement: float | None = None
    label: str | None = None
    where: tuple[str, ...] = ()
    sort: Sort = "worst"
    down: bool = False
    page: int = 1
    size: int = 25

    def __post_init__(self) -> None:
        if self.sort not in SORTS:
            reason = Reason("query.sort", known=tuple(SORTS))
            raise UsageError(reason.at_parameter("sort", self.sort))
        if self.label is not None and not (self.label in LABELS or self.label[:1] == "="):
            raise UsageError(Reason("query.label", known=LABELS).at_parameter("label", self.label))
        if self.page < 1:
            raise UsageError(Reason("query.page").at_parameter("page", self.page))
        if not 1 <= self.size <= LARGEST_PAGE:
            reason = Reason("query.size", most=LARGEST_PAGE)
            raise UsageError(reason.at_parameter("size", self.size))
        if self.low is not None and self.high is not None and self.low > self.high:
            raise UsageError(Reason("query.low_high", low=self.low, high=self.high))

    @property
    def about_scores(self) -> bool:
        return self.by_score or self.sort == "score"

    @property
    def by_score(self) -> bool:
        """Whether items are filtered by a score."""
        return any(bound is not None for bound in (self.low, self.high, self.value))


@dataclass(frozen=True, slots=True)
class QueryTarget:
    """`outcome` and `rule` are places, as in `Columns`; -1 for anything but scored, or any rule.

    `criterion` is None where all of them count.
    """

    graders: tuple[Grader, ...]
    criterion: str | None
    outcome: int | None
    rule: int | None

    def pairs(self) -> Iterable[tuple[Grader, str]]:
        """Each grader with each of its criteria that count."""
        for grader in self.graders:
            for name in grader.criteria if self.criterion is None else (self.criterion,):
                yield grader, name


def target_of(query: Query, graders: Sequence[Grader], rules: Sequence[str]) -> QueryTarget:
    """UsageError where a name is not one of this run."""
    _known("judge", query.judge, [grader.judge.name for grader in graders])
    _known("model", query.model, [grader.model for grader in graders])
    criteria = [name for grader in graders for name in grader.criteria]
    _known("criterion", query.criterion, criteria)
    _known("rule", query.rule, [ANY_RULE, *rules[1:]])
    outcomes = [outcome.value for outcome in OUTCOMES]
    _known("outcome", query.outcome, [UNSCORED, *outcomes])
    picked = tuple(
        grader
        for grader in graders
        if query.judge in {None, grader.judge.name} and query.model in {None, grader.model}
    )
    criterion = query.criterion
    if criterion is None and query.about_scores:
        criterion = _only_one(picked)
    if criterion is not None:
        picked = tuple(grader for grader in picked if criterion in grader.criteria)
    outcome = _place(query.outcome, UNSCORED, outcomes)
    return QueryTarget(picked, criterion, outcome, _place(query.rule, ANY_RULE, rules))


def _place(name: str | None, any_but_first: str, names: Sequence[str]) -> int | None:
    return None if name is None else -1 if name == any_but_first else names.index(name)


def number(grader: Grader, criterion: str, written: str) -> float:
    """A value of the criterion as the arrays hold it; UsageError where it has none like that."""
    scale = grader.criterion(criterion).scale
    try:
        if not grader.on_scale:
            return float(written)
        value = scale.read(written)
    except (NotAValue, ValueError) as error:
        reason = Reason("query.no_value", criterion=criterion, why=reason_of(error))
        raise UsageError(reason.at_parameter("value", written)) from None
    return scale.options.index(str(value)) if isinstance(scale, Category) else float(value)


def _only_one(graders: Sequence[Grader]) -> str | None:
    names = list(dict.fromkeys(name for grader in graders for name in grader.criteria))
    if len(names) > 1:
        raise UsageError(Reason("query.which_criterion", known=tuple(names)))
    return names[0] if names else None


def _known(field: str, name: str | None, names: Iterable[str]) -> None:
    known = tuple(dict.fromkeys(names))
    if name is not None and name not in known:
        reason = {
            "judge": Reason("query.no_judge", known=known),
            "model": Reason("query.no_model", known=known),
        }.get(field, Reason("query.no_field", field=field, known=known))
        raise UsageError(reason.at_parameter(field, name))
