"""Findings → the parts of a report, in order."""

from __future__ import annotations

from collections.abc import Iterator

from ..page import Heading, Lines
from ..strings import Strings
from .blocks import Part, Tongue
from .findings import Findings, RunFindings
from .sections.cascade import cascade
from .sections.compared import compared
from .sections.costs import costs
from .sections.judged import judged
from .sections.lowest import lowest
from .sections.people import people
from .sections.probes import probes
from .sections.rules import rules
from .sections.scores import scores
from .sections.several import panel, ranking, repeats
from .sections.slices import slices

_CONFIDENCE = "95%"


def title_of(findings: Findings, say: Strings) -> str:
    first, *others = (run.record.id for run in findings.runs)
    if others:
        return say("report.title_compared", a=first, b=others[0])
    return say("report.title", run=first)


def report_parts(findings: Findings, say: Strings) -> Iterator[Part]:
    """The title, what was judged, what changed where there are two runs, then each run."""
    yield Heading(title_of(findings, say), 1)
    yield Lines([say("report.interval", confidence=_CONFIDENCE)])
    yield from judged(findings.runs, Tongue(say))
    if findings.comparison is not None:
        yield from compared(findings.comparison, findings.runs[0], Tongue(say))
    if len(findings.runs) == 1:
        yield from _run(findings.runs[0], Tongue(say))
        return
    for letter, run in zip("AB", findings.runs, strict=True):
        yield Heading(say("report.run_heading", letter=letter, run=run.record.id))
        yield from _run(run, Tongue(say, 3))


def _run(run: RunFindings, tongue: Tongue) -> Iterator[Part]:
    yield from scores(run, tongue)
    yield from slices(run, tongue)
    yield from rules(run, tongue)
    yield from costs(run, tongue)
    yield from cascade(run, tongue)
    yield from repeats(run, tongue)
    yield from panel(run, tongue)
    yield from ranking(run, tongue)
    yield from people(run, tongue)
    yield from probes(run, tongue)
    yield from lowest(run, tongue)
