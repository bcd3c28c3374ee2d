"""The judge beside people: how far it agrees, what its means are worth, and what to do next."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from adjudge.analysis.calibration import GraderCalibration

from ...figures import percent, plain, signed
from ...page import Heading, Lines, Table
from ...reasons import reason
from ...strings import Strings
from ...trust_words import trust_words
from ..blocks import Part, Plot, Tongue
from ..charts import agreement_chart, confusion_chart, corrected_chart, scatter_chart
from ..findings import RunFindings


def people(run: RunFindings, tongue: Tongue) -> Iterator[Part]:
    """A part for each judge and model that people labelled items for; else how to get labels."""
    say = tongue.say
    yield Heading(say("report.people.heading"), tongue.level)
    yield Lines([f"{name}: {why}" for name, why in run.not_calibrated.items()], "en")
    if not run.calibrations:
        yield Lines([say("report.people.none", run=run.record.id)])
    for found in run.calibrations:
        for part in found.graders:
            yield from _grader(run.record.id, part, tongue)


def _grader(run_id: str, part: GraderCalibration, tongue: Tongue) -> Iterator[Part]:
    say = tongue.say
    grader = say("report.grader", judge=part.grader.judge.name, model=part.grader.model)
    yield Heading(grader, tongue.level + 1)
    yield _agreement(part, say)
    yield Plot(partial(agreement_chart, say, part))
    for name in part.criteria:
        yield Plot(partial(confusion_chart, say, part, name))
        yield Plot(partial(scatter_chart, say, part, name))
    yield from _means(part, tongue)
    yield Heading(say("report.people.use", grader=grader), tongue.level + 1)
    yield Lines(trust_words(run_id, part, say))


def _agreement(part: GraderCalibration, say: Strings) -> Table:
    names = ("labels", "spearman", "kappa", "exact", "bias", "unscored")
    rows = [
        [
            part.grader.judge.rubric.title(each.name),
            f"{each.n:,}",
            plain(each.spearman),
            plain(each.kappa),
            percent(each.exact),
            signed(each.bias),
            say("report.of", a=each.unscored, b=each.items) if each.unscored else "0",
        ]
        for each in part.criteria.values()
    ]
    head = [say("report.scores.criterion"), *(say(f"report.people.{name}") for name in names)]
    return Table(head, rows)


def _means(part: GraderCalibration, tongue: Tongue) -> Iterator[Part]:
    say = tongue.say
    ordered = [each for each in part.criteria.values() if each.means.raw.value is not None]
    if not ordered:
        return
    yield Heading(say("report.people.means"), tongue.level + 1)
    names = ("raw", "corrected", "alone")
    rows, whys = [], []
    for each in ordered:
        corrected, title = each.means.corrected, part.grader.judge.rubric.title(each.name)
        cells = [plain(each.means.raw), plain(corrected.stat), plain(corrected.classical)]
        rows.append([title, *cells])
        if corrected.stat.value is None and corrected.stat.why:
            whys.append(f"{title}: {reason(say, corrected.stat.why)}.")
    head = [say("report.scores.criterion"), *(say(f"report.people.{name}") for name in names)]
    yield Table(head, rows)
    yield Lines(whys)
    yield Plot(partial(corrected_chart, say, part))
