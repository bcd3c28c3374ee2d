"""Part of a calibration: people among each other, and whether the judge may stand in for one."""

from __future__ import annotations

from collections.abc import Iterator

from adjudge.analysis.calibration import Raters
from adjudge.stats.bootstrap import FEWEST

from ..blocks import Block, Lines, Table
from ..encode import Shapes, fields
from ..words import Words

_MOST_RATERS = 50


def raters(people: Raters, words: Words, *, fit: bool) -> Iterator[Block]:
    """People among each other, and whether the judge may stand in for one of them; where not, that
    this does not speak against a judge that is `fit` for use."""
    pairwise, others = people.ceiling.pairwise, people.ceiling.leave_one_out
    ceiling = words(
        "report.raters.ceiling",
        raters=len(people.names),
        items=words.count(people.items),
        pairwise=words.plain(pairwise["spearman"]),
        kappa=words.plain(pairwise["kappa"]),
        others=words.plain(others["spearman"]),
        alpha=words.plain(people.alpha),
    )
    strays = [name or words("report.raters.no_name") for name in people.strays]
    left_out = words("report.raters.strays", names=", ".join(strays), fewest=FEWEST)
    yield Lines([ceiling, *[left_out] * bool(strays), *_stands_in(people, words, fit=fit)])
    stats = words.all("report.people", "spearman", "kappa")
    head = words.all("report.raters", "rater", "labels")
    for beside in ("with_judge", "with_others"):
        head += [words(f"report.raters.{beside}", stat=stat) for stat in stats]
    rows = []
    for name, alone, rest in zip(people.names, people.judge, people.ceiling.raters, strict=True):
        figures = map(words.plain, (alone.spearman, alone.kappa, rest.spearman, rest.kappa))
        rows.append([name or words("report.raters.no_name"), words.count(alone.n), *figures])
    yield Table(head, rows[:_MOST_RATERS])
    if len(rows) > _MOST_RATERS:
        yield Lines([words("report.raters.more", count=len(rows) - _MOST_RATERS)])


def _stands_in(people: Raters, words: Words, *, fit: bool) -> Iterator[str]:
    test = people.stands_in
    if test.passed is None:
        yield words("report.raters.untested", why=words.reason(test.why))
        return
    margin, rate = words.number(people.epsilon, "g"), test.winning_rate.value
    if not rate:
        yield words("report.raters.for_none", margin=margin)
    else:
        kind = "stands_in" if test.passed else "not_stands_in"
        yield words(f"report.raters.{kind}", rate=words.number(rate, ".0%"), margin=margin)
    if fit and not test.passed:
        yield words("report.raters.both_hold")


def _rated(people: Raters) -> dict[str, object]:
    """Each rater beside the judge and beside the others."""
    rows = zip(
        people.names, people.judge, people.ceiling.raters, people.stands_in.raters, strict=True
    )
    return {
        name: {"n": alone.n, "judge": alone, "others": others}
        | {key: getattr(test, key) for key in ("judge_wins", "rater_wins", "p", "won")}
        for name, alone, others, test in rows
    }


SHAPES: Shapes = {
    Raters: {
        **fields("items", "alpha", left_out="strays", pairwise="ceiling.pairwise"),
        "leave_one_out": "ceiling.leave_one_out",
        "raters": _rated,
        "alternative_annotator_test": {
            "passed": "stands_in.passed",
            "epsilon": "epsilon",
            "winning_rate": "stands_in.winning_rate",
            "advantage": "stands_in.advantage",
            "why": "stands_in.why",
        },
    },
}
