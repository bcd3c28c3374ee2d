"""What each item came to, in plain Python: all that a run's table, its samples and its gates need.

`read_arrays` gives the same numbers as arrays, for statistics, and needs the extra `trust`. Here no
package is needed but adjudge itself. Sums are exact, so that both agree whatever the order.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, compress, product, repeat
from typing import TYPE_CHECKING, TypeVar

from adjudge.core.judge import Judge
from adjudge.core.reason import Reason
from adjudge.core.rubric import Criterion
from adjudge.core.scale import Category, Scale
from adjudge.errors import UsageError
from adjudge.running import judge_as_kept
from adjudge.stats.samples import moments
from adjudge.stores import Facts, RunRecord, Store
from adjudge.stores.facts import code_of, figures_of

if TYPE_CHECKING:
    from adjudge.stats.arrays import Floats

G = TypeVar("G", bound="ByGrader")
DIVIDED = "(divided)"  # stands for a name wherever names are listed
DECIMALS = 10  # means of the same values must not differ by their order


class ByGrader:
    """What one judge and one model made of a run."""

    __slots__ = ()
    judge: Judge
    model: str

    @property
    def name(self) -> str:
        return f"{self.judge.name} by {self.model}"

    @property
    def as_reason(self) -> Reason:
        """The same in words of any language."""
        return Reason("grader", judge=self.judge.name, model=self.model)


class CriterionFigures:
    """What follows from a criterion's values, as arrays or in plain Python: `known` has the value
    of every item with one."""

    __slots__ = ()
    scale: Scale
    on_scale: bool
    known: array[float] | Floats
    divided_items: int
    void: int

    @property
    def named(self) -> bool:
        """Whether the values are places among names."""
        return self.on_scale and isinstance(self.scale, Category)

    @property
    def scored_items(self) -> int:
        """The items with a score, those that samples are divided on too."""
        return len(self.known) + self.divided_items

    @property
    def mean(self) -> float | None:
        """Over the items with a value; None without any, and for names."""
        return self._moments[0]

    @property
    def sd(self) -> float | None:
        """The standard deviation of a sample; None below two items, and for names."""
        return self._moments[1]

    @property
    def _moments(self) -> tuple[float | None, float | None]:
        return (None, None) if self.named or not len(self.known) else moments(self.known.tolist())

    @property
    def names(self) -> dict[str, int]:
        """How many items have each name, the most frequent first, DIVIDED last; none of numbers."""
        if not self.named or not isinstance(self.scale, Category):
            return {}
        counts = Counter(map(int, self.known.tolist()))
        order = sorted(counts, key=lambda at: (-counts[at], at))
        shares = {self.scale.options[at]: counts[at] for at in order}
        return shares | {DIVIDED: self.divided_items} if self.divided_items else shares


@dataclass(frozen=True, slots=True)
class CriterionValues(CriterionFigures):
    """One criterion by one judge and model.

    `known` has the value of every item with one, its repeats made one: numbers by their mean, names
    (as places among the options) by the one given most often. `divided_items` were given two names
    equally often. `items` were judged; `scores` counts all repeats, `unscored` those without a
    value. `on_scale` is false for likelihoods. Items that the criterion does not apply to are left
    out, and counted in `not_applicable`; `void` are those whose overall score is voided.
    """

    criterion: str
    scale: Scale
    on_scale: bool
    known: array[float]
    divided_items: int
    items: int
    scores: int
    unscored: int
    not_applicable: int = 0
    void: int = 0

    @property
    def unscored_items(self) -> int:
        return self.items - self.scored_items


def criteria_asked(judge: Judge, names: Collection[str] = ()) -> dict[str, Criterion]:
    """Those of these names, or all, in the judge's order; UsageError for a name that it lacks."""
    known = judge.rubric.measures
    for name in names:
        if name not in known:
            reason = Reason("labels.no_such_criterion", judge=judge.name, known=tuple(known))
            raise UsageError(reason.at_option("criterion", name))
    return {name: criterion for name, criterion in known.items() if not names or name in names}


@dataclass(slots=True)
class _Sample:
    """One repeat: where there is a verdict, and a column of values per criterion: NaN for none,
    infinite where the criterion does not apply, minus infinite where it is void."""

    here: bytearray
    columns: list[array[float]]

    def grow(self, size: int) -> None:
        more = size - len(self.here)
        self.here.extend(bytes(more))
        for column in self.columns:
            column.extend(repeat(math.nan, more))


