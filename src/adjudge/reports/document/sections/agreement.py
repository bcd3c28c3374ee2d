"""How far a judge agrees with people, in figures, and what they leave out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from adjudge.analysis.calibration import CriterionCalibration, GraderCalibration
from adjudge.stats.stat import Stat

from ...figures import percent, plain, signed
from ...page import Lines, Table
from ...reasons import reason
from ...strings import Strings
from ..blocks import Part

_Shown = Callable[[Stat], str]
_ORDERS = ("spearman", "pearson", "kendall", "kappa")
_DISTANCES: dict[str, _Shown] = {
    "exact": percent,
    "adjacent": percent,
    "bias": signed,
    "mae": plain,
}
_LEVELS = ("nominal", "ordinal", "interval")


def agreement(part: GraderCalibration, say: Strings) -> Iterator[Part]:
    """A row a figure, a column a criterion: there are more figures than criteria."""
    criteria = list(part.criteria.values())
    titles = [part.grader.judge.rubric.title(each.name) for each in criteria]
    levels = [level for level in _LEVELS if any(level in each.alphas for each in criteria)]
    rows = {
        say("report.people.compared"): [f"{each.n:,}" for each in criteria],
        **{_named(name, say): _figures(criteria, name, plain) for name in _ORDERS},
        **{_alpha(level, say): _alphas(criteria, level) for level in levels},
        **{_named(name, say): _figures(criteria, name, how) for name, how in _DISTANCES.items()},
        say("report.people.unscored"): [_unscored(each, say) for each in criteria],
    }
    yield Table(
        [say("report.people.figure"), *titles], [[name, *told] for name, told in rows.items()]
    )
    yield Lines(list(_left_out(part, say)))


def _named(name: str, say: Strings) -> str:
    return say(f"report.people.{name}")


def _alpha(level: str, say: Strings) -> str:
    return say("report.people.alpha", level=say(f"report.people.level.{level}"))


def _figures(criteria: Sequence[CriterionCalibration], name: str, shown: _Shown) -> list[str]:
    return [shown(getattr(each, name)) for each in criteria]


def _alphas(criteria: Sequence[CriterionCalibration], level: str) -> list[str]:
    return [plain(each.alphas.get(level, Stat(None))) for each in criteria]


def _unscored(each: CriterionCalibration, say: Strings) -> str:
    return say("report.of", a=each.unscored, b=each.items) if each.unscored else "0"


def _left_out(part: GraderCalibration, say: Strings) -> Iterator[str]:
    """What was not compared, and why figures or intervals are missing."""
    called = part.grader.judge.rubric.title
    if part.elsewhere:
        yield say("report.people.elsewhere", count=part.elsewhere)
    if part.unlabelled:
        yield say("report.people.unlabelled", names=", ".join(map(called, part.unlabelled)))
    for each in part.criteria.values():
        for kind in ("lost", "split"):
            if count := getattr(each, kind):
                yield say(f"report.people.{kind}", criterion=called(each.name), count=count)
        whys = "; ".join(dict.fromkeys(_whys(each, say)))
        if whys:
            yield say("report.people.missing", criterion=called(each.name), why=whys)


def _whys(each: CriterionCalibration, say: Strings) -> Iterator[str]:
    for stat in (*(getattr(each, n) for n in (*_ORDERS, *_DISTANCES)), *each.alphas.values()):
        if stat.why:
            yield reason(say, stat.why.removeprefix("no interval: "))
