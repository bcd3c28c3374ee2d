"""Two runs on the same items: what differs, by how much, and whether chance would do it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from adjudge.analysis.scores.reader import picked
from adjudge.core.reason import Reason
from adjudge.errors import UsageError
from adjudge.stats.multiplicity import holm

from .differences import changes_in, difference_in
from .findings import Changes, CompareOptions, Comparison, Difference, GraderComparison
from .pairing import Side, StoredRun, cautions, differs, pair_items, read_sides

CriterionComparison = Difference | Changes


def compare_runs(first: StoredRun, second: StoredRun, options: CompareOptions) -> Comparison:
    """B minus A, paired by the items' ids, or by what they have in the columns `match`.

    UsageError where the runs share no item, no judge and model, or no criterion.
    """
    wanted = [*options.slices, *options.match, *filter(None, [options.group])]
    columns = tuple(dict.fromkeys(wanted))
    pairs = sides_of(first, second, columns, options)
    return Comparison(
        run_a=first.record.id,
        run_b=second.record.id,
        options=options,
        sections=tuple(_section(a, b, columns, options) for a, b in pairs),
        titles=(first.record.title, second.record.title),
    )


def sides_of(
    first: StoredRun, second: StoredRun, columns: Sequence[str], options: CompareOptions
) -> list[tuple[Side, Side]]:
    """The judges and models to compare, with the values of these columns; UsageError where none
    of the runs has one of them."""
    sides, seen = read_sides(first, columns)
    others, seen_there = read_sides(second, columns)
    for column in columns:
        if column not in seen | seen_there:
            known = tuple(sorted(seen | seen_there)) or ("none",)
            raise UsageError(Reason("compared.no_column", column=column, known=known))
    return match_sides(
        picked(sides, first.record, [options.judge_a], [options.model_a], "-a"),
        picked(others, second.record, [options.judge_b], [options.model_b], "-b"),
    )


def _section(a: Side, b: Side, columns: Sequence[str], options: CompareOptions) -> GraderComparison:
    pairing = pair_items(a, b, options.match)
    results: dict[str, CriterionComparison] = {}
    left_out: dict[str, Reason] = {}
    for name, (one, other) in names_of(a, b, options.criteria).items():
        kinds = a.criteria[one].scale.kind, b.criteria[other].scale.kind
        named = [kind == "category" for kind in kinds]
        if named[0] != named[1]:
            left_out[name] = Reason("compared.scales", a=kinds[0], b=kinds[1])
            continue
        make = changes_in if named[0] else difference_in
        results[name] = make(pairing, (one, other), options)
    if not results:
        whys = (Reason("of", name=name, why=why) for name, why in left_out.items())
        raise UsageError(Reason("compared.incomparable", why=tuple(whys)))
    return GraderComparison(
        judge_a=a.judge.name,
        judge_b=b.judge.name,
        model_a=a.model,
        model_b=b.model,
        shared=len(pairing.items),
        only_a=len(a.items) - len(pairing.items),
        only_b=len(b.items) - len(pairing.items),
        differs=tuple(differs(pairing)),
        cautions=tuple(cautions(pairing, columns)),
        criteria=_adjusted(results),
        left_out=left_out,
    )


def names_of(a: Side, b: Side, wanted: Sequence[str]) -> dict[str, tuple[str, str]]:
    """By the name to show: the criterion's name in A and in B."""
    if not wanted:
        names = {name: (name, name) for name in a.criteria if name in b.criteria}
        if not names:
            names_there = {"a": tuple(a.criteria), "b": tuple(b.criteria)}
            raise UsageError(Reason("compared.no_criterion", **names_there))
        return names
    names = {}
    for text in wanted:
        one, _, other = text.partition("=")
        names[text] = (one, other or one)
        for side, name in ((a, one), (b, other or one)):
            if name not in side.criteria:
                known, judge = tuple(side.criteria), side.judge.name
                reason = Reason("labels.no_criterion", judge=judge, name=name, known=known)
                raise UsageError(reason.at_option("criterion", text))
    return names


def _adjusted(results: Mapping[str, CriterionComparison]) -> dict[str, CriterionComparison]:
    """With the p-values of all criteria, and of all slices, adjusted by Holm's method."""
    out = dict(results)
    looks = [(name, option) for name, result in out.items() for option in _tests(result)]
    ps = iter(adjusted([_tests(out[name])[option] for name, option in looks]))
    for (name, option), p in zip(looks, ps, strict=True):
        result = out[name]
        if isinstance(result, Difference):
            out[name] = replace(result, adjusted=p)
        else:
            out[name] = replace(result, adjusted={**result.adjusted, option: p})
    ps = iter(adjusted([s.p for t in out.values() for s in t.slices]))
    for name, result in out.items():
        slices = tuple(replace(look, adjusted=next(ps)) for look in result.slices)
        out[name] = replace(result, slices=slices)
    return out


def _tests(result: CriterionComparison) -> dict[str, float | None]:
    if isinstance(result, Difference):
        return {"": result.paired.p}
    return {option: paired.p for option, (_, _, paired) in result.options.items()}


def adjusted(p: Sequence[float | None]) -> list[float | None]:
    """By Holm's method; None for a test that could not be made."""
    return [None if value is None else float(to) for value, to in zip(p, holm(p), strict=True)]


def match_sides(first: Sequence[Side], second: Sequence[Side]) -> list[tuple[Side, Side]]:
    """Each judge and model with its namesake of the other run.

    Where both runs have one judge alone, its name need not be the same, and likewise the model's.
    UsageError when nothing can be paired, or a run would be compared with itself.
    """
    by_judge = any(len({side.judge.name for side in sides}) > 1 for sides in (first, second))
    by_model = any(len({side.model for side in sides}) > 1 for sides in (first, second))

    def key(side: Side) -> tuple[str, str]:
        return (side.judge.name if by_judge else "", side.model if by_model else "")

    others = {key(side): side for side in second}
    pairs = [(side, others[key(side)]) for side in first if key(side) in others]
    if not pairs:
        raise UsageError(Reason("compared.no_grader", a=_named(first), b=_named(second)))
    if any(_verdicts(one) == _verdicts(other) for one, other in pairs):
        run = pairs[0][0].source.record.id
        raise UsageError(Reason("compared.same_verdicts", run=run, graders=_named(first)))
    return pairs


def _verdicts(side: Side) -> tuple[str, str, str]:
    """Which verdicts a side is made of."""
    return side.source.record.id, side.judge.name, side.model


def _named(sides: Sequence[Side]) -> str:
    return ", ".join(side.name for side in sides) or "no verdicts"