@dataclass(slots=True)
class GraderValues(ByGrader):
    """One judge and model with all its repeats."""

    judge: Judge
    model: str
    samples: dict[int, _Sample] = field(default_factory=dict)

    @property
    def verdicts(self) -> int:
        return sum(sample.here.count(1) for sample in self.samples.values())

    @property
    def unscored(self) -> int:
        """The verdicts that lack a value for some criterion that applies; the overall score is
        none of them."""
        own = len(self.judge.rubric.criteria)
        return sum(
            any(map(math.isnan, values))
            for sample in self.samples.values()
            for values in compress(zip(*sample.columns[:own], strict=True), sample.here)
        )

    @property
    def criteria(self) -> Mapping[str, CriterionValues]:
        return {name: self.values(name) for name in self.judge.rubric.measures}

    def named(self, criterion: str) -> bool:
        scale = self.judge.rubric.measures[criterion].scale
        return isinstance(scale, Category) and self.judge.method != "likelihood"

    def given(self, criterion: str) -> Iterator[list[float]]:
        """For every item that was judged, the values that its samples have; without the items that
        the criterion does not apply to."""
        for values in compress(zip(*self._columns(criterion), strict=True), self._here()):
            if any(value != math.inf for value in values):
                yield [value for value in values if math.isfinite(value)]

    def _here(self) -> Iterator[bool]:
        return map(any, zip(*(sample.here for sample in self.samples.values()), strict=True))

    def _columns(self, criterion: str) -> list[array[float]]:
        at = list(self.judge.rubric.measures).index(criterion)
        return [sample.columns[at] for sample in self.samples.values()]

    def _void(self, criterion: str) -> int:
        """The items without a value whose overall score is void."""
        columns = self._columns(criterion)
        if not any(column.count(-math.inf) for column in columns):
            return 0
        rows = zip(*columns, strict=True)
        return sum(-math.inf in row and not any(map(math.isfinite, row)) for row in rows)

    def values(self, criterion: str) -> CriterionValues:
        known, items, scored, divided = array("d"), 0, 0, 0
        named = self.named(criterion)
        for samples in self.given(criterion):
            items += 1
            scored += len(samples)
            if samples:
                value = over_samples(samples, names=named)
                if value is None:
                    divided += 1
                else:
                    known.append(value)
        apart = sum(self._here()) - items  # it applies to none of their samples
        said = sum(column.count(math.inf) for column in self._columns(criterion))
        on_scale, verdicts = self.judge.method != "likelihood", self.verdicts - said
        scale = self.judge.rubric.measures[criterion].scale
        counts = (divided, items, verdicts, verdicts - scored)
        return CriterionValues(
            criterion, scale, on_scale, known, *counts, apart, self._void(criterion)
        )


def over_samples(samples: Sequence[float], *, names: bool) -> float | None:
    """One item's values made one, as `grader.over_repeats` does for many; None where two names are
    given equally often."""
    if len(samples) == 1:
        return samples[0]
    if not names:
        return round(math.fsum(samples) / len(samples), DECIMALS)
    (name, most), *others = Counter(samples).most_common(2)
    return None if others and others[0][1] == most else name


def values_of(facts: Iterable[Facts], judges: Mapping[str, Judge]) -> tuple[GraderValues, ...]:
    """All of a run; of a verdict that comes twice, the later figures hold."""
    places: dict[str, int] = {}
    graders: dict[tuple[str, str], GraderValues] = {}
    for group in facts:
        judge = judges[group.judge]
        grader = graders.setdefault((judge.name, group.model), GraderValues(judge, group.model))
        empty = _Sample(bytearray(), [array("d") for _ in judge.rubric.measures])
        sample = grader.samples.setdefault(group.repeat, empty)
        at = [places.setdefault(item, len(places)) for item in group.items]
        sample.grow(len(places))
        _place(sample, at, group, _Codes(judge))
    for grader in graders.values():
        grader.samples = dict(sorted(grader.samples.items()))
        for sample in grader.samples.values():
            sample.grow(len(places))
    return tuple(graders.values())


class _Codes:
    """By criterion its code, and for names the place of each option by its code."""

    def __init__(self, judge: Judge) -> None:
        criteria = judge.rubric.measures
        self.codes = tuple(map(code_of, criteria))
        self.places: dict[int, dict[float, float]] = {}
        for at, criterion in enumerate(criteria.values()):
            if isinstance(criterion.scale, Category) and judge.method != "likelihood":
                options = enumerate(criterion.scale.options)
                self.places[at] = {code_of(name): float(place) for place, name in options}


def _place(sample: _Sample, at: Sequence[int], group: Facts, known: _Codes) -> None:
    for place, (codes, figures) in zip(at, figures_of(group), strict=True):
        sample.here[place] = 1
        values: Sequence[float] = figures
        if codes != known.codes:  # a verdict may name them in another order, or lack one
            by_code = dict(zip(codes, figures, strict=True))
            values = [by_code.get(code, math.nan) for code in known.codes]
        for column, value in zip(sample.columns, values, strict=True):
            column[place] = value
        for named, options in known.places.items():
            sample.columns[named][place] = options.get(values[named], math.nan)


def read_values(
    record: RunRecord, store: Store, further: Iterable[Facts] = ()
) -> tuple[GraderValues, ...]:
    """All of a run, in the order of its judges and models; `further` figures hold in place of the
    stored ones of the same verdicts."""
    judges = {name: judge_as_kept(record, name) for name in record.sources}
    facts = chain(store.verdicts.facts(record.id), further)
    return as_asked(record, values_of(facts, judges))


def as_asked(record: RunRecord, graders: Iterable[G]) -> tuple[G, ...]:
    """In the order of the run's judges and models."""
    known = {(grader.judge.name, grader.model): grader for grader in graders}
    asked = product(record.manifest.judges, record.manifest.models)
    return tuple(known[key] for key in dict.fromkeys([*asked, *known]) if key in known)
