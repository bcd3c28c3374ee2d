"""People among each other, and the judge as one of them."""

from __future__ import annotations

from collections.abc import Iterator

from adjudge.analysis.calibration import CriterionCalibration
from adjudge.analysis.raters import EPSILON, Raters

from ...figures import plain
from ...page import Lines, Table
from ...reasons import reason
from ...strings import Strings
from ...trust_words import standing
from ..blocks import Part

_MOST = 50  # raters in the table
_FIT = ("good", "person")  # standings of a judge that may be used


def raters(each: CriterionCalibration, say: Strings) -> Iterator[Part]:
    """Nothing where no item has two raters."""
    found = each.raters
    if found is None:
        return
    pairwise, others = found.ceiling.pairwise, found.ceiling.leave_one_out
    ceiling = say(
        "report.raters.ceiling",
        raters=len(found.names),
        items=f"{found.items:,}",
        pairwise=plain(pairwise["spearman"]),
        kappa=plain(pairwise["kappa"]),
        others=plain(others["spearman"]),
        alpha=plain(found.alpha),
    )
    yield Lines([ceiling, *_stands_in(found, say, fit=standing(each) in _FIT)])
    yield _table(found, say)
    if len(found.names) > _MOST:
        yield Lines([say("report.raters.more", count=len(found.names) - _MOST)])


def _stands_in(found: Raters, say: Strings, *, fit: bool) -> Iterator[str]:
    """Whether the judge may stand in for one of them; where not, that this does not speak against
    a judge that is `fit` for use."""
    test = found.stands_in
    if test.passed is None:
        yield say("report.raters.untested", why=reason(say, test.why or ""))
        return
    margin, rate = f"{EPSILON:g}", test.winning_rate.value
    if not rate:
        yield say("report.raters.for_none", margin=margin)
    else:
        kind = "stands_in" if test.passed else "not_stands_in"
        yield say(f"report.raters.{kind}", rate=f"{rate:.0%}", margin=margin)
    if fit and not test.passed:
        yield say("report.raters.both_hold")


def _table(found: Raters, say: Strings) -> Table:
    stats = [say("report.people.spearman"), say("report.people.kappa")]
    head = [say("report.raters.rater"), say("report.raters.labels")]
    head += [say("report.raters.with_judge", stat=stat) for stat in stats]
    head += [say("report.raters.with_others", stat=stat) for stat in stats]
    named = list(zip(found.names, found.judge, found.ceiling.raters, strict=True))
    rows = [
        [
            name or say("report.raters.no_name"),
            f"{alone.n:,}",
            plain(alone.spearman),
            plain(alone.kappa),
            plain(rest.spearman),
            plain(rest.kappa),
        ]
        for name, alone, rest in named[:_MOST]
    ]
    return Table(head, rows)
