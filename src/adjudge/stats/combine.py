"""Several raters' values of the same items made one value per item."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from adjudge.core.reason import Reason, check_one_of
from adjudge.errors import UsageError
from adjudge.stats.arrays import Bools, Floats, rating_table

How = Literal["mean", "median", "trimmed", "majority", "weighted"]
HOWS: tuple[How, ...] = get_args(How)


@dataclass(frozen=True, slots=True)
class CombinedScores:
    """`values` has one value per item, NaN where there is none: `tied` marks items where two values
    lead in a vote, `few` those that fewer than half of the raters gave a value."""

    values: Floats
    tied: Bools
    few: Bools


def combine(
    ratings: npt.ArrayLike,
    how: How,
    *,
    names: bool = False,
    weights: npt.ArrayLike | None = None,
) -> CombinedScores:
    """One value for each row of a table items by raters, NaN where a rater gave nothing.

    `trimmed` is the mean without the lowest and the highest value, or of all where there are fewer
    than three. `weighted` is the mean, of `names` the vote, with a weight per rater, or a table of
    them, in which a missing rater's weight falls to the others.
    """
    table = rating_table(ratings)
    here = np.isfinite(table)
    few = 2 * here.sum(axis=1) < table.shape[1]
    table = np.where(few[:, None], np.nan, table)
    check_one_of("how", how, HOWS)
    share = np.ones_like(table)
    if how == "weighted":
        if weights is None:
            raise UsageError(Reason("panel.no_weights"))
        share = np.broadcast_to(np.asarray(weights, dtype=np.float64), table.shape)
    if names or how == "majority":
        values, tied = vote(table, share)
        return CombinedScores(values, tied & ~few, few)
    values = {"median": _median, "trimmed": _trimmed}.get(how, lambda t: mean_of_raters(t, share))(
        table
    )
    return CombinedScores(values, np.zeros(len(table), dtype=np.bool_), few)


def vote(table: Floats, weights: Floats | float = 1.0) -> tuple[Floats, Bools]:
    """The value that most raters gave each item, NaN where there is none; and which items are tied,
    as two values lead."""
    choices = np.unique(table[np.isfinite(table)])
    if not len(choices):
        return np.full(len(table), np.nan), np.zeros(len(table), dtype=np.bool_)
    votes = np.stack([np.sum(weights * (table == choice), axis=1) for choice in choices], axis=1)
    most = votes.max(axis=1, keepdims=True)
    leading = np.sum(votes >= most - 1e-9, axis=1)
    won = (leading == 1) & (most[:, 0] > 0)
    return np.where(won, choices[votes.argmax(axis=1)], np.nan), leading > 1


def mean_of_raters(table: Floats, weights: Floats | float = 1.0) -> Floats:
    """The weighted mean over the raters of each item, NaN where there is none."""
    present = np.where(np.isfinite(table), weights, 0.0)
    total = present.sum(axis=1)
    sums = np.sum(present * np.nan_to_num(table), axis=1)
    # Rounded, so that the same values in another order make no other mean.
    return np.where(total > 0, np.round(sums / np.where(total > 0, total, 1.0), 10), np.nan)


def _median(table: Floats) -> Floats:
    medians = np.full(len(table), np.nan)
    rated = np.isfinite(table).any(axis=1)
    medians[rated] = np.nanmedian(table[rated], axis=1)
    return medians


def _trimmed(table: Floats) -> Floats:
    order = np.sort(table, axis=1)  # NaN last
    counts = np.isfinite(table).sum(axis=1)
    places = np.arange(table.shape[1])
    enough = (counts >= 3)[:, None]
    inner = (places >= 1) & (places < counts[:, None] - 1)
    return mean_of_raters(np.where(enough & ~inner, np.nan, order))
