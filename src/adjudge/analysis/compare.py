"""Two runs on the same items: what differs, by how much, and whether chance would do it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from adjudge.errors import UsageError
from adjudge.stats.multiplicity import holm

from .changes import changes_in
from .comparison import Changes, CompareOptions, Comparison, Difference, Section
from .differences import difference_in
from .matching import Wanted, matched
from .pairing import pair_up
from .sides import Side, Source, read_sides
from .what_differs import cautions, differs

Told = Difference | Changes


def compare_runs(first: Source, second: Source, options: CompareOptions) -> Comparison:
    """B minus A, paired by the items' ids.

    UsageError where the runs share no item, no judge and model, or no criterion.
    """
    columns = tuple(dict.fromkeys([*options.slices, *filter(None, [options.group])]))
    sides, seen = read_sides(first, columns)
    others, seen_there = read_sides(second, columns)
    for column in columns:
        if column not in seen | seen_there:
            known = ", ".join(sorted(seen | seen_there)) or "none"
            raise UsageError(f"No item of either run has a column {column!r}; known: {known}.")
    pairs = matched(
        Wanted(options.judge_a, options.model_a).of(sides, "a"),
        Wanted(options.judge_b, options.model_b).of(others, "b"),
    )
    return Comparison(
        run_a=first.record.id,
        run_b=second.record.id,
        options=options,
        sections=tuple(_section(a, b, columns, options) for a, b in pairs),
    )


def _section(a: Side, b: Side, columns: Sequence[str], options: CompareOptions) -> Section:
    pairing = pair_up(a, b)
    told: dict[str, Told] = {}
    left_out: dict[str, str] = {}
    for name, (one, other) in _names(a, b, options.criteria).items():
        why = _incomparable(a, b, one, other)
        if why:
            left_out[name] = why
            continue
        by_name = a.criteria[one].scale.kind == "category"
        make = changes_in if by_name else difference_in
        told[name] = make(pairing, (one, other), options)
    if not told:
        why = "; ".join(f"{name}: {reason}" for name, reason in left_out.items())
        raise UsageError(f"No criterion can be compared ({why}).")
    return Section(
        judge_a=a.judge.name,
        judge_b=b.judge.name,
        model_a=a.model,
        model_b=b.model,
        shared=len(pairing.items),
        only_a=len(a.items) - len(pairing.items),
        only_b=len(b.items) - len(pairing.items),
        differs=tuple(differs(pairing)),
        cautions=tuple(cautions(pairing, columns)),
        criteria=_adjusted(told),
        left_out=left_out,
    )


def _names(a: Side, b: Side, wanted: Sequence[str]) -> dict[str, tuple[str, str]]:
    """By the name to show: the criterion's name in A and in B."""
    if not wanted:
        names = {name: (name, name) for name in a.criteria if name in b.criteria}
        if not names:
            raise UsageError(
                f"No criterion has the same name: A has {', '.join(a.criteria)}; B has"
                f" {', '.join(b.criteria)}. Pair them: --criterion A=B."
            )
        return names
    names = {}
    for each in wanted:
        one, _, other = each.partition("=")
        names[each] = (one, other or one)
        for side, name in ((a, one), (b, other or one)):
            if name not in side.criteria:
                raise UsageError(
                    f"--criterion {each}: {side.judge.name} has no criterion {name!r};"
                    f" it has {', '.join(side.criteria)}."
                )
    return names


def _incomparable(a: Side, b: Side, one: str, other: str) -> str | None:
    first, second = a.criteria[one].scale, b.criteria[other].scale
    if (first.kind == "category") != (second.kind == "category"):
        return f"a {first.kind} scale in A, a {second.kind} scale in B"
    return None


def _adjusted(told: Mapping[str, Told]) -> dict[str, Told]:
    """With the p-values of all criteria, and of all slices, adjusted by Holm's method."""
    out = dict(told)
    looks = [(name, option) for name, each in out.items() for option in _tests(each)]
    for (name, option), p in zip(looks, _holm([_tests(out[n])[o] for n, o in looks]), strict=True):
        each = out[name]
        if isinstance(each, Difference):
            out[name] = replace(each, adjusted=p)
        else:
            out[name] = replace(each, adjusted={**each.adjusted, option: p})
    found: Iterator[float | None] = iter(_holm([s.p for t in out.values() for s in t.slices]))
    for name, each in out.items():
        slices = tuple(replace(look, adjusted=next(found)) for look in each.slices)
        out[name] = replace(each, slices=slices)
    return out


def _tests(told: Told) -> dict[str, float | None]:
    if isinstance(told, Difference):
        return {"": told.paired.p}
    return {option: paired.p for option, (_, _, paired) in told.options.items()}


def _holm(p: Sequence[float | None]) -> list[float | None]:
    values = holm([float("nan") if each is None else each for each in p])
    return [None if each is None else float(to) for each, to in zip(p, values, strict=True)]
