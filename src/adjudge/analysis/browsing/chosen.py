"""Which graders and which criterion a query is about; names that do not exist are refused."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from adjudge.core.scale import Category, NotAValue
from adjudge.core.score import Outcome
from adjudge.errors import UsageError
from adjudge.stores.facts import OUTCOMES

from .graders import Grader
from .query import ANY_RULE, UNSCORED, Query


@dataclass(frozen=True, slots=True)
class Chosen:
    """`outcome` and `rule` are places, as in `Columns`; -1 for anything but scored, or any rule.

    `criterion` is None where all of them count.
    """

    graders: tuple[Grader, ...]
    criterion: str | None
    outcome: int | None
    rule: int | None

    @property
    def key(self) -> tuple[tuple[str, ...], str | None]:
        return tuple(each.name for each in self.graders), self.criterion

    def pairs(self) -> Iterable[tuple[Grader, str]]:
        """Each grader with each of its criteria that count."""
        for grader in self.graders:
            for name in grader.criteria if self.criterion is None else (self.criterion,):
                yield grader, name


def chosen(query: Query, graders: Sequence[Grader], rules: Sequence[str]) -> Chosen:
    """UsageError where a name is not one of this run."""
    _known("judge", query.judge, [each.judge.name for each in graders])
    _known("model", query.model, [each.model for each in graders])
    criteria = [name for each in graders for name in each.criteria]
    _known("criterion", query.criterion, criteria)
    _known("rule", query.rule, [ANY_RULE, *rules[1:]])
    outcomes = [outcome.value for outcome in OUTCOMES]
    _known("outcome", query.outcome, [UNSCORED, *outcomes])
    picked = tuple(
        each
        for each in graders
        if query.judge in {None, each.judge.name} and query.model in {None, each.model}
    )
    criterion = query.criterion
    if criterion is None and query.about_scores:
        criterion = _only_one(picked)
    if criterion is not None:
        picked = tuple(each for each in picked if criterion in each.criteria)
    outcome, rule = query.outcome, query.rule
    return Chosen(
        picked,
        criterion,
        None
        if outcome is None
        else -1
        if outcome == UNSCORED
        else OUTCOMES.index(Outcome(outcome)),
        None if rule is None else -1 if rule == ANY_RULE else rules.index(rule),
    )


def number(grader: Grader, criterion: str, written: str) -> float:
    """A value of the criterion as the arrays hold it; UsageError where it has none like that."""
    scale = grader.scale_of(criterion).scale
    try:
        if not grader.on_scale:
            return float(written)
        value = scale.read(written)
    except (NotAValue, ValueError) as error:
        raise UsageError(f"value={written}: {criterion} has no such value ({error}).") from None
    return scale.options.index(str(value)) if isinstance(scale, Category) else float(value)


def _only_one(graders: Sequence[Grader]) -> str | None:
    names = list(dict.fromkeys(name for each in graders for name in each.criteria))
    if len(names) > 1:
        raise UsageError(f"Scores of which criterion? criterion= takes one of {', '.join(names)}.")
    return names[0] if names else None


def _known(field: str, name: str | None, names: Iterable[str]) -> None:
    listed = list(dict.fromkeys(names))
    if name is not None and name not in listed:
        has = ", ".join(listed) or "none"
        raise UsageError(f"{field}={name}: this run has no such {field}; it has: {has}.")
