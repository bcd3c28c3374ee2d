"""Verdicts counted while they stream by, in flat memory. Means are made from the stored scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from adjudge.core.reason import Reason
from adjudge.core.reply import NO_USAGE, Usage
from adjudge.core.score import SETTLED, Outcome, Score, on_samples
from adjudge.core.verdict import Verdict

_CAUSES = 1000  # different ones that are counted


@dataclass(slots=True)
class CriterionTally:
    """The scores of one criterion by one judge and model, each sample counted.

    `unscored` is by outcome, without those that do not apply. `sampled` are the scored ones that
    samples stand in for probabilities of.
    """

    scored: int = 0
    unscored: Counter[str] = field(default_factory=Counter)
    capped: int = 0
    sampled: int = 0
    wrong_language: int = 0
    not_applicable: int = 0
    unsupported: int = 0

    def add(self, score: Score) -> None:
        self.wrong_language += score.explanation_outcome is Outcome.WRONG_LANGUAGE
        self.unsupported += score.explanation_outcome is Outcome.UNSUPPORTED
        if score.outcome is Outcome.NOT_APPLICABLE:
            self.not_applicable += 1
            return
        if score.value is None:
            self.unscored[score.outcome.value] += 1
            return
        self.scored += 1
        self.capped += score.rule is not None
        self.sampled += on_samples(score.distribution, score.mass)


@dataclass(slots=True)
class Tally:
    """`cut` counts verdicts on texts that were not judged whole, `cut_characters` what was cut.
    `failures` counts why verdicts have no answer, up to a number of different causes. `criteria` is
    by judge, model and criterion."""

    run: str
    verdicts: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    usage: Usage = NO_USAGE
    attempts: int = 0
    cut: int = 0
    cut_characters: int = 0
    failures: Counter[Reason] = field(default_factory=Counter)
    criteria: dict[tuple[str, str, str], CriterionTally] = field(default_factory=dict)

    @property
    def unscored(self) -> int:
        return self.verdicts - sum(self.outcomes[outcome] for outcome in SETTLED)

    def add(self, verdict: Verdict) -> None:
        self.verdicts += 1
        self.outcomes[verdict.outcome.value] += 1
        self.usage += verdict.usage
        self.attempts += verdict.attempts
        self.cut += bool(verdict.cuts)
        self.cut_characters += sum(cut.length for cut in verdict.cuts.values())
        if verdict.outcome is Outcome.PROVIDER_ERROR:
            self._count_failure(verdict)
        for name, score in verdict.measures.items():
            key = (verdict.judge, verdict.model, name)
            if key not in self.criteria:
                self.criteria[key] = CriterionTally()
            self.criteria[key].add(score)

    def _count_failure(self, verdict: Verdict) -> None:
        error = next((call.error for call in verdict.calls if call.error), None)
        # A server may word each error in its own way: memory stays flat.
        if error and (error in self.failures or len(self.failures) < _CAUSES):
            self.failures[error] += 1


def tally_of(run_id: str, verdicts: Iterable[Verdict]) -> Tally:
    tally = Tally(run_id)
    for verdict in verdicts:
        tally.add(verdict)
    return tally
