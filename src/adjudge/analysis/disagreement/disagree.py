"""A run beside people's labels, item by item: where judge and people differ, worst first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from adjudge.analysis.calibration.calibrate import LabelSource
from adjudge.analysis.scores.grader import GraderScores
from adjudge.analysis.scores.item_values import criteria_asked
from adjudge.analysis.scores.reader import RunScores, picked, read_scores
from adjudge.core.label import Label
from adjudge.core.reason import Reason
from adjudge.core.scale import Binary, Category, Integer, Ordinal, Scale, Value, value_range
from adjudge.errors import DataError, UsageError
from adjudge.stats.arrays import Bools, Floats
from adjudge.stats.label_noise import FEWEST
from adjudge.stats.mean import share
from adjudge.stats.people import People, people_of
from adjudge.stores import RunRecord, Store

from .findings import (
    CriterionDisagreements,
    Disagreement,
    Disagreements,
    GraderDisagreements,
    SlipTrial,
    SuspectLabel,
)
from .patterns import LabelledItem, LabelledSample, patterns_of
from .slips import LabelTable, Slip, likely_slips, slip_trial

_FAR = 0.1  # of the scale: numbers without levels differ from here on


@dataclass(frozen=True, slots=True, kw_only=True)
class DisagreeOptions:
    """What a user may say: the keywords of `adjudge.disagreements`, which explains them."""

    judge: str | None = None
    model: str | None = None
    criteria: tuple[str, ...] = ()


def disagreements_of(
    record: RunRecord, store: Store, labels: LabelSource, options: DisagreeOptions
) -> Disagreements:
    """Every judge and model that was asked for. DataError where there are no labels."""
    scores = read_scores(record, store)
    graders = picked(scores.graders, record, [options.judge], [options.model])
    if not graders:
        raise DataError(Reason("run.no_verdicts", run=record.id))
    reader = _VerdictReader(record, store)
    parts = [_grader(grader, scores, labels, options, reader) for grader in graders]
    return Disagreements(record.id, tuple(parts))


class _VerdictReader:
    """The items that people labelled with all verdicts on them; each is read once."""

    def __init__(self, record: RunRecord, store: Store) -> None:
        self._run, self._store = record.id, store
        self._read: dict[str, LabelledItem] = {}

    def item(self, name: str) -> LabelledItem:
        known = self._read.get(name)
        if known is None:
            entries = list(self._store.verdicts.entries(self._run, name))
            known = LabelledItem(entries[0].item, tuple(entry.verdict for entry in entries))
            self._read[name] = known
        return known


def _grader(
    grader: GraderScores,
    scores: RunScores,
    labels: LabelSource,
    options: DisagreeOptions,
    reader: _VerdictReader,
) -> GraderDisagreements:
    criteria_asked(grader.judge, options.criteria)
    known = grader.judge.rubric.measures
    scales = {name: criterion.scale for name, criterion in known.items()}
    said = labels(grader.judge.name, scales)
    people = people_of(said, scores.items, scales).people
    if not people:
        raise DataError(Reason("calibration.no_labels", judge=grader.judge.name))
    asked = [name for name in people if not options.criteria or name in options.criteria]
    comments = _comments(said)
    items = list(scores.items)
    criteria = {}
    for name in asked:
        voices = [one for one in scores.graders if _same_scale(one, name, scales[name])]
        if grader not in voices:
            raise UsageError(Reason("disagree.off_scale", judge=grader.judge.name))
        work = _Criterion(
            grader=grader,
            name=name,
            people=people[name],
            voices=voices,
            items=items,
            reader=reader,
            comments=comments,
        )
        criteria[name] = work.finding()
    return GraderDisagreements(
        grader.judge.name,
        grader.model,
        criteria,
        tuple(name for name in known if name not in people),
    )


def _same_scale(grader: GraderScores, name: str, scale: Scale) -> bool:
    criterion = grader.criteria.get(name)
    return criterion is not None and criterion.on_scale and criterion.scale == scale


def _comments(labels: Sequence[Label]) -> dict[tuple[str, str], dict[str, str]]:
    """By item and criterion, what raters wrote."""
    written: dict[tuple[str, str], dict[str, str]] = {}
    for label in labels:
        if label.comment:
            written.setdefault((label.item, label.criterion), {})[label.rater] = label.comment
    return written


@dataclass(frozen=True, kw_only=True)
class _Criterion:
    """One criterion of one judge and model; arrays have an entry per labelled item. `voices` are
    all judges and models that score it on the same scale."""

    grader: GraderScores
    name: str
    people: People
    voices: Sequence[GraderScores]
    items: Sequence[str]
    reader: _VerdictReader
    comments: Mapping[tuple[str, str], Mapping[str, str]]

    @property
    def scale(self) -> Scale:
        return self.grader.criteria[self.name].scale

    @cached_property
    def ends(self) -> tuple[float, float] | None:
        return value_range(self.scale)

    @cached_property
    def judge(self) -> Floats:
        return self.grader.criteria[self.name].at(self.people.places)

    @cached_property
    def both(self) -> Bools:
        return np.asarray(np.isfinite(self.judge) & np.isfinite(self.people.values))

    def finding(self) -> CriterionDisagreements:
        at = np.flatnonzero(self.both)
        apart = self._apart()
        differ = self.both & (apart >= self._enough)
        order = np.flatnonzero(differ)
        order = order[np.lexsort((self.people.places[order], -apart[order]))]
        suspects, trial = self._suspects()
        labelled = [self.reader.item(self.items[self.people.places[place]]) for place in at]
        return CriterionDisagreements(
            name=self.name,
            scale=self.scale,
            n=len(at),
            lost=int((np.isfinite(self.people.values) & np.isnan(self.judge)).sum()),
            split=self.people.split,
            differ=len(order),
            share=share(differ[at]),
            worst=tuple(self._disagreement(place) for place in order.tolist()),
            patterns=patterns_of(
                LabelledSample(
                    items=labelled,
                    judge=self.grader.judge,
                    model=self.grader.model,
                    criterion=self.name,
                    values=np.column_stack([self.people.values[at], self.judge[at]]),
                    apart=apart[at],
                    differ=differ[at],
                )
            ),
            suspects=suspects,
            slip_trial=None if isinstance(trial, Reason) else trial,
            no_suspects=trial if isinstance(trial, Reason) else None,
        )

    @property
    def _enough(self) -> float:
        """How far apart values are that differ: half a level, a tenth of a scale of numbers."""
        if self.ends is None:
            return 1.0
        width = self.ends[1] - self.ends[0]
        levels = isinstance(self.scale, Ordinal | Integer | Binary)
        return (0.5 if levels else _FAR * width) / width

    def _apart(self) -> Floats:
        """How far judge and people are apart, 0-1."""
        if self.ends is None:
            return np.where(self.both, (self.judge != self.people.values).astype(float), np.nan)
        width = self.ends[1] - self.ends[0]
        return np.asarray(np.abs(self.judge - self.people.values) / width)

    def _disagreement(self, place: int) -> Disagreement:
        judge, people = float(self.judge[place]), float(self.people.values[place])
        item = self.items[self.people.places[place]]
        known = self.reader.item(item)
        verdict = known.by(self.grader.judge.name, self.grader.model)
        score = verdict.scores.get(self.name) if verdict else None
        return Disagreement(
            item=item,
            judge=self._value(judge),
            people=self._value(people),
            difference=None if self.ends is None else judge - people,
            rule=score.rule if score else None,
            explanation=(score.explanation or "") if score else "",
            evidence=score.evidence if score else (),
            raters=self._raters(place),
            comments=self.comments.get((item, self.name), {}),
            others={
                one.name: self._value(value)
                for one, value in self._voices_at(place)
                if one is not self.grader
            },
            texts=known.item.fields,
        )

    def _raters(self, place: int) -> dict[str, Value]:
        row = zip(self.people.raters, self.people.table[place].tolist(), strict=True)
        return {rater: self._value(value) for rater, value in row if np.isfinite(value)}

    def _voices_at(self, place: int) -> list[tuple[GraderScores, float]]:
        where = self.people.places[place : place + 1]
        values = ((one, float(one.criteria[self.name].at(where)[0])) for one in self.voices)
        return [(one, value) for one, value in values if np.isfinite(value)]

    def _value(self, value: float) -> Value:
        """As a reader knows it: a name, yes or no, a number."""
        if isinstance(self.scale, Category):
            return self.scale.options[int(value)]
        if isinstance(self.scale, Binary) and value in {0.0, 1.0}:
            return bool(value)
        return round(value, 10)

    def _suspects(self) -> tuple[tuple[SuspectLabel, ...], SlipTrial | Reason]:
        """Labels that are likely slips, the likeliest first, with their trial; or why none can be
        told."""
        count = int(np.isfinite(self.people.table).sum())
        if count < FEWEST:
            return (), Reason("disagree.few_labels", count=count, least=FEWEST)
        said = [one.criteria[self.name].at(self.people.places) for one in self.voices]
        voices = sum(bool(np.isfinite(values).any()) for values in said)
        if voices + len(self.people.raters) < 3:
            return (), Reason("disagree.one_voice")
        table = LabelTable(
            scale=self.scale,
            labels=self.people.table,
            judges=np.column_stack(said),
            own=self.voices.index(self.grader),
        )
        return tuple(self._suspect(slip, table) for slip in likely_slips(table)), slip_trial(table)

    def _suspect(self, slip: Slip, table: LabelTable) -> SuspectLabel:
        rater, judge = self.people.raters[slip.rater], float(self.judge[slip.row])
        others = self._raters(slip.row)
        del others[rater]
        return SuspectLabel(
            item=self.items[self.people.places[slip.row]],
            rater=rater,
            label=self._value(float(table.labels[slip.row, slip.rater])),
            judge=self._value(judge) if np.isfinite(judge) else None,
            other_raters=others,
            with_judge=slip.with_judge,
            judges=int(np.isfinite(table.judges[slip.row]).sum()),
            probability=slip.probability,
        )
