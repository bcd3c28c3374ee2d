"""How likely each label is a slip of the rater.

What other raters and several judges say of an item predicts its label; a label far from that
was perhaps not meant. A mixture: with a small probability, learned from the data, a label has
nothing to do with its item; otherwise it lies near the prediction, as labels usually do. For
numbers each rater has a leaning (strict or kind) and a spread of their own, so that a label is
unlikely for this rater, not for people at large. The prediction of a label is fitted on other
items. The share of slips is at most a tenth: beyond that, people and judges differ on purpose.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import expit

from adjudge.stats.arrays import Bools, Floats, Ints, same_length
from adjudge.stats.conformal import folds_of
from adjudge.stats.logistic import Prior, fit

FEWEST = 20  # labels: fewer do not show how labels usually lie
_FOLDS = 10
_ROUNDS = 60
_OF_ALL = 10.0  # labels: as many count for what all raters do beside a rater's own
_FIRST_SHARE, _LARGEST_SHARE = 0.05, 0.1
_RIDGE = 1.0
_ALL_VOICES, _ONE_VOICE = 10.0, 1.5  # variance of the coefficients: of all voices together, of one
# Powers of the chances of names: the prior leaves them flatter than labels lie, and slips as well.
_SHARPNESS = np.geomspace(0.5, 4.0, 25)


def slips_of_numbers(
    labels: Floats,
    evidence: Floats,
    items: Ints,
    raters: Ints,
    span: tuple[float, float],
    *,
    step: float = 0.0,
) -> Floats:
    """The probability that each label is a slip, 0-1; all 0 below FEWEST labels.

    `evidence` has a row per label and a column per voice (a judge, the other raters), NaN where it
    says nothing. `items` and `raters` have the item and the rater of each label: labels of one item
    share a fold. `span` are the ends of the scale, `step` the distance between its levels, 0
    without levels.
    """
    same_length(labels, evidence)
    if not _enough(labels, evidence, items):
        return np.zeros(len(labels))
    beyond = labels - _predicted(labels, evidence, items)
    width = span[1] - span[0]
    least = max(step / 3, width / 50)
    slip, share = np.zeros(len(labels)), _FIRST_SHARE
    spread = np.full(len(labels), max(float(np.median(np.abs(beyond))), least))
    for _ in range(_ROUNDS):
        meant = 1 - slip + 1e-12
        away = np.abs(beyond - _by_rater(beyond, meant, raters, 0.0))
        near = np.exp(-away / spread) / (2 * spread)  # Laplace: people differ, and some a lot
        slip, share = _slips(near, share, 1 / width)
        meant = 1 - slip + 1e-12
        of_all = float(np.average(away, weights=meant))
        spread = np.maximum(_by_rater(away, meant, raters, of_all), least)
    return slip


def _by_rater(values: Floats, weights: Floats, raters: Ints, of_all: float) -> Floats:
    """The mean of each label's rater, drawn towards what holds of all."""
    total = np.bincount(raters, values * weights) + _OF_ALL * of_all
    return np.asarray((total / (np.bincount(raters, weights) + _OF_ALL))[raters])


def slips_of_names(labels: Floats, evidence: Floats, items: Ints, options: int) -> Floats:
    """The same for names, as places among the `options`; yes and no are two of them."""
    same_length(labels, evidence)
    if not _enough(labels, evidence, items):
        return np.zeros(len(labels))
    chances = np.column_stack(
        [_chance_of(option, labels, evidence, items) for option in range(options)]
    )
    # By sharpness, how likely each label is if it was meant.
    powers = chances ** _SHARPNESS[:, None, None]
    own = np.take_along_axis(powers, labels.astype(np.intp)[None, :, None], axis=2)[:, :, 0]
    meant = own / powers.sum(axis=2)
    slip, share = np.zeros(len(labels)), _FIRST_SHARE
    for _ in range(_ROUNDS):
        sharpest = np.log(share / options + (1 - share) * meant).sum(axis=1).argmax()
        slip, share = _slips(meant[sharpest], share, 1 / options)
    return slip


def _enough(labels: Floats, evidence: Floats, items: Ints) -> bool:
    return len(labels) >= FEWEST and evidence.shape[1] > 0 and len(np.unique(items)) > 1


def _slips(meant: Floats, share: float, anywhere: float) -> tuple[Floats, float]:
    """One round: how likely each label is a slip, and the share of slips that follows."""
    slip = share * anywhere / (share * anywhere + (1 - share) * meant)
    return slip, min(float(slip.mean()), _LARGEST_SHARE)


def _predicted(labels: Floats, evidence: Floats, items: Ints) -> Floats:
    """What the evidence says of each label, by ridge regression on the other folds."""
    known = np.isfinite(evidence)
    counts = np.maximum(known.sum(axis=0), 1)
    middle = np.where(known, evidence, 0.0).sum(axis=0) / counts
    columns = np.where(known, evidence - middle, 0.0)
    scale = columns.std(axis=0)
    columns = columns / np.where(scale > 0, scale, 1.0)

    def predict(rest: Bools, held: Bools) -> Floats:
        mean = float(labels[rest].mean())
        inner = columns[rest].T @ columns[rest] + _RIDGE * np.eye(columns.shape[1])
        slope = np.linalg.solve(inner, columns[rest].T @ (labels[rest] - mean))
        return np.asarray(mean + columns[held] @ slope)

    return _on_other_folds(items, predict)


def _chance_of(option: int, labels: Floats, evidence: Floats, items: Ints) -> Floats:
    """How likely each label is this option, by logistic regression on the other folds.

    Judges err alike: the prior keeps many voices that say the same from being too sure.
    """
    voices = np.where(np.isfinite(evidence), np.where(evidence == option, 1.0, -1.0), 0.0)
    columns = np.column_stack([np.ones(len(labels)), voices])
    variance = min(_ALL_VOICES / voices.shape[1], _ONE_VOICE)
    widths = np.array([_ALL_VOICES, *[variance] * voices.shape[1]])
    prior = Prior(np.zeros(columns.shape[1]), widths)
    is_option = (labels == option).astype(np.float64)

    def predict(rest: Bools, held: Bools) -> Floats:
        fitted = fit(columns[rest], is_option[rest], prior)
        return np.asarray(expit(columns[held] @ fitted.coefficients))

    return _on_other_folds(items, predict)


def _on_other_folds(items: Ints, predict: Callable[[Bools, Bools], Floats]) -> Floats:
    folds = folds_of(items, len(items), _FOLDS, 0)
    predicted = np.empty(len(items))
    for fold in np.unique(folds):
        held = folds == fold
        predicted[held] = predict(~held, held)
    return predicted
