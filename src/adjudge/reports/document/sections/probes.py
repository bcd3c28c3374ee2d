"""How the judge stands up to tricks: what probing it found out."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from adjudge.analysis.probing.findings import Finding, Probed

from ...page import Heading, Lines, Table
from ...probe_words import effect, limit, limits_line, probe_words, who
from ...reasons import reason
from ...strings import Strings
from ..blocks import Part, Plot, Tongue
from ..charts import probes_chart
from ..findings import KeptProbed, RunFindings
from .judged import moment

_FIGURES = ("effect", "limit", "pairs", "unscored", "rating")


def probes(run: RunFindings, tongue: Tongue) -> Iterator[Part]:
    """A part for each time that judges of the run were probed, and who never was."""
    say = tongue.say
    yield Heading(say("report.probes.heading"), tongue.level)
    yield Lines([say("report.probes.told")])
    for each in run.probed:
        yield from _probed(run, each, tongue)
    names = [say("report.grader", judge=judge, model=model) for judge, model in run.not_probed]
    if names:
        yield Lines([say("report.probes.none", names=", ".join(names))])


def _probed(run: RunFindings, kept: KeptProbed, tongue: Tongue) -> Iterator[Part]:
    say, found = tongue.say, kept.found
    models = ", ".join(found.models)
    yield Heading(say("report.grader", judge=found.judge, model=models), tongue.level + 1)
    yield Lines(list(_circumstances(run, kept, say)))
    yield Lines(probe_words(found, say))
    yield _table(run, found, say)
    yield Lines([limits_line(say, found), *_notes(found, say)])
    yield Plot(partial(probes_chart, say, found))
    head = [say(f"report.probes.{name}") for name in ("not_run", "why")]
    yield Table(head, [[name, reason(say, why)] for name, why in found.not_run.items()])


def _circumstances(run: RunFindings, kept: KeptProbed, say: Strings) -> Iterator[str]:
    found = kept.found
    source, when = reason(say, found.source), moment(kept.created)
    yield say("report.probes.probed", items=found.items, source=source, when=when)
    if found.fingerprint != run.record.manifest.judges[found.judge]:
        yield say("report.probes.changed")


def _table(run: RunFindings, found: Probed, say: Strings) -> Table:
    """A row for each probe and model, of several criteria the one that decides."""
    models = len(found.models) > 1
    criteria = len({each.criterion for each in found.findings}) > 1
    head = [say("report.probes.probe"), *([say("report.judged.model")] if models else [])]
    head += [say("report.probes.does"), *([say("report.scores.criterion")] if criteria else [])]
    head += [say(f"report.probes.{name}") for name in _FIGURES]
    rows = []
    for each in found.deciding():
        row = [each.probe, *([each.model] if models else []), say(f"probe.does.{each.probe}")]
        row += [run.title(found.judge, each.criterion)] if criteria else []
        rows.append([*row, *_figures(each, say)])
    return Table(head, rows)


def _figures(each: Finding, say: Strings) -> list[str]:
    rating = say(f"probe.rating.{each.rating}")
    return [effect(say, each), limit(each), f"{each.n:,}", f"{each.unscored:,}", rating]


def _notes(found: Probed, say: Strings) -> Iterator[str]:
    for each in found.deciding():
        if each.note:
            yield f"{who(say, found, each)}: {reason(say, each.note)}."
