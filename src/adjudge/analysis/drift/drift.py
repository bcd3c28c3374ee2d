"""Checks of one judge and model on the same anchors, set beside the first of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from adjudge.analysis.probing.subject import LANGUAGES, of_built_in
from adjudge.analysis.scores.grader import CriterionScores, GraderScores
from adjudge.analysis.scores.reader import read_scores
from adjudge.core.judge import Judge
from adjudge.core.reason import Reason, check_share
from adjudge.core.scale import Category
from adjudge.errors import DataError
from adjudge.stats.arrays import Floats
from adjudge.stats.mean import mean
from adjudge.stats.sequential import detectable, level_of, reachable, sign_flip_p
from adjudge.stores import RunRecord, Store

from .findings import Drift, DriftCheck, DriftMeasure

DRIFT_TAG = "drift"  # of the runs that are checks
BUILT_IN = "built-in anchors"
_FINISHED = "finished"


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftOptions:
    """`alpha` is the chance of any false alarm over all checks there will ever be."""

    alpha: float = 0.05

    def __post_init__(self) -> None:
        check_share("alpha", self.alpha, 0.05)


def anchor_rows(judge: Judge) -> list[Mapping[str, object]]:
    """Built-in texts in all languages, good and weak answers; UsageError where the judge takes
    other inputs."""
    return [
        {**item.fields, "id": f"{language}-{item.id}"}
        for language in LANGUAGES
        for item in of_built_in(judge, language, None).items
    ]


def drift_series(store: Store, latest: RunRecord | None = None) -> list[list[RunRecord]]:
    """The finished checks in the store by what they ask, each in the order of time; with `latest`,
    those that ask the same as it."""
    series: dict[str, list[RunRecord]] = {}
    for record in sorted(store.runs.all(), key=lambda record: record.started):
        if DRIFT_TAG in record.manifest.tags and record.state == _FINISHED:
            series.setdefault(_asked(record), []).append(record)
    if latest is None:
        return list(series.values())
    return [series[_asked(latest)]] if _asked(latest) in series else []


def _asked(record: RunRecord) -> str:
    """The same for runs that ask the same of the same model: a changed judge begins anew."""
    manifest = record.manifest
    said = (dict(manifest.judges), manifest.models, manifest.data_hash, dict(manifest.settings))
    return repr(said)


@dataclass(frozen=True, slots=True)
class _Check:
    """Values by measure and item; NaN where an item has none."""

    record: RunRecord
    items: tuple[str, ...]
    values: Mapping[tuple[str, str], Floats]
    versions: tuple[str, ...]


def drift_of(records: Sequence[RunRecord], store: Store, options: DriftOptions) -> Drift:
    """What the checks found; `records` are one series. The first one in which half of the items or
    more have scores is what all later ones are held to; DataError where there is none."""
    everything = [_read(record, store) for record in records]
    begun = next((at for at, check in enumerate(everything) if _is_scored(check)), None)
    if begun is None:
        counts = {"count": _unscored(everything[-1]), "items": len(everything[-1].items)}
        raise DataError(Reason("drift.no_scores", run=records[-1].id, **counts))
    checks = everything[begun:]
    first, manifest = checks[0], records[0].manifest
    level = level_of(max(len(checks) - 1, 1), options.alpha) / len(first.values)
    return Drift(
        judge=next(iter(manifest.judges)),
        model=manifest.models[0],
        anchors=manifest.tags[DRIFT_TAG],
        items=len(first.items),
        alpha=options.alpha,
        too_few=not reachable(len(first.items), level),
        left_out=tuple(check.record.id for check in everything[:begun]),
        checks=tuple(
            DriftCheck(
                run=check.record.id,
                number=number,
                when=check.record.started,
                unscored=_unscored(check),
                versions=check.versions,
                measures=tuple(_measures(first, check, number, options)) if number else (),
            )
            for number, check in enumerate(checks)
        ),
    )


def _unscored(check: _Check) -> int:
    return int(check.values["", ""].sum())


def _is_scored(check: _Check) -> bool:
    return 2 * _unscored(check) <= len(check.items)


def _read(record: RunRecord, store: Store) -> _Check:
    scores = read_scores(record, store)
    (grader,) = scores.graders
    count = len(scores.items)
    values: dict[tuple[str, str], Floats] = {}
    for name, scored in grader.criteria.items():
        values |= {(name, option): column for option, column in _columns(scored, count)}
    values[("", "")] = _without_score(grader, count)
    return _Check(record, tuple(scores.items), values, _versions(record, store))


def _columns(scored: CriterionScores, count: int) -> Iterator[tuple[str, Floats]]:
    """The values by item; of names, whether each option is the one."""
    column = scored.at(np.arange(count))
    if not (scored.named and isinstance(scored.scale, Category)):
        yield "", column
        return
    for place, option in enumerate(scored.scale.options):
        yield option, np.where(np.isfinite(column), (column == place).astype(float), np.nan)


def _without_score(grader: GraderScores, count: int) -> Floats:
    """1 for the items that lack a score of any criterion."""
    lacking = np.zeros(count)
    for scored in grader.criteria.values():
        missing = ~np.isfinite(scored.values)
        if scored.divided is not None:
            missing &= ~scored.divided
        lacking[scored.places[missing]] = 1.0
    return lacking


def _versions(record: RunRecord, store: Store) -> tuple[str, ...]:
    said = {
        exchange.version
        for verdict in store.verdicts.all(record.id)
        for call in verdict.calls
        for exchange in call.exchanges
        if exchange.version
    }
    return tuple(sorted(said))


def _measures(
    first: _Check, check: _Check, number: int, options: DriftOptions
) -> Iterator[DriftMeasure]:
    """Each figure gets an equal part of the level."""
    shared = [key for key in first.values if key in check.values]
    level = level_of(number, options.alpha) / len(shared)
    at = {item: place for place, item in enumerate(check.items)}
    order = [at.get(item, -1) for item in first.items]
    for name, option in shared:
        later = np.append(check.values[name, option], np.nan)[order]
        apart = later - first.values[name, option]
        rows = apart[np.isfinite(apart)]
        sd = float(rows.std(ddof=1)) if len(rows) > 1 else math.nan
        yield DriftMeasure(
            name=name,
            option=option,
            n=len(rows),
            changed=int(np.count_nonzero(rows)),
            difference=mean(rows),
            p=sign_flip_p(rows),
            level=level,
            detectable=detectable(sd, len(rows), level),
        )
