"""Labels that are likely slips, and a trial of how far such a list can be trusted here."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from adjudge.core.scale import Binary, Category, Integer, Ordinal, Scale, value_range
from adjudge.stats.arrays import Bools, Floats, Ints, mean_of_known
from adjudge.stats.label_noise import slips_of_names, slips_of_numbers

from .findings import SlipTrial

# From which probability on a label is listed. Judges err alike on names, so that their evidence
# never gets as strong as that of numbers.
_LIKELY_NUMBER, _LIKELY_NAME = 0.5, 0.3
_SHARE = 0.05  # of the labels: as many slips there may be, and so many a trial makes
_ENOUGH, _MOST_ROUNDS = 100, 20  # changed labels of a trial, and how often it begins anew for them
_MOVED = 0.1  # of the scale: a number that a trial moves less is not changed


class Slip(NamedTuple):
    """A label by its place in the table, how likely it is a slip, and how many judges are nearer to
    the judge than to the label."""

    row: int
    rater: int
    probability: float
    with_judge: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelTable:
    """Labels of one criterion, items by raters, and what each judge said, items by judges; NaN
    where there is none. `own` is the column of the judge that the labels are held against."""

    scale: Scale
    labels: Floats
    judges: Floats
    own: int

    @property
    def places(self) -> tuple[Ints, Ints]:
        rows, raters = np.nonzero(np.isfinite(self.labels))
        return rows, raters

    def others(self) -> Floats:
        """A row per label: what the other raters gave."""
        rows, raters = self.places
        others = self.labels[rows]
        others[np.arange(len(rows)), raters] = np.nan
        return others


def likely_slips(table: LabelTable) -> list[Slip]:
    """The likeliest first."""
    rows, raters = table.places
    labels = table.labels[rows, raters]
    evidence = _evidence(table, rows)
    ends = value_range(table.scale)
    if ends is None or isinstance(table.scale, Binary):
        options = len(table.scale.options) if isinstance(table.scale, Category) else 2
        slips = slips_of_names(np.round(labels), np.round(evidence), rows, options)
        least = _LIKELY_NAME
    else:
        step = 1.0 if isinstance(table.scale, Ordinal | Integer) else 0.0
        slips = slips_of_numbers(labels, evidence, rows, raters, ends, step=step)
        least = _LIKELY_NUMBER
    nearer = _nearer(table, rows, labels)
    kept = (slips >= least) & ~_backed(table, rows, labels, nearer)
    order = [at for at in np.argsort(-slips, kind="stable").tolist() if kept[at]]
    return [Slip(int(rows[at]), int(raters[at]), float(slips[at]), int(nearer[at])) for at in order]


def _evidence(table: LabelTable, rows: Ints) -> Floats:
    """A row per label: each judge, and what the other raters say; of numbers their mean."""
    columns = list(table.judges[rows].T)
    if table.labels.shape[1] > 1:
        others = table.others()
        named = isinstance(table.scale, Category)
        columns += list(others.T) if named else [mean_of_known(others.T)]
    return np.column_stack(columns)


def _nearer(table: LabelTable, rows: Ints, labels: Floats) -> Ints:
    """How many judges are nearer to the judge than to each label."""
    said, own = table.judges[rows], table.judges[rows, table.own][:, None]
    if isinstance(table.scale, Category):
        near = (said == own) & (own != labels[:, None])
    else:
        near = np.abs(said - own) < np.abs(said - labels[:, None])
    return np.asarray(near.sum(axis=1))


def _backed(table: LabelTable, rows: Ints, labels: Floats, nearer: Ints) -> Bools:
    """Where all other raters gave the same, or without any the judges side with the label: then the
    judge differs from people, or people are divided."""
    others, voices = table.others(), np.isfinite(table.judges[rows]).sum(axis=1)
    alone = np.isnan(others).all(axis=1)
    same = (np.isnan(others) | (others == labels[:, None])).all(axis=1)
    return np.asarray(np.where(alone, (voices > 0) & (2 * nearer <= voices), same))


def slip_trial(table: LabelTable) -> SlipTrial:
    """One label in twenty is changed by lot, several times: a number to its opposite on the scale,
    a name to another one."""
    draw = np.random.default_rng(0)
    rows, raters = table.places
    labels = table.labels[rows, raters]
    rounds = int(np.clip(np.ceil(_ENOUGH / (_SHARE * len(rows))), 1, _MOST_ROUNDS))
    planted = recovered = 0
    for _ in range(rounds):
        turned, moved = _turned(labels, table.scale, draw)
        changed = moved & (draw.random(len(rows)) < _SHARE)
        tried = table.labels.copy()
        tried[rows, raters] = np.where(changed, turned, labels)
        at = set(zip(rows[changed].tolist(), raters[changed].tolist(), strict=True))
        slips = likely_slips(replace(table, labels=tried))
        planted += len(at)
        recovered += sum((slip.row, slip.rater) in at for slip in slips)
    expected = _SHARE * len(rows) * recovered / max(planted, 1)
    return SlipTrial(changed=planted, recovered=recovered, expected=expected)


def _turned(labels: Floats, scale: Scale, draw: np.random.Generator) -> tuple[Floats, Bools]:
    """Each label as a slip would have it, and whether that is another one."""
    ends = value_range(scale)
    if ends is None:
        options = len(scale.options) if isinstance(scale, Category) else 2
        turned = (labels + draw.integers(1, max(options, 2), len(labels))) % options
        return turned, turned != labels
    turned = ends[0] + ends[1] - labels
    return turned, np.abs(turned - labels) > _MOVED * (ends[1] - ends[0])
