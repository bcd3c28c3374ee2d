"""The report on a run, or on two: put together, and written as HTML or Markdown."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

from adjudge.core.reason import Reason
from adjudge.errors import UsageError
from adjudge.strings import LANGUAGES, Strings, strings_for

from .blocks import Block, Heading, Lines, Section
from .files import check_path
from .files.whole_file import write_text
from .findings.calibration import calibration
from .findings.cascade import cascade
from .findings.comparison import compared
from .findings.disagreements import disagreements
from .findings.gathering import Findings, ReportOptions, RunFindings, gather, with_questions
from .findings.items import WorstItems, worst_items
from .findings.opening import opening, run_name
from .findings.overview import combined, costs, judged, moment, rules, scores, slices
from .findings.probes import probes
from .findings.spread import overlays
from .renderers import html, markdown
from .words import Words

__all__ = [
    "Findings",
    "ReportOptions",
    "as_html",
    "as_markdown",
    "check_report_path",
    "gather",
    "report_strings",
    "with_questions",
    "write_report",
]

ENDINGS = (".html", ".md")
_CONFIDENCE = "95%"
_WORST = 5  # items per criterion where judge and people differ


def as_html(findings: Findings, say: Strings) -> str:
    """One file with plots."""
    title = _title(findings, say)
    return html.as_html(title, _report(findings, Words(say)), say)


def as_markdown(findings: Findings, say: Strings) -> str:
    """The same without the plots, whose figures stand in its tables."""
    return html.visible(markdown.as_markdown(_report(findings, Words(say))))


def check_report_path(path: Path) -> None:
    """UsageError when no report could be written there."""
    check_path(path, ENDINGS, Reason("output.report", endings=ENDINGS))


def report_strings(language: str) -> Strings:
    """UsageError for a language that reports are not written in."""
    if language not in LANGUAGES:
        raise UsageError(Reason("run.language", language=language, known=tuple(LANGUAGES)))
    return strings_for(language)


def write_report(path: Path, findings: Findings, say: Strings) -> None:
    """The ending picks the form; the file appears as a whole or not at all."""
    check_report_path(path)
    form = as_html if path.suffix.casefold() == ".html" else as_markdown
    write_text(path, form(findings, say))


def _title(findings: Findings, say: Strings) -> str:
    first, *others = (run_name(run.record, run.judges, Words(say)) for run in findings.runs)
    if [first] == others:  # of the same minute
        first, *others = (run.record.title for run in findings.runs)
    return say("report.title_compared", a=first, b=others[0]) if others else first


def _report(findings: Findings, words: Words) -> Iterator[Block]:
    """The title, what came out or, of two runs, what changed, what was judged, then each run."""
    yield Heading(_title(findings, words.say), 1)
    for run in findings.runs if len(findings.runs) == 1 else ():
        yield from opening(run.opening, words.about(run.judges))
    yield Lines([words("report.interval", confidence=_CONFIDENCE)])
    if findings.comparison is not None:
        blocks: list[Block] = []
        for section in findings.comparison.sections:
            blocks += compared(section, words.about(findings.runs[0].judges))
        yield Section(words("report.compared.heading"), blocks)
    yield judged(findings.runs, words)
    if len(findings.runs) == 1:
        yield from _run(findings.runs[0], words)
        return
    named = dict(zip("AB", findings.runs, strict=True))
    together = overlays({letter: run.overview for letter, run in named.items()}, words)
    if together is not None:
        yield together
    for letter, run in named.items():
        name = run_name(run.record, run.judges, words)
        heading = words("report.run_heading", letter=letter, run=name)
        yield Section(heading, [*_run(run, words, spread=together is None)])


def _run(run: RunFindings, words: Words, *, spread: bool = True) -> Iterator[Block]:
    words = words.about(run.judges)
    samples = run.combined.repeats is not None
    yield from scores(run.overview, words, samples=samples, spread=spread)
    for column in run.slices:
        yield slices(column, run.overview, words)
    yield from rules(run.overview, run.judges, words)
    if len(run.overview.graders) > 1:  # of one it is said at the top
        yield costs(run.overview, words)
    if run.stages and run.overview.items:
        yield cascade(run.stages, run.overview.items, words)
    yield from combined(run.combined, words)
    yield _people(run, words)
    yield _probes(run, words)
    yield from worst_items(WorstItems(run.judges, run.lowest, run.unscored), words)


def _people(run: RunFindings, words: Words) -> Section:
    """The judges and models that people labelled items for; else how to get labels."""
    lines = [f"{name}: {why}" for name, why in run.not_calibrated.items()]
    blocks: list[Block] = [Lines(lines, "en")]
    if not run.calibrations:
        blocks.append(Lines([words("report.people.none", run=shlex.quote(run.record.title))]))
    for calibrated in run.calibrations:
        blocks += calibration(calibrated, words)
    for differences in run.disagreements:
        blocks += disagreements(differences, words, most=_WORST)
    return Section(words("report.people.heading"), blocks)


def _probes(run: RunFindings, words: Words) -> Section:
    """Each time that judges of the run were probed, and who never was."""
    blocks: list[Block] = [Lines([words("report.probes.told")])]
    for kept in run.probed:
        probed = kept.probed
        changed = probed.fingerprint != run.record.manifest.judges[probed.judge]
        blocks.append(probes(probed, words, when=moment(kept.created), changed=changed))
    names = [words.grader(judge, model) for judge, model in run.not_probed]
    if names:
        judge, model = map(shlex.quote, run.not_probed[0])
        command = f"adjudge probe --judge {judge} --model {model}"
        blocks.append(Lines([words("report.probes.none", names=", ".join(names), command=command)]))
    return Section(words("report.probes.heading"), blocks)
