"""A row for each item with its score as people would give it, for files."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from adjudge.analysis.calibration import Calibration, CriterionCalibration
from adjudge.analysis.score_map import Mapped
from adjudge.analysis.scored import Scored

from .rows import Row

ENDINGS = (".csv", ".jsonl", ".json")


def calibrated_rows(found: Calibration) -> Iterator[Row]:
    """Every item, criterion, judge and model: the judge's score, people's on average, and the range
    of nine in ten.

    Unscored items have no values; where there is no map, only the judge's score.
    """
    for part in found.graders:
        for name, criterion in part.criteria.items():
            scored = part.grader.criteria[name]
            ranges = _ranges(criterion, scored)
            for place, value in zip(scored.places.tolist(), scored.values.tolist(), strict=True):
                mapped = ranges.get(value)
                yield {
                    "item": found.items[place],
                    "judge": part.grader.judge.name,
                    "model": part.grader.model,
                    "criterion": name,
                    "score": None if np.isnan(value) else _shown(scored, value),
                    "people": mapped.people if mapped else None,
                    "low": mapped.low if mapped else None,
                    "high": mapped.high if mapped else None,
                }


def _ranges(criterion: CriterionCalibration, scored: Scored) -> dict[float, Mapped]:
    """By score: many items share one."""
    if isinstance(criterion.score_map, str):
        return {}
    distinct = np.unique(scored.values[np.isfinite(scored.values)])
    return {each.judge: each for each in criterion.score_map.ranges(distinct)}


def _shown(scored: Scored, value: float) -> float | str:
    options = getattr(scored.scale, "options", None)
    return options[int(value)] if options else value
