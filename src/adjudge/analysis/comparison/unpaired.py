"""Two runs on separate sets of items: the difference of their means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import compress

import numpy as np

from adjudge.core.reason import Reason
from adjudge.core.scale import value_range
from adjudge.errors import UsageError
from adjudge.stats.arrays import Bools, Floats, Ints
from adjudge.stats.unpaired import Unpaired, unpaired_difference

from .compare import adjusted, names_of, sides_of
from .findings import CompareOptions
from .pairing import Side, StoredRun, group_of


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanDifference:
    """A criterion, or a category of one: `mean_a` and `mean_b` are over the scored items, of a
    category its shares. `rescaled`: both are on 0 to 1, since the scales differ."""

    unscored_a: int
    unscored_b: int
    mean_a: float | None
    mean_b: float | None
    test: Unpaired
    rescaled: bool = False
    adjusted: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UnpairedSection:
    """One judge and model of A with one of B. A category of a criterion is `winner=a`."""

    judge_a: str
    judge_b: str
    model_a: str
    model_b: str
    criteria: Mapping[str, MeanDifference]


@dataclass(frozen=True, slots=True, kw_only=True)
class UnpairedComparison:
    """Two runs, whatever their items are; `titles` is what people call them."""

    run_a: str
    run_b: str
    titles: tuple[str, str]
    options: CompareOptions
    sections: tuple[UnpairedSection, ...]


def compare_means(
    first: StoredRun, second: StoredRun, options: CompareOptions
) -> UnpairedComparison:
    """B minus A. UsageError where the runs share no judge and model, or no criterion."""
    pairs = sides_of(first, second, [options.group] if options.group else [], options)
    return UnpairedComparison(
        run_a=first.record.id,
        run_b=second.record.id,
        titles=(first.record.title, second.record.title),
        options=options,
        sections=tuple(_section(a, b, options) for a, b in pairs),
    )


def _section(a: Side, b: Side, options: CompareOptions) -> UnpairedSection:
    results: dict[str, MeanDifference] = {}
    for name, (one, other) in names_of(a, b, options.criteria).items():
        kinds = {side.criteria[of].scale.kind == "category" for side, of in ((a, one), (b, other))}
        if kinds == {True}:
            results |= _shares(name, (a, one), (b, other), options)
        elif kinds == {False}:
            results[name] = _numbers((a, one), (b, other), options)
    if not results:
        raise UsageError(Reason("compared.incomparable", why=()))
    ps = adjusted([result.test.p for result in results.values()])
    criteria = {
        name: replace(result, adjusted=p)
        for (name, result), p in zip(results.items(), ps, strict=True)
    }
    return UnpairedSection(
        judge_a=a.judge.name,
        judge_b=b.judge.name,
        model_a=a.model,
        model_b=b.model,
        criteria=criteria,
    )


Which = tuple[Side, str]  # a criterion of a side


def _numbers(a: Which, b: Which, options: CompareOptions) -> MeanDifference:
    spans = [value_range(side.criteria[name].scale) for side, name in (a, b)]
    likelihood = any(side.judge.method == "likelihood" for side, _ in (a, b))
    rescaled = spans[0] != spans[1] and not likelihood
    values = []
    for (side, name), span in zip((a, b), spans, strict=True):
        scores: Floats = side.scores[name][_places(side)]
        values.append((scores - span[0]) / (span[1] - span[0]) if rescaled and span else scores)
    compared = _compared(a[0], b[0], values[0], values[1], options)
    return replace(compared, rescaled=rescaled)


def _shares(
    criterion: str, a: Which, b: Which, options: CompareOptions
) -> dict[str, MeanDifference]:
    """Of each category; None is no score."""
    sides = [side.scores[of][_places(side)] for side, of in (a, b)]
    scales = [side.criteria[of].scale for side, of in (a, b)]
    categories = dict.fromkeys(str(value) for scale in scales for value in scale.values() or ())
    shares = {}
    for category in categories:
        one, other = (
            np.array([np.nan if name is None else float(name == category) for name in side])
            for side in sides
        )
        shares[f"{criterion}={category}"] = _compared(a[0], b[0], one, other, options)
    return shares


def _compared(
    a: Side, b: Side, one: Floats, other: Floats, options: CompareOptions
) -> MeanDifference:
    here, there = np.isfinite(one), np.isfinite(other)
    test = unpaired_difference(
        other[there],
        one[here],
        _groups(b, there, options.group),
        _groups(a, here, options.group),
        options.confidence,
    )
    return MeanDifference(
        unscored_a=int((~here).sum()),
        unscored_b=int((~there).sum()),
        mean_a=float(one[here].mean()) if here.any() else None,
        mean_b=float(other[there].mean()) if there.any() else None,
        test=test,
    )


def _places(side: Side) -> Ints:
    return np.fromiter(side.items.values(), np.intp, len(side.items))


def _groups(side: Side, scored: Bools, column: str | None) -> list[str] | None:
    """The group of each scored item; one without a value is a group of its own."""
    if column is None:
        return None
    cells = side.inputs.columns[column]
    return [group_of(item, cells[at]) for item, at in compress(side.items.items(), scored)]
