"""A baseline: the scores of an earlier run in a small JSON file, which goes with a repository.

A run is compared with it item by item. It fails where the mean of a criterion is lower over the
items that both have scored, and where an item that had a score has none.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson

from adjudge.analysis.scores.arrays import RunArrays
from adjudge.analysis.scores.reader import read_arrays
from adjudge.core.reason import Reason
from adjudge.core.scale import Category
from adjudge.errors import DataError
from adjudge.stats.paired import paired_difference
from adjudge.stores import RunRecord, Store

from .conditions import Gate, GateResult, Measured, judge_gate

_KIND, _VERSION = "baseline", 1
_SHOWN = 3  # ids
Scores = Mapping[str, float | None]
# Judge, model, criterion.
Key = tuple[str, str, str]
Baseline = Mapping[Key, Scores]


def baseline_text(record: RunRecord, store: Store) -> bytes:
    """The scores of a run by judge, model, criterion and item, to be kept in a file."""
    graders: dict[str, dict[str, dict[str, Scores]]] = {}
    for (judge, model, criterion), scores in _scores(read_arrays(record, store)):
        graders.setdefault(judge, {}).setdefault(model, {})[criterion] = scores
    kept = {"adjudge": _KIND, "version": _VERSION, "fingerprints": dict(record.manifest.judges)}
    options = orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE
    return orjson.dumps({**kept, "scores": graders}, option=options)


def read_baseline(path: Path) -> Baseline:
    """DataError where the file is none."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise DataError(Reason("baseline.unreadable", why=error.strerror).in_file(path)) from None
    try:
        kept: Any = orjson.loads(content)
        if kept["adjudge"] != _KIND:
            raise KeyError("adjudge")  # noqa: TRY301 - one place tells of all
        return {
            (judge, model, criterion): {item: _checked(value) for item, value in scores.items()}
            for judge, by_model in kept["scores"].items()
            for model, criteria in by_model.items()
            for criterion, scores in criteria.items()
        }
    except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError, ValueError):
        raise DataError(Reason("baseline.broken").in_file(path)) from None


def _checked(value: object) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(value)
    return float(value)


def compare_baseline(baseline: Baseline, record: RunRecord, store: Store) -> tuple[GateResult, ...]:
    """A result per criterion that both have; one without a figure where nothing can be compared."""
    now = dict(_scores(read_arrays(record, store)))
    results = []
    for key, scores in now.items():
        before = _namesake(key, baseline)
        if before is not None:
            several = len({known[:2] for known in now}) > 1
            where = Reason("grader", judge=key[0], model=key[1]) if several else None
            results.append(_result(key[2], before, scores, where))
    if not results:
        known = tuple(sorted({f"{judge}: {criterion}" for judge, _, criterion in baseline}))
        nothing = Measured(None, Reason("baseline.nothing", known=known))
        results.append(judge_gate(_gate(""), nothing))
    return tuple(results)


def _namesake(key: Key, baseline: Baseline) -> Scores | None:
    """The same judge, model and criterion; of a judge with one model, by whatever model."""
    if key in baseline:
        return baseline[key]
    judge, _, criterion = key
    others = [of for known, of in baseline.items() if (known[0], known[2]) == (judge, criterion)]
    return others[0] if len(others) == 1 else None


def _gate(criterion: str) -> Gate:
    text = f"{criterion}.baseline>=0" if criterion else "baseline"
    return Gate(text, criterion, "baseline", ">=", 0.0)


def _result(criterion: str, before: Scores, now: Scores, where: Reason | None) -> GateResult:
    gate = _gate(criterion)
    had = [item for item, value in before.items() if value is not None and item in now]
    both = [(now[item], before[item]) for item in had]
    pairs = [(one, other) for one, other in both if one is not None and other is not None]
    lost = [item for item in had if now[item] is None]
    if lost:
        why = Reason("baseline.lost", n=len(lost), items=tuple(lost[:_SHOWN]))
        return judge_gate(gate, Measured(None, why, where))
    if not pairs:
        return judge_gate(gate, Measured(None, Reason("baseline.no_item"), where))
    paired = paired_difference([pair[0] for pair in pairs], [pair[1] for pair in pairs])
    change = paired.difference
    unseen = sum(value is not None for value in before.values()) - len(pairs)
    note = Reason(
        "baseline.compared",
        n=paired.n,
        wins=paired.wins,
        losses=paired.losses,
        interval="" if change.low is None else f" [{change.low:+.3g}, {change.high:+.3g}]",
        absent=Reason("baseline.absent", n=unseen) if unseen else "",
    )
    return judge_gate(gate, Measured(change.value, note, where))


def _scores(arrays: RunArrays) -> Iterator[tuple[Key, Scores]]:
    """Numbers by item, None where there is none; names have no order, and are left out."""
    for grader in arrays.graders:
        for criterion in grader.criteria:
            if isinstance(grader.judge.rubric.criteria[criterion].scale, Category):
                continue
            answers = grader.answers(criterion)
            values = {
                arrays.items[place]: None if math.isnan(value) else float(value)
                for place, value in enumerate(answers.tolist())
                if grader.here[place]
            }
            yield (grader.judge.name, grader.model, criterion), values
