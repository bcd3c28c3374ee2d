"""The share that people would call true, from a judge whose errors are known (Rogan-Gladen 1978).

The interval is Lang and Reiczigel's (2014, "Confidence limits for prevalence of disease adjusted
for estimated sensitivity and specificity"): it counts the errors of the judge's share among the
unlabelled rows and of the two rates that were measured on the labelled ones.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from adjudge.core.reason import Reason
from adjudge.errors import UsageError
from adjudge.stats.arrays import Floats, number_pair, numbers
from adjudge.stats.bootstrap import Groups, clusters
from adjudge.stats.mean import effective, share
from adjudge.stats.ppi import Corrected, too_few
from adjudge.stats.stat import Stat, undefined

FEWEST_OF_A_KIND = 5  # Labels of yes, and of no: the two rates rest on them alone.


@dataclass(frozen=True, slots=True)
class _Share:
    """A share of rows and how many independent rows it rests on."""

    value: float
    rows: float

    def drawn_in(self, extra: float) -> _Share:
        """As if `extra` more rows had been seen, half of them true."""
        rows = self.rows + extra
        return _Share((self.value * self.rows + extra / 2) / rows, rows)

    @property
    def variance(self) -> float:
        return self.value * (1 - self.value) / self.rows


def rogan_gladen(
    human: npt.ArrayLike,
    judge: npt.ArrayLike,
    judge_unlabelled: npt.ArrayLike,
    groups: Groups = None,
    groups_unlabelled: Groups = None,
    *,
    confidence: float = 0.95,
) -> Corrected:
    """The share of true among the unlabelled rows' population, 0-1, all values 0 or 1.

    Unlike PPI++ the labels need not be a random draw of all rows, but the judge must err alike on
    labelled and unlabelled ones. Refused where the judge is not shown to be better than chance.
    """
    labels, scores = number_pair(human, judge)
    others = numbers(judge_unlabelled, "judge_unlabelled")
    _check_binary(labels, scores, others)
    names = None if groups is None else list(groups)
    classical = share(labels, names, confidence)
    rates = {
        kind: share(scores[chosen] == kind, _of(names, chosen), confidence)
        for kind, chosen in ((1, labels == 1), (0, labels == 0))
    }

    def corrected(stat: Stat) -> Corrected:
        return Corrected(
            stat,
            "rogan-gladen",
            len(labels),
            len(others),
            classical,
            sensitivity=rates[1],
            specificity=rates[0],
        )

    why = _too_little(labels, others, clusters(names, len(labels)).count)
    if why:
        return corrected(undefined(why))
    sensitivity = _measured(scores[labels == 1], _of(names, labels == 1))
    specificity = _measured(1 - scores[labels == 0], _of(names, labels == 0))
    seen = _measured(others, groups_unlabelled)
    z = float(ndtri((1 + confidence) / 2))
    return corrected(_lang_reiczigel(seen, sensitivity, specificity, z))


def _lang_reiczigel(seen: _Share, sensitivity: _Share, specificity: _Share, z: float) -> Stat:
    skill = sensitivity.value + specificity.value - 1
    sure, safe = sensitivity.drawn_in(2), specificity.drawn_in(2)
    drawn_skill = sure.value + safe.value - 1
    if skill <= 0 or drawn_skill <= z * math.sqrt(sure.variance + safe.variance):
        rates = {"sensitivity": sensitivity.value, "specificity": specificity.value}
        return undefined(Reason("errors_chance", **rates))
    value = min(1.0, max(0.0, (seen.value + specificity.value - 1) / skill))
    drawn = seen.drawn_in(z * z)
    middle = (drawn.value + safe.value - 1) / drawn_skill
    moved = 2 * z * z * (middle * sure.variance - (1 - middle) * safe.variance)
    variance = drawn.variance + middle**2 * sure.variance + (1 - middle) ** 2 * safe.variance
    reach = z * math.sqrt(variance) / drawn_skill
    low, high = (min(1.0, max(0.0, middle + moved + side * reach)) for side in (-1, 1))
    return Stat(value, min(low, value), max(high, value))


def _measured(hits: Floats, groups: Groups) -> _Share:
    return _Share(float(hits.mean()), effective(hits, clusters(groups, len(hits))))


def _of(names: list[object] | None, chosen: npt.NDArray[np.bool_]) -> list[object] | None:
    return None if names is None else [names[row] for row in np.flatnonzero(chosen)]


def _too_little(labels: Floats, others: Floats, count: int) -> Reason | None:
    if not len(others):
        return Reason("no_unlabelled")
    rarest = int(min(np.sum(labels == 1), np.sum(labels == 0)))
    if rarest < FEWEST_OF_A_KIND:
        return Reason("one_kind", count=rarest)
    return too_few(count)


def _check_binary(*vectors: Floats) -> None:
    for vector in vectors:
        odd = vector[(vector != 0) & (vector != 1)]
        if len(odd):
            raise UsageError(Reason("stats.no_truth", value=str(odd[0])))
