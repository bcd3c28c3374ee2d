"""The items of one page with what every grader made of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from adjudge.analysis.scores.arrays import RunArrays
from adjudge.analysis.scores.grader import Grader
from adjudge.analysis.scores.reader import cell_text
from adjudge.core.item import Item
from adjudge.core.scale import Binary, Category, Scale, Value
from adjudge.stats.arrays import Floats, Ints
from adjudge.stores.facts import OUTCOMES

_PREVIEW = 160  # characters


@dataclass(frozen=True, slots=True)
class ScoreCell:
    """One criterion of one item by one grader, its repeats made one.

    `value` is the mean over the `scored` repeats, or the name given most often, None where two were
    (`divided`); a whole number, yes or no where it is one. `outcome` is "scored" where any repeat
    is, else that of the first.
    """

    value: Value | None
    label: str | None
    unit: float | None
    scored: int
    outcome: str
    rules: tuple[str, ...]
    confidence: float | None

    @property
    def divided(self) -> bool:
        return self.value is None and self.scored > 0


@dataclass(frozen=True, slots=True)
class GraderCell:
    """What one grader made of one item: no `verdicts` and no outcome where it has not judged it."""

    judge: str
    model: str
    verdicts: int
    outcome: str | None
    scores: Mapping[str, ScoreCell]


@dataclass(frozen=True, slots=True)
class ItemRow:
    """One item; `position` is its place in the data from 0, `preview` the beginnings of its texts
    by input, those that tell it apart first, and `cells` has an entry per grader. None where
    nothing is known: `disagreement` (0-1), `latency_ms` (the mean of its verdicts) and `cost_usd`
    (their sum). `columns` has the beginnings of what the data have beside it."""

    item: str
    position: int
    preview: Mapping[str, str]
    cells: tuple[GraderCell, ...]
    disagreement: float | None
    latency_ms: float | None
    cost_usd: float | None
    columns: Mapping[str, str] = field(default_factory=dict)


def rows_of(
    arrays: RunArrays,
    graders: Sequence[Grader],
    contents: Mapping[str, Item],
    places: Ints,
    figures: Mapping[str, Floats],
) -> tuple[ItemRow, ...]:
    """The items at these places; `contents` has their texts, and `figures` are fields of ItemRow
    that were computed for every item already."""
    cells = [_grader_cells(arrays, grader, places) for grader in graders]
    first = _telling(graders)
    return tuple(
        ItemRow(
            item=(item := arrays.items[place]),
            position=int(arrays.position[place]),
            preview=preview(contents.get(item), first),
            cells=tuple(column[n] for column in cells),
            columns=_columns(contents.get(item)),
            **{name: number_or_none(values[place]) for name, values in figures.items()},
        )
        for n, place in enumerate(places.tolist())
    )


def _telling(graders: Sequence[Grader]) -> list[str]:
    """The inputs that tell items apart: what is judged, then what has to be there."""
    judges = [grader.judge for grader in graders]
    judged = [name for judge in judges for name in judge.judged]
    required = [name for judge in judges for name, spec in judge.inputs.items() if spec.required]
    return list(dict.fromkeys([*judged, *required]))


def preview(item: Item | None, first: Sequence[str] = ()) -> dict[str, str]:
    """The beginnings of an item's texts on one line each, those of the inputs in `first` first."""
    if item is None:
        return {}
    names = [name for name in first if name in item.fields]
    names += [name for name in item.fields if name not in names]
    # Ten times as much is enough for any number of line ends among it.
    return {name: " ".join(item.fields[name][: 10 * _PREVIEW].split())[:_PREVIEW] for name in names}


def _columns(item: Item | None) -> dict[str, str]:
    columns = {} if item is None else {**item.fields, **item.extra}
    return {
        name: " ".join(cell_text(value)[:_PREVIEW].split())
        for name, value in columns.items()
        if value is not None
    }


def number_or_none(number: float) -> float | None:
    return None if np.isnan(number) else float(number)


def _grader_cells(arrays: RunArrays, grader: Grader, places: Ints) -> list[GraderCell]:
    samples = list(grader.samples.values())
    here = np.stack([sample.here[places] for sample in samples])
    ended = np.stack([sample.outcome[places] for sample in samples])
    cells = {name: _cells(arrays, grader, name, places) for name in grader.criteria}
    return [
        GraderCell(
            grader.judge.name,
            grader.model,
            int(here[:, n].sum()),
            _outcome(ended[here[:, n], n].tolist()) if here[:, n].any() else None,
            {name: some[n] for name, some in cells.items()} if here[:, n].any() else {},
        )
        for n in range(len(places))
    ]


def _cells(arrays: RunArrays, grader: Grader, criterion: str, places: Ints) -> list[ScoreCell]:
    at = grader.criteria.index(criterion)
    samples = list(grader.samples.values())
    here = np.stack([sample.here[places] for sample in samples])
    ended = np.stack([sample.score_outcome[at][places] for sample in samples])
    ruled = np.stack([sample.rule[at][places] for sample in samples])
    scored = np.isfinite(np.stack([sample.value[at][places] for sample in samples])).sum(axis=0)
    values = grader.values(criterion)[places].tolist()
    units = grader.mean_of("unit", criterion)[places].tolist()
    sure = grader.mean_of("confidence", criterion)[places].tolist()
    scale = grader.criterion(criterion).scale if grader.on_scale else None
    cells = []
    for n, value in enumerate(values):
        written = value_of(scale, value)
        label = scale.label(written) if scale and type(written) is int else None
        fired = sorted({arrays.rules[rule] for rule in ruled[:, n].tolist() if rule})
        cells.append(
            ScoreCell(
                written,
                label,
                number_or_none(units[n]),
                int(scored[n]),
                _outcome(ended[here[:, n], n].tolist()),
                tuple(fired),
                number_or_none(sure[n]),
            )
        )
    return cells


def _outcome(ended: Sequence[int]) -> str:
    """That of several repeats; nothing is said of none, which nobody looks at."""
    first = 0 if 0 in ended or not ended else ended[0]
    return OUTCOMES[first].value


def value_of(scale: Scale | None, value: float) -> Value | None:
    """A number of the arrays as people know it."""
    if np.isnan(value):
        return None
    if isinstance(scale, Category):
        return scale.options[int(value)]
    if isinstance(scale, Binary) and value in {0.0, 1.0}:
        return bool(value)
    if scale is not None and scale.kind in {"ordinal", "integer"} and value == int(value):
        return int(value)
    return float(value)
