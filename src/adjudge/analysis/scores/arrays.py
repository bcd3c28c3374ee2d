"""The packed figures of verdicts made arrays with an entry per item."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from adjudge.core.judge import Judge
from adjudge.core.scale import Category
from adjudge.core.score import LOWEST_RULE, ORDERS_DISAGREE, REQUIRED_RULE
from adjudge.stats.arrays import Floats, Ints
from adjudge.stores import Facts
from adjudge.stores.facts import CELL, CUT, HEAD, UNSUPPORTED, WRONG_LANGUAGE, code_of

from .grader import Bytes, Grader, Repeat

_HEAD_SIZE = np.dtype([(name, f"<{code}") for name, code in HEAD]).itemsize
_CELL = np.dtype([(name, f"<{code}") for name, code in CELL])
UNKNOWN_RULE = "?"  # fired, but today's reading of the judge's file has none of that name


@dataclass(frozen=True)
class RunArrays:
    """`items` are the ids by place, in the order of the data, and `position` where each stands
    there; `rules` the ids of the rules that fired, behind an empty one for none; `graders` are by
    judge and model."""

    items: Sequence[str]
    position: Ints
    rules: tuple[str, ...]
    graders: tuple[Grader, ...]

    @cached_property
    def places(self) -> Mapping[str, int]:
        """By item, its place in all arrays."""
        return {item: place for place, item in enumerate(self.items)}

    @property
    def bytes(self) -> int:
        """About how much memory they hold."""
        repeats = (sample for grader in self.graders for sample in grader.samples.values())
        arrays = (getattr(repeat, name) for repeat in repeats for name in Repeat.__slots__)
        held: int = sum(array.nbytes for array in arrays if array.flags.owndata)
        return held + 100 * len(self.items)


def arrays_of(facts: Iterable[Facts], judges: Mapping[str, Judge]) -> RunArrays:
    """All of a run; of a verdict that comes twice, the later figures hold.

    The arrays are the same in whatever order the verdicts were kept: draws of items, and with them
    intervals, go by places.
    """
    places: dict[str, int] = {}
    grouped: dict[tuple[str, str, int], list[tuple[Ints, npt.NDArray[Any]]]] = {}
    for judge, model, repeat, items, cells in facts:
        at = _places(places, items)
        rows = np.frombuffer(cells, _layout(len(cells) // len(items)))
        grouped.setdefault((judge, model, repeat), []).append((at, rows))
    position = np.zeros(len(places), dtype=np.intp)
    fired: set[int] = set()
    for at, rows in chain.from_iterable(grouped.values()):
        position[at] = rows["position"]
        fired |= set(np.unique(rows["cells"]["rule"]).tolist())
    order = np.argsort(position, kind="stable")
    in_order = np.empty_like(order)
    in_order[order] = np.arange(len(order))
    rules = _Rules(judges, fired)
    repeats: dict[tuple[str, str], dict[int, Repeat]] = {}
    for (judge, model, repeat), blocks in sorted(grouped.items()):
        placed = [(in_order[at], rows) for at, rows in blocks]
        made = _repeat(judges[judge], placed, len(places), rules)
        repeats.setdefault((judge, model), {})[repeat] = made
    graders = (Grader(judges[judge], model, some) for (judge, model), some in repeats.items())
    arrived = list(places)
    items = [arrived[at] for at in order]
    return RunArrays(items, position[order], rules.fired, tuple(graders))


def _layout(size: int) -> np.dtype[Any]:
    criteria = (size - _HEAD_SIZE) // _CELL.itemsize
    head: list[Any] = [(name, f"<{code}") for name, code in HEAD]
    return np.dtype([*head, ("cells", _CELL, (criteria,))])


class _Rules:
    """Finds the places of the rules that fired, in the order of the judges' files."""

    def __init__(self, judges: Mapping[str, Judge], fired: Set[int]) -> None:
        ids = [rule.id for judge in judges.values() for rule in judge.rubric.rules]
        named = (*ids, ORDERS_DISAGREE, REQUIRED_RULE, LOWEST_RULE)
        self._names = {code_of(name): name for name in named}
        known = [name for code, name in self._names.items() if code in fired]
        unknown = [UNKNOWN_RULE] if fired - self._names.keys() - {0} else []
        self.fired: tuple[str, ...] = ("", *known, *unknown)

    def places(self, codes: npt.NDArray[np.uint64]) -> Bytes:
        out = np.zeros(codes.shape, dtype=np.uint8)
        fired = codes != 0
        for code in set(codes[fired].tolist()) if fired.any() else ():
            name = self._names.get(code, UNKNOWN_RULE)
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
    criteria = judge.rubric.measures
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
        (outcome % UNSUPPORTED).astype(np.uint8),
        outcome >= WRONG_LANGUAGE,
        outcome % WRONG_LANGUAGE >= UNSUPPORTED,
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
