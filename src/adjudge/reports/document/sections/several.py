"""What a run with several samples, several judges or models, or pairs of systems tells besides."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from adjudge.analysis.ranking import Part as RankedPart
from adjudge.analysis.ranking import Standing

from ...figures import number, percent, plain, signed
from ...page import Heading, Lines, Table
from ...strings import Strings
from ..blocks import Part, Plot, Tongue
from ..charts import ranking_chart
from ..findings import RunFindings
from .divided import divided


def repeats(run: RunFindings, tongue: Tongue) -> Iterator[Part]:
    """How far samples of the same item lie apart."""
    say, found = tongue.say, run.repeats
    if found is None:
        return
    several = len({(each.judge, each.model) for each in found.criteria}) > 1
    names = ("items", "flipping", "flip_rate", "sd")
    head = [say("report.judged.model")] if several else []
    head += [say("report.scores.criterion"), *(say(f"report.repeats.{name}") for name in names)]
    rows = []
    for each in found.criteria:
        rate = say("report.dash") if each.flip_rate is None else f"{each.flip_rate:.1%}"
        name = run.title(each.judge, each.criterion)
        row = [name, f"{each.items:,}", f"{each.flipping:,}", rate, number(each.sd)]
        rows.append([each.model, *row] if several else row)
    yield Heading(say("report.repeats.heading"), tongue.level)
    yield Table(head, rows)


def panel(run: RunFindings, tongue: Tongue) -> Iterator[Part]:
    """The verdicts of several judges or models made one."""
    say, found = tongue.say, run.panel
    if found is None:
        return
    names = ("how", "members", "scored", "mean", "alpha")
    rows = [
        [
            run.title(each.members[0].judge, each.name),
            say(f"report.panel.by.{each.how}"),
            str(len(each.members)),
            f"{int(np.isfinite(each.values).sum()):,}",
            plain(each.mean),
            plain(each.alpha),
        ]
        for each in found.criteria.values()
    ]
    yield Heading(say("report.panel.heading"), tongue.level)
    yield Table(
        [say("report.scores.criterion"), *(say(f"report.panel.{name}") for name in names)], rows
    )
    yield from divided(run, found, tongue)


def ranking(run: RunFindings, tongue: Tongue) -> Iterator[Part]:
    """The systems in order of strength."""
    say, found = tongue.say, run.ranking
    if found is None:
        return
    yield Heading(say("report.ranking.heading"), tongue.level)
    for part in found.parts:
        called = partial(run.title, part.judge)
        yield Lines([_counted(part, called(part.criterion), say)])
        yield _standings(part, say)
        yield Plot(partial(ranking_chart, say, part, called))
        yield Lines([*part.cautions, *part.ranked.cautions], "en")


def _counted(part: RankedPart, title: str, say: Strings) -> str:
    told = part.ranked
    return say(
        "report.ranking.counted",
        criterion=f"{title} ({say('report.grader', judge=part.judge, model=part.model)})",
        comparisons=told.comparisons,
        questions=told.questions,
        ties=told.ties,
        unscored=told.unscored,
    )


def _standings(part: RankedPart, say: Strings) -> Table:
    names = ("place", "system", "strength", "win_rate", "comparisons", "unscored")
    rows = [
        [
            _place(each),
            each.system,
            signed(each.strength),
            percent(each.win_rate),
            f"{each.n:,}",
            f"{each.unscored:,}",
        ]
        for each in part.ranked.standings
    ]
    return Table([say(f"report.ranking.{name}") for name in names], rows)


def _place(each: Standing) -> str:
    return str(each.best) if each.best == each.worst else f"{each.best}–{each.worst}"
