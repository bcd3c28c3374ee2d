"""The systems of a run in order of strength, and how sure that order is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from adjudge.core.judge import Judge
from adjudge.core.rubric import Criterion
from adjudge.core.scale import Category
from adjudge.errors import UsageError
from adjudge.running.reread import judge_as_kept
from adjudge.stats.mean import mean
from adjudge.stats.position_bias import PositionBias, position_bias
from adjudge.stats.stat import Stat, undefined
from adjudge.stores.base import Store
from adjudge.stores.records import RunRecord

from .rank_bouts import Bout
from .rank_grades import Grades
from .rank_length import baseline_of, controlled_rates
from .rank_pairs import Pairs
from .rank_standings import ranked
from .ranking import Part, Ranking, RankOptions, Slice

_MOST = 50  # values of a column beyond which it is no division of the data
Gathered = Pairs | Grades


def rank_run(record: RunRecord, store: Store, options: RankOptions) -> Ranking:
    """A ranking for each judge, model and criterion of the run that can have one.

    UsageError where none can.
    """
    left_out: dict[str, str] = {}
    parts: list[Part] = []
    for (name, model), gathered in _gather(record, store, options, left_out).items():
        for criterion in _criteria(gathered.judge, options).values():
            why = _unrankable(gathered, criterion)
            if why:
                left_out[f"{name} by {model}, {criterion.name}"] = why
            else:
                parts.append(_part(gathered, model, criterion.name, options))
    if not parts:
        why = "; ".join(f"{what}: {reason}" for what, reason in left_out.items())
        raise UsageError(f"Nothing in run {record.id} can be ranked ({why or 'no verdicts'}).")
    return Ranking(run=record.id, options=options, parts=tuple(parts), left_out=left_out)


def _gather(
    record: RunRecord, store: Store, options: RankOptions, left_out: dict[str, str]
) -> Mapping[tuple[str, str], Gathered]:
    judges = {name: judge_as_kept(record, name) for name in record.sources}
    for flag, wanted, known in (
        ("--judge", options.judge, list(judges)),
        ("--model", options.model, list(record.manifest.models)),
    ):
        if wanted is not None and wanted not in known:
            raise UsageError(f"{flag} {wanted}: run {record.id} has only {', '.join(known)}.")
    found: dict[tuple[str, str], Gathered] = {}
    for entry in store.entries(record.id):
        name, model = entry.verdict.judge, entry.verdict.model
        if options.judge not in {None, name} or options.model not in {None, model}:
            continue
        if name in left_out:
            continue
        if (name, model) not in found:
            begun = _begun(judges[name], options)
            if isinstance(begun, str):
                left_out[name] = begun
                continue
            found[name, model] = begun
        found[name, model].add(entry)
    return found


def _begun(judge: Judge, options: RankOptions) -> Gathered | str:
    """Where a judge's verdicts go, or why they go nowhere."""
    if judge.pair is not None:
        return Pairs(judge, judge.pair, options)
    if options.system is None or options.group is None:
        return (
            "it scores answers one by one; name the columns of the system and of the question:"
            " --system COLUMN --group COLUMN"
        )
    return Grades(judge, options.system, options.group, options)


def _criteria(judge: Judge, options: RankOptions) -> Mapping[str, Criterion]:
    criteria = judge.rubric.criteria
    for name in options.criteria:
        if name not in criteria:
            known = ", ".join(criteria)
            raise UsageError(f"--criterion {name}: {judge.name} has only {known}.")
    return {n: c for n, c in criteria.items() if not options.criteria or n in options.criteria}


def _unrankable(gathered: Gathered, criterion: Criterion) -> str | None:
    if isinstance(gathered, Grades) and isinstance(criterion.scale, Category):
        return "its values are names, which have no order"
    bouts = gathered.bouts(criterion.name)
    if not bouts:
        cautions = " ".join(gathered.cautions())
        return f"no two systems meet on a question. {cautions}".strip().rstrip(".")
    if not any(bout.score is not None for bout in bouts):
        return f"none of {len(bouts)} comparisons has a result; see adjudge show"
    return None


def _part(gathered: Gathered, model: str, criterion: str, options: RankOptions) -> Part:
    bouts = gathered.bouts(criterion)
    part = Part(
        judge=gathered.judge.name,
        model=model,
        criterion=criterion,
        ranked=ranked(bouts, options.resampling, _means(gathered, criterion, options)),
        slices=tuple(_slices(bouts, options)),
        cautions=tuple(gathered.cautions()),
    )
    if isinstance(gathered, Grades):
        return part
    part = replace(part, position=_position(gathered, criterion, options))
    baseline = baseline_of(bouts, options)
    if baseline is None:
        return part
    rates = controlled_rates(bouts, baseline, options)
    standings = tuple(
        replace(each, controlled=rates.get(each.system)) for each in part.ranked.standings
    )
    return replace(
        part,
        baseline=baseline,
        variants=options.variants,
        ranked=replace(part.ranked, standings=standings),
    )


def _means(gathered: Gathered, criterion: str, options: RankOptions) -> Mapping[str, Stat]:
    if isinstance(gathered, Pairs):
        return {}
    values: dict[str, list[tuple[float, str]]] = {}
    for place, value in gathered.grades(criterion):
        rows = values.setdefault(place.system, [])
        if value is not None:
            rows.append((value, place.question))
    return {
        system: mean([v for v, _ in rows], [q for _, q in rows], options.confidence)
        if rows
        else undefined("nothing was scored")
        for system, rows in values.items()
    }


def _position(pairs: Pairs, criterion: str, options: RankOptions) -> PositionBias:
    looks = list(pairs.orders(criterion))
    ab, ba = ([both[at] for both, _ in looks] for at in (0, 1))
    return position_bias(ab, ba, [question for _, question in looks], options.resampling)


def _slices(bouts: Sequence[Bout], options: RankOptions) -> Iterator[Slice]:
    for at, column in enumerate(options.by):
        values: dict[str, list[Bout]] = {}
        for bout in bouts:
            value = bout.cells[at]
            values.setdefault("(none)" if value is None else value, []).append(bout)
        if set(values) == {"(none)"}:
            raise UsageError(f"--by {column}: no row has a value in this column.")
        if len(values) > _MOST:
            raise UsageError(
                f"--by {column}: {len(values)} values are too many for a ranking each; at most"
                f" {_MOST}."
            )
        for value, own in sorted(values.items()):
            yield Slice(column=column, value=value, ranked=ranked(own, options.resampling))
