"""The judge beside people: how far it agrees, what its means are worth, and what to do next."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from adjudge.analysis.calibration import GraderCalibration
from adjudge.analysis.corrected import Means

from ...figures import plain, worst_best
from ...page import Heading, Lines, Table
from ...reasons import reason
from ...strings import Strings
from ...trust_words import trust_words
from ..blocks import Part, Plot, Tongue
from ..charts import agreement_chart, corrected_chart
from ..findings import RunFindings
from .agreement import agreement
from .beside import beside


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
    yield from agreement(part, say)
    yield Plot(partial(agreement_chart, say, part))
    yield from _means(part, tongue)
    for name in part.criteria:
        yield from beside(part, name, Tongue(say, tongue.level + 1))
    yield Heading(say("report.people.use", grader=grader), tongue.level + 1)
    yield Lines(trust_words(run_id, part, say))


def _means(part: GraderCalibration, tongue: Tongue) -> Iterator[Part]:
    say = tongue.say
    ordered = [each for each in part.criteria.values() if each.means.raw.value is not None]
    if not ordered:
        return
    yield Heading(say("report.people.means"), tongue.level + 1)
    called = part.grader.judge.rubric.title
    names = ("raw", "bounds", "corrected", "alone")
    rows, lines = [], []
    for each in ordered:
        means, title = each.means, called(each.name)
        cells = [
            plain(means.raw),
            worst_best(means.bounds if each.unscored else None),
            plain(means.corrected.stat),
        ]
        rows.append([title, *cells, plain(means.corrected.classical)])
        lines += [f"{title}: {line}." for line in _mean_words(means, say)]
    head = [say("report.scores.criterion"), *(say(f"report.people.{name}") for name in names)]
    yield Table(head, rows)
    yield Lines(lines)
    yield Plot(partial(corrected_chart, say, part))


def _mean_words(means: Means, say: Strings) -> Iterator[str]:
    """Why there is no corrected mean, and what the judge's error rates say of yes and no."""
    corrected, errors = means.corrected.stat, means.by_errors
    if corrected.value is None and corrected.why:
        yield reason(say, corrected.why)
    if errors is not None and errors.stat.value is not None:
        yield say("report.people.by_errors", mean=plain(errors.stat))
