"""What a run came to in a few numbers: counts of verdicts beside means over items."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from adjudge.core.reply import Usage
from adjudge.running import CriterionTally, Tally

from .item_values import GraderValues


@dataclass(frozen=True, slots=True)
class CriterionSummary:
    """One criterion by one judge and model.

    `mean`, `sd` and `shares` are over the `items` with a score, each item's repeats made one first;
    names have shares in place of a mean. `tally` counts every sample, and what went unscored, which
    belongs beside every mean.
    """

    judge: str
    model: str
    criterion: str
    items: int
    unscored_items: int
    mean: float | None
    sd: float | None
    shares: Mapping[str, int]
    tally: CriterionTally


@dataclass(frozen=True, slots=True)
class Summary:
    """`criteria` is by judge, model and criterion; the counts of verdicts are those of `tally`."""

    tally: Tally
    criteria: Mapping[tuple[str, str, str], CriterionSummary]

    @property
    def run(self) -> str:
        return self.tally.run

    @property
    def verdicts(self) -> int:
        return self.tally.verdicts

    @property
    def outcomes(self) -> Mapping[str, int]:
        return self.tally.outcomes

    @property
    def unscored(self) -> int:
        return self.tally.unscored

    @property
    def usage(self) -> Usage:
        return self.tally.usage

    def means(self) -> dict[str, float | None]:
        """By criterion; with several judges or models by judge/model/criterion."""
        several = len({(judge, model) for judge, model, _ in self.criteria}) > 1
        return {
            "/".join(key) if several else key[2]: criterion.mean
            for key, criterion in self.criteria.items()
        }


def summary_of(tally: Tally, values: Iterable[GraderValues]) -> Summary:
    """The counts of a run's verdicts with what its scores come to."""
    graders = {(grader.judge.name, grader.model): grader for grader in values}
    criteria = {}
    for key, counts in tally.criteria.items():
        scores = graders[key[:2]].values(key[2])
        items = scores.scored_items, scores.unscored_items
        criteria[key] = CriterionSummary(*key, *items, scores.mean, scores.sd, scores.names, counts)
    return Summary(tally, criteria)
