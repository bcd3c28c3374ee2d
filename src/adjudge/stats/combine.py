"""Several raters' values of the same items made one value an item."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from adjudge.errors import UsageError
from adjudge.stats.arrays import Bools, Floats
from adjudge.stats.raters import rating_table

How = Literal["mean", "median", "trimmed", "majority", "weighted"]
HOWS: tuple[How, ...] = get_args(How)


@dataclass(frozen=True, slots=True)
class Combined:
    """`values` has one value an item, NaN where there is none: `tied` marks items where two values
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
) -> Combined:
    """One value for each row of a table items by raters, NaN where a rater gave nothing.

    `trimmed` is the mean without the lowest and the highest value, or of all where there are fewer
    than three. `weighted` is the mean, of `names` the vote, with a weight a rater, or a table of
    them, in which a missing rater's weight falls to the others.
    """
    table = rating_table(ratings)
    here = np.isfinite(table)
    few = 2 * here.sum(axis=1) < table.shape[1]
    table = np.where(few[:, None], np.nan, table)
    if how not in HOWS:
        raise UsageError(f"--how {how}: write one of {', '.join(HOWS)}.")
    share = np.ones_like(table)
    if how == "weighted":
        if weights is None:
            raise UsageError("weighted: the weights are missing.")
        share = np.broadcast_to(np.asarray(weights, dtype=np.float64), table.shape)
    if names or how == "majority":
        values, tied = _vote(table, share)
        return Combined(values, tied & ~few, few)
    values = {"median": _median, "trimmed": _trimmed}.get(how, lambda t: _mean(t, share))(table)
    return Combined(values, np.zeros(len(table), dtype=np.bool_), few)


def _vote(table: Floats, weights: Floats) -> tuple[Floats, Bools]:
    choices = np.unique(table[np.isfinite(table)])
    if not len(choices):
        return np.full(len(table), np.nan), np.zeros(len(table), dtype=np.bool_)
    votes = np.stack([np.sum(weights * (table == each), axis=1) for each in choices], axis=1)
    most = votes.max(axis=1, keepdims=True)
    leading = np.sum(votes >= most - 1e-9, axis=1)
    won = (leading == 1) & (most[:, 0] > 0)
    return np.where(won, choices[votes.argmax(axis=1)], np.nan), leading > 1


def _mean(table: Floats, weights: Floats) -> Floats:
    given = np.where(np.isfinite(table), weights, 0.0)
    total = given.sum(axis=1)
    sums = np.sum(given * np.nan_to_num(table), axis=1)
    # Rounded, so that the same values in another order make no other mean.
    return np.where(total > 0, np.round(sums / np.where(total > 0, total, 1.0), 10), np.nan)


def _median(table: Floats) -> Floats:
    found = np.full(len(table), np.nan)
    given = np.isfinite(table).any(axis=1)
    found[given] = np.nanmedian(table[given], axis=1)
    return found


def _trimmed(table: Floats) -> Floats:
    order = np.sort(table, axis=1)  # NaN last
    counts = np.isfinite(table).sum(axis=1)
    places = np.arange(table.shape[1])
    enough = (counts >= 3)[:, None]
    inner = (places >= 1) & (places < counts[:, None] - 1)
    return _mean(np.where(enough & ~inner, np.nan, order), np.ones_like(table))
