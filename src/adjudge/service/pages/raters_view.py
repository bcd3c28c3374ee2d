"""What the trust page shows of people among each other, and of the judge beside them."""

from __future__ import annotations

from dataclasses import dataclass

from adjudge.analysis.raters import EPSILON, Raters
from adjudge.reports.figures import plain
from adjudge.reports.reasons import reason
from adjudge.reports.strings import Strings

_MOST = 50  # raters in the table


@dataclass(frozen=True, slots=True)
class RaterView:
    name: str
    labels: int
    with_judge: str
    kappa_with_judge: str
    with_others: str
    kappa_with_others: str


@dataclass(frozen=True, slots=True)
class RatersView:
    """`may` is whether the judge may stand in for a rater, None where `why` says that it cannot be
    tested; `rate` is the share of raters that it does no worse than, "" for none."""

    count: int
    items: int
    pairwise: str
    kappa: str
    leave_one_out: str
    alpha: str
    raters: tuple[RaterView, ...]
    more: int
    may: bool | None
    rate: str
    epsilon: str
    why: str


def raters_view(say: Strings, raters: Raters) -> RatersView:
    pairwise, others = raters.ceiling.pairwise, raters.ceiling.leave_one_out
    test = raters.stands_in
    named = zip(raters.names, raters.judge, raters.ceiling.raters, strict=True)
    views = [
        RaterView(
            name,
            alone.n,
            plain(alone.spearman),
            plain(alone.kappa),
            plain(rest.spearman),
            plain(rest.kappa),
        )
        for name, alone, rest in named
    ]
    return RatersView(
        count=len(raters.names),
        items=raters.items,
        pairwise=plain(pairwise["spearman"]),
        kappa=plain(pairwise["kappa"]),
        leave_one_out=plain(others["spearman"]),
        alpha=plain(raters.alpha),
        raters=tuple(views[:_MOST]),
        more=max(0, len(views) - _MOST),
        may=test.passed,
        rate=f"{test.winning_rate.value:.0%}" if test.winning_rate.value else "",
        epsilon=f"{EPSILON:g}",
        why=reason(say, test.why) if test.why else "",
    )
