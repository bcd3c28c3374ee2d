"""The packed figures of verdicts made arrays with an entry per item."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from adjudge.core.judge import Judge
from adjudge.core.scale import Category
from adjudge.core.score import ORDERS_DISAGREE
from adjudge.stats.arrays import Bools, Floats, Ints
from adjudge.stores import Facts
from adjudge.stores.facts import CELL, CUT, HEAD, WRONG_LANGUAGE, code_of

Bytes = npt.NDArray[np.uint8]
Counts = npt.NDArray[np.uint32]
_HEAD_SIZE = np.dtype([(name, f"<{code}") for name, code in HEAD]).itemsize
_CELL = np.dtype([(name, f"<{code}") for name, code in CELL])
UNKNOWN_RULE = "?"  # fired, but today's reading of the judge's file has none of that name


@dataclass(frozen=True, slots=True)
class Repeat:
    """What one judge and model said in one repeat; all arrays have an entry per item.

    `here` is false where there is no verdict. Arrays of scores have a row per criterion, in the
    judge's order: `value` on its scale (yes is 1; a name is its place among the options; NaN none),
    `rule` as a place in `RunArrays.rules`, 0 for none. Outcomes are places in `facts.OUTCOMES`.
    `cut`: the model did not see all of a text.
    """

    here: Bools
    outcome: Bytes
    cut: Bools
    tokens_in: Counts
    tokens_out: Counts
    cost: Floats
    latency: Floats
    value: Floats
    unit: Floats
    confidence: Floats
    rule: Bytes
    score_outcome: Bytes
    wrong_language: Bools


class Unpacked(NamedTuple):
    """`items` are the ids by place, `position` where each stands in the data; `rules` the ids of
    the rules that fired, behind an empty one for none. `repeats` is by judge and model, then by
    number."""

    items: Sequence[str]
    position: Ints
    rules: tuple[str, ...]
    repeats: Mapping[tuple[str, str], Mapping[int, Repeat]]


def unpacked(facts: Iterable[Facts], judges: Mapping[str, Judge]) -> Unpacked:
    """All of a run; of a verdict that comes twice, the later figures hold."""
    places: dict[str, int] = {}
    grouped: dict[tuple[str, str, int], list[tuple[Ints, npt.NDArray[Any]]]] = {}
    for judge, model, repeat, items, cells in facts:
        at = _places(places, items)
        rows = np.frombuffer(cells, _layout(len(cells) // len(items)))
        grouped.setdefault((judge, model, repeat), []).append((at, rows))
    position = np.zeros(len(places), dtype=np.intp)
    rules = _Rules(judges)
    repeats: dict[tuple[str, str], dict[int, Repeat]] = {}
    for (judge, model, repeat), blocks in sorted(grouped.items()):
        for at, rows in blocks:
            position[at] = rows["position"]
        made = _repeat(judges[judge], blocks, len(places), rules)
        repeats.setdefault((judge, model), {})[repeat] = made
    return Unpacked(list(places), position, rules.fired, repeats)


def _layout(size: int) -> np.dtype[Any]:
    criteria = (size - _HEAD_SIZE) // _CELL.itemsize
    head: list[Any] = [(name, f"<{code}") for name, code in HEAD]
    return np.dtype([*head, ("cells", _CELL, (criteria,))])


class _Rules:
    """Finds the places of rules, which are counted as they fire."""

    def __init__(self, judges: Mapping[str, Judge]) -> None:
        self.fired: tuple[str, ...] = ("",)
        ids = [rule.id for judge in judges.values() for rule in judge.rubric.rules]
        self._names = {code_of(name): name for name in (*ids, ORDERS_DISAGREE)}

    def places(self, codes: npt.NDArray[np.uint64]) -> Bytes:
        out = np.zeros(codes.shape, dtype=np.uint8)
        fired = codes != 0
        for code in set(codes[fired].tolist()) if fired.any() else ():
            name = self._names.get(code, UNKNOWN_RULE)
            if name not in self.fired:
                self.fired += (name,)
            out[codes == code] = self.fired.index(name)
        return out


def _places(known: dict[str, int], items: Sequence[str]) -> Ints:
    """Where the items stand; new ones are added."""
    first, new = len(known), len(items)
    if known.keys().isdisjoint(items) and len(set(items)) == new:
        known.update(zip(items, range(first, first + new), strict=True))
        return np.arange(first, first + new)
    return np.array([known.setdefault(item, len(known)) for item in items], dtype=np.intp)


def _repeat(
    judge: Judge, blocks: Sequence[tuple[Ints, npt.NDArray[Any]]], size: int, rules: _Rules
) -> Repeat:
    criteria = judge.rubric.criteria
    codes = [code_of(name) for name in criteria]
    head = {name: np.zeros(size, dtype=f"<{code}") for name, code in HEAD}
    cells = _no_cells(blocks, (len(codes), size))
    here = np.zeros(size, dtype=np.bool_)
    for at, rows in blocks:
        # In a run that goes through the data in order they are neighbours: no need to look each up.
        neighbours = at[-1] - at[0] == len(at) - 1 and bool((np.diff(at) == 1).all())
        where = slice(int(at[0]), int(at[-1]) + 1) if neighbours else at
        here[where] = True
        for name, column in head.items():
            column[where] = rows[name]
        _place(cells, where, rows["cells"], codes, rules)
    value, outcome = cells["value"], cells["outcome"]
    for row, criterion in zip(value, criteria.values(), strict=True):
        if isinstance(criterion.scale, Category) and judge.method != "likelihood":
            row[:] = _options(row, criterion.scale)
    return Repeat(
        here,
        (head["outcome"] % CUT).astype(np.uint8),
        head["outcome"] >= CUT,
        head["tokens_in"],
        head["tokens_out"],
        head["cost"],
        head["latency"],
        value,
        cells["unit"],
        cells["confidence"],
        cells["rule"],
        (outcome % WRONG_LANGUAGE).astype(np.uint8),
        outcome >= WRONG_LANGUAGE,
    )


def _no_cells(
    blocks: Sequence[tuple[Ints, npt.NDArray[Any]]], shape: tuple[int, int]
) -> dict[str, npt.NDArray[Any]]:
    """Room for scores; for confidences only where any is known, as few methods tell one."""
    sure = any(np.isfinite(rows["cells"]["confidence"]).any() for _, rows in blocks)
    return {
        "value": np.full(shape, np.nan),
        "unit": np.full(shape, np.nan),
        "confidence": np.full(shape, np.nan) if sure else np.broadcast_to(np.nan, shape),
        "rule": np.zeros(shape, dtype=np.uint8),
        "outcome": np.zeros(shape, dtype=np.uint8),
    }


def _place(
    cells: Mapping[str, npt.NDArray[Any]],
    where: slice | Ints,
    scores: npt.NDArray[Any],
    criteria: Sequence[int],
    rules: _Rules,
) -> None:
    """Puts the scores where their criteria belong: a verdict may name them in another order, or
    lack one."""
    columns = {name: column for name, column in cells.items() if column.flags.writeable}
    transposed = {name: scores[name].T for name in columns} | {
        "rule": rules.places(scores["rule"].T)
    }
    if scores.shape[1] == len(criteria) and bool((scores["criterion"] == criteria).all()):
        for name, column in columns.items():
            column[:, where] = transposed[name]
        return
    at = np.arange(where.start, where.stop) if isinstance(where, slice) else where
    for row, code in enumerate(criteria):
        for place, named in enumerate(scores["criterion"].T):
            mine = named == code
            for name, column in columns.items():
                column[row, at[mine]] = transposed[name][place][mine]


def _options(codes: Floats, scale: Category) -> Floats:
    """Names by their places among the options; NaN for one that is none of them."""
    out = np.full(codes.shape, np.nan)
    for place, option in enumerate(scale.options):
        out[codes == code_of(option)] = place
    return out
