"""Verdicts → counts, means and spend, in one pass and flat memory."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from adjudge.core.reply import NO_USAGE, Usage
from adjudge.core.scale import Value
from adjudge.core.score import Outcome, Score, on_samples
from adjudge.core.verdict import Verdict


@dataclass(slots=True)
class CriterionSummary:
    """One criterion by one judge and model.

    `mean` is over the scored ones only and None when there are none; `unscored` counts the others
    by outcome and belongs beside every mean. Names are counted in `shares` instead. `sampled` are
    the scored ones that samples stand in for probabilities of.
    """

    judge: str
    model: str
    criterion: str
    scored: int = 0
    unscored: Counter[str] = field(default_factory=Counter)
    capped: int = 0
    sampled: int = 0
    wrong_language: int = 0
    shares: Counter[str] = field(default_factory=Counter)
    _sum: float = 0.0
    _squares: float = 0.0

    def add(self, score: Score) -> None:
        self.wrong_language += score.explanation_outcome is Outcome.WRONG_LANGUAGE
        if score.value is None:
            self.unscored[score.outcome.value] += 1
            return
        self.scored += 1
        self.capped += score.rule is not None
        self.sampled += on_samples(score.distribution, score.mass)
        self._count(score.value)

    def _count(self, value: Value) -> None:
        if isinstance(value, str):
            self.shares[value] += 1
        else:
            self._sum += value
            self._squares += value * value

    @property
    def mean(self) -> float | None:
        return self._sum / self.scored if self.scored and not self.shares else None

    @property
    def sd(self) -> float | None:
        """Sample standard deviation; None below two scores."""
        if self.scored < 2 or self.shares:
            return None
        mean = self._sum / self.scored
        return math.sqrt(max(0.0, self._squares - self.scored * mean * mean) / (self.scored - 1))


@dataclass(slots=True)
class Summary:
    """`cut` counts verdicts on texts that were not judged whole, `cut_characters` what was cut.
    `failure` is why the first one without an answer has none."""

    run: str
    verdicts: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    usage: Usage = NO_USAGE
    attempts: int = 0
    cut: int = 0
    cut_characters: int = 0
    failure: str | None = None
    criteria: dict[tuple[str, str, str], CriterionSummary] = field(default_factory=dict)

    @property
    def unscored(self) -> int:
        return self.verdicts - self.outcomes[Outcome.SCORED]

    def add(self, verdict: Verdict) -> None:
        self.verdicts += 1
        self.outcomes[verdict.outcome.value] += 1
        self.usage += verdict.usage
        self.attempts += verdict.attempts
        self.cut += bool(verdict.cuts)
        self.cut_characters += sum(cut.length for cut in verdict.cuts.values())
        if verdict.outcome is Outcome.PROVIDER_ERROR and self.failure is None:
            self.failure = next(filter(None, (each.error for each in verdict.calls)), None)
        for name, score in verdict.scores.items():
            key = (verdict.judge, verdict.model, name)
            if key not in self.criteria:
                self.criteria[key] = CriterionSummary(*key)
            self.criteria[key].add(score)

    def means(self) -> dict[str, float | None]:
        """By criterion; with several judges or models by judge/model/criterion."""
        several = len({(judge, model) for judge, model, _ in self.criteria}) > 1
        return {
            "/".join(key) if several else key[2]: each.mean for key, each in self.criteria.items()
        }


def summarise(run_id: str, verdicts: Iterable[Verdict]) -> Summary:
    summary = Summary(run_id)
    for verdict in verdicts:
        summary.add(verdict)
    return summary
