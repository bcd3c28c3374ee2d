"""The systems of a run in order of strength, and how sure that order is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from adjudge.analysis.scores.item_values import criteria_asked
from adjudge.analysis.scores.reader import Column, picked, read_arrays, read_column
from adjudge.core.reason import Reason
from adjudge.core.rubric import Criterion
from adjudge.core.scale import Category
from adjudge.errors import UsageError
from adjudge.stats.mean import mean
from adjudge.stats.position_bias import position_bias
from adjudge.stats.stat import Stat, undefined
from adjudge.stores import RunRecord, Store

from .bouts import Bout, Grades, PairVerdicts
from .findings import Ranking, RankingPart, RankingSlice, RankOptions
from .standings import baseline_of, controlled_rates, ranked

_MOST = 50  # values of a column beyond which it is no division of the data
Gathered = PairVerdicts | Grades


def rank_run(record: RunRecord, store: Store, options: RankOptions) -> Ranking:
    """A ranking for each judge, model and criterion of the run that can have one.

    UsageError where none can.
    """
    left_out: dict[str, Reason] = {}
    parts: list[RankingPart] = []
    for (name, model), gathered in _gather(record, store, options, left_out).items():
        for criterion in criteria_asked(gathered.judge, options.criteria).values():
            why = _unrankable(gathered, criterion)
            if why:
                left_out[f"{name} by {model}, {criterion.name}"] = why
            else:
                parts.append(_part(gathered, model, criterion.name, options))
    if not parts:
        whys = tuple(Reason("of", name=name, why=why) for name, why in left_out.items())
        if whys:
            raise UsageError(Reason("ranking.nothing", run=record.id, whys=whys))
        raise UsageError(Reason("ranking.no_verdicts", run=record.id))
    return Ranking(
        run=record.id,
        options=options,
        parts=tuple(parts),
        left_out=left_out,
        title=record.title,
    )


def _gather(
    record: RunRecord, store: Store, options: RankOptions, left_out: dict[str, Reason]
) -> Mapping[tuple[str, str], Gathered]:
    """What each judge and model says of the systems; `left_out` gets why one says nothing."""
    arrays = read_arrays(record, store)
    gathered: dict[tuple[str, str], Gathered] = {}
    for grader in picked(arrays.graders, record, [options.judge], [options.model]):
        judge, key = grader.judge, (grader.judge.name, grader.model)
        if judge.pair is not None:
            gathered[key] = PairVerdicts(judge, judge.pair, options)
        elif options.system is None or options.group is None:
            left_out[judge.name] = Reason("ranking.one_by_one")
        else:
            of = (record, store, arrays.places)
            system = read_column(*of, ("system", options.system))
            group = read_column(*of, ("group", options.group))
            cells = (
                Column(store.items.column(record.id, column), arrays.places)
                for column in options.by
            )
            gathered[key] = Grades(grader, system, group, tuple(cells), options)
    if any(isinstance(part, PairVerdicts) for part in gathered.values()):
        for entry in store.verdicts.entries(record.id):
            part = gathered.get((entry.verdict.judge, entry.verdict.model))
            if isinstance(part, PairVerdicts):
                part.add(entry)
    return gathered


def _unrankable(gathered: Gathered, criterion: Criterion) -> Reason | None:
    if isinstance(gathered, Grades) and isinstance(criterion.scale, Category):
        return Reason("ranking.names")
    bouts = gathered.bouts(criterion.name)
    if not bouts:
        cautions = tuple(gathered.cautions())
        since = Reason("ranking.no_meeting_since", cautions=cautions)
        return since if cautions else Reason("ranking.no_meeting")
    if not any(bout.score is not None for bout in bouts):
        return Reason("ranking.no_result", count=len(bouts))
    return None


def _part(gathered: Gathered, model: str, criterion: str, options: RankOptions) -> RankingPart:
    bouts = gathered.bouts(criterion)
    part = RankingPart(
        judge=gathered.judge.name,
        model=model,
        criterion=criterion,
        ranked=ranked(bouts, options, _means(gathered, criterion, options)),
        slices=tuple(_slices(bouts, options)),
        cautions=tuple(gathered.cautions()),
    )
    if isinstance(gathered, Grades):
        return part
    looks = list(gathered.orders(criterion))
    ab, ba = ([both[at] for both, _ in looks] for at in (0, 1))
    position = position_bias(ab, ba, [question for _, question in looks], options)
    part = replace(part, position=position)
    baseline = baseline_of(bouts, options)
    if baseline is None:
        return part
    rates = controlled_rates(bouts, baseline, options)
    standings = tuple(
        replace(one, controlled=rates.get(one.system)) for one in part.ranked.standings
    )
    return replace(
        part,
        baseline=baseline,
        variants=options.variants,
        ranked=replace(part.ranked, standings=standings),
    )


def _means(gathered: Gathered, criterion: str, options: RankOptions) -> Mapping[str, Stat]:
    if isinstance(gathered, PairVerdicts):
        return {}
    values: dict[str, list[tuple[float, str]]] = {}
    for place, value in gathered.grades(criterion).items():
        rows = values.setdefault(place.system, [])
        if value is not None:
            rows.append((value, place.question))
    return {
        system: mean([v for v, _ in rows], [q for _, q in rows], options.confidence)
        if rows
        else undefined(Reason("nothing_scored"))
        for system, rows in values.items()
    }


def _slices(bouts: Sequence[Bout], options: RankOptions) -> Iterator[RankingSlice]:
    for at, column in enumerate(options.by):
        values: dict[str | None, list[Bout]] = {}
        for bout in bouts:
            values.setdefault(bout.cells[at], []).append(bout)
        if set(values) == {None}:
            raise UsageError(Reason("ranking.by_empty").at_option("by", column))
        if len(values) > _MOST:
            reason = Reason("ranking.by_many", count=len(values), most=_MOST)
            raise UsageError(reason.at_option("by", column))
        for value, own in sorted(values.items(), key=lambda entry: entry[0] or ""):
            name = Reason("slice.none") if value is None else value
            yield RankingSlice(column=column, value=name, ranked=ranked(own, options))
