"""What a run came to in a few numbers: counts of verdicts beside means over items, and how far the
samples of each item lie apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby

from adjudge.core.reply import Usage
from adjudge.core.verdict import Verdict
from adjudge.running import CriterionTally, Tally
from adjudge.stats.samples import Spread, moments, spread
from adjudge.stores import RunRecord, Store

from .item_values import GraderValues, read_values


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


@dataclass(frozen=True, slots=True)
class ItemSpread:
    """One item by one judge and model: of `samples` verdicts, what each criterion came to."""

    item: str
    judge: str
    model: str
    samples: int
    criteria: Mapping[str, Spread]


@dataclass(frozen=True, slots=True)
class Stability:
    """One criterion by one judge and model, over `items` with two scored samples or more.

    `flipping` counts those whose samples differ; the other figures are means over items, None where
    there are none, and `sd` also for names.
    """

    judge: str
    model: str
    criterion: str
    items: int
    flipping: int
    flip_rate: float | None
    entropy: float | None
    sd: float | None


@dataclass(frozen=True, slots=True)
class Repeats:
    """`samples` were taken of at most `most`; the others were not needed where the run stops early
    (`stopped_early`), else they are still to come."""

    samples: int
    most: int
    stopped_early: bool
    criteria: tuple[Stability, ...]


def item_spreads(verdicts: Iterable[Verdict]) -> Iterator[ItemSpread]:
    """Every item by every judge and model; `verdicts` are in the order of the data."""

    def owner(verdict: Verdict) -> tuple[str, str, str]:
        return verdict.item, verdict.judge, verdict.model

    for (item, judge, model), some in groupby(verdicts, owner):
        samples = list(some)
        scores = {name: [one.scores[name].value for one in samples] for name in samples[0].scores}
        criteria = {
            name: spread([value for value in values if value is not None])
            for name, values in scores.items()
        }
        yield ItemSpread(item, judge, model, len(samples), criteria)


def repeats_of(record: RunRecord, store: Store) -> Repeats | None:
    """How stable the verdicts of a run are; None where each item is judged once."""
    settings = record.manifest.settings
    repeat = settings.get("repeat", 1)
    if not isinstance(repeat, int) or repeat < 2:
        return None
    graders = read_values(record, store)
    return Repeats(
        samples=sum(grader.verdicts for grader in graders),
        most=record.most,
        stopped_early=settings.get("stop") == "stable" and record.state == "finished",
        criteria=tuple(
            _stability(grader, name) for grader in graders for name in grader.judge.rubric.measures
        ),
    )


def _stability(grader: GraderValues, criterion: str) -> Stability:
    apart = [spread(values) for values in grader.given(criterion) if len(values) > 1]
    return Stability(
        grader.judge.name,
        grader.model,
        criterion,
        len(apart),
        sum(item.flips for item in apart),
        _mean(item.flip_rate for item in apart),
        _mean(item.entropy for item in apart),
        None if grader.named(criterion) else _mean(item.sd for item in apart),
    )


def _mean(figures: Iterable[float | None]) -> float | None:
    known = [figure for figure in figures if figure is not None]
    return moments(known)[0] if known else None
