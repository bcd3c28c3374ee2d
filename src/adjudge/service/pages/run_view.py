"""What the page of a run shows: settings, progress, findings, confidence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, wait
from dataclasses import replace
from datetime import UTC, datetime
from statistics import fmean

import numpy as np

from adjudge.analysis.browsing import ItemRow, Query, RunIndex
from adjudge.analysis.cascade import is_cascade, stages_of
from adjudge.analysis.comparison import StoredRun
from adjudge.analysis.ranking import usual_columns
from adjudge.analysis.scores.grader import Grader
from adjudge.analysis.scores.reader import judges_of
from adjudge.core.judge import Judge
from adjudge.core.reason import Reason, reason_of
from adjudge.core.scale import Binary, value_range
from adjudge.core.score import UNANSWERED, Outcome
from adjudge.errors import UsageError
from adjudge.reports.blocks import Block, Lines, Plot, Section, Table, cut
from adjudge.reports.findings.cascade import cascade
from adjudge.reports.findings.gathering import IN_BRIEF, Combined, SinceLast, combine
from adjudge.reports.findings.overview import combined, costs, rules, scores
from adjudge.reports.words import Words
from adjudge.running import tally_of
from adjudge.service.state import Service
from adjudge.stores import EntryFilter, RunRecord, Store, previous_run
from adjudge.strings import Strings
from adjudge.strings.numerals import in_language

from .filters import seconds_between

_LONGEST = 120  # characters of a value


def setting_name(name: str, say: Strings) -> str:
    """What people call it; one that is not known is called by itself."""
    key = f"run.setting.{name}"
    return say(key) if key in say else name


def settings_of(record: RunRecord, say: Strings) -> list[tuple[str, str]]:
    """Names and values, without those that were not set."""
    settings = record.manifest.settings.items()
    return [
        (setting_name(name, say), setting_value(name, value, say))
        for name, value in settings
        if value not in (None, "", {}, [])
    ]


def setting_value(name: str, value: object, say: Strings) -> str:
    """Long ones are cut."""
    if name == "cascade" and isinstance(value, Mapping):
        words = "; ".join(_promise(value, say))
    elif name == "stop" and value == "stable":
        words = say("run.setting.stop_stable")
    elif name == "keep_texts" and value == "no":
        words = say("common.no")
    elif isinstance(value, bool):
        words = say("common.yes" if value else "common.no")
    elif isinstance(value, float):
        words = in_language(str(value), say.language)
    elif isinstance(value, list | tuple):
        words = ", ".join(map(str, value))
        if name == "answered_by":  # models, each at an address
            words = words.replace(" at ", " · ")
    else:
        words = str(value)
    return cut(words, _LONGEST)


def _promise(promise: Mapping[str, object], say: Strings) -> Iterator[str]:
    agree, delta, within = (promise.get(name) for name in ("agree", "delta", "within"))
    if isinstance(agree, float | int) and isinstance(delta, float | int):
        yield say("run.setting.promise", agree=f"{agree:.0%}", delta=f"{delta:.0%}")
    if within is not None:
        yield say("run.setting.within", within=within)


def run_seconds(record: RunRecord) -> float | None:
    """Seconds until it ended, or until now while it runs."""
    now = datetime.now(UTC).isoformat() if record.state == "running" else None
    return seconds_between(record.started, record.ended or now)


def scores_of(index: RunIndex, words: Words) -> list[Block]:
    """What `adjudge report` says of a run's scores."""
    samples = any(grader.repeats > 1 for grader in index.graders)
    return [*scores(index.overview(), words, samples=samples)]


def sections_of(index: RunIndex, store: Store, words: Words) -> dict[str, Section]:
    """The sections that every run has, by name; nothing before its first verdict."""
    blocks = [*scores_of(index, words), *rules(index.overview(), index.judges, words)]
    blocks += [costs(index.overview(), words), *_cascade(index, store, words)]
    return {block.name: block for block in blocks if isinstance(block, Section)}


def _cascade(index: RunIndex, store: Store, words: Words) -> Iterator[Section]:
    if not is_cascade(index.record):
        return
    stages = stages_of(index.record, store)
    if stages:
        yield _with_command(cascade(stages, index.items, words), index, words)
    else:
        lines = Lines([words("run.cascade.not_ended")])
        yield Section(words("report.cascade.heading"), [lines], "cascade")


def _with_command(section: Section, index: RunIndex, words: Words) -> Section:
    """Beside what the command of the section's name shows more of."""
    command = {"ranking": "rank"}.get(section.name, section.name)
    line = f"{words('run.in_full')} adjudge {command} {index.record.id}"
    return replace(section, blocks=[*section.blocks, Lines([line])])


def last_of(service: Service, record: RunRecord) -> SinceLast | None:
    """The run before it of the same judges and data, with what changed as soon as that is worked
    out; while the run goes on, that is not asked."""
    previous = previous_run(record, service.store.runs.all())
    if previous is None or record.state == "running":
        return None
    judges = judges_of(previous)
    working = service.comparisons.of(previous, record, IN_BRIEF)
    wait([working], _AT_ONCE)
    if not working.done():
        return SinceLast(previous, judges)
    try:
        return SinceLast(previous, judges, working.result())
    except UsageError as error:
        return SinceLast(previous, judges, why=reason_of(error))


def combined_of(service: Service, index: RunIndex) -> Future[Combined]:
    """What several verdicts on an item come to, as soon as it is worked out."""
    source = StoredRun(index.record, service.store)
    return service.combined.of((index.record.id, index.mark), lambda: combine(source, index))


def combined_sections(index: RunIndex, findings: Combined, words: Words) -> Iterator[Section]:
    for section in combined(findings, words.about(index.judges)):
        yield section if section.name == "repeats" else _with_command(section, index, words)


def slice_blocks(section: Section, column: str, criterion: str | None) -> list[Block]:
    """A section of slices with a row per value, and of its plots that of the criterion, or the
    first."""
    table, *drawings = section.blocks
    if not isinstance(table, Table):
        return [table]
    (_, *head), *rows = zip(table.head, *table.rows, strict=True)
    chosen = [
        plot
        for plot in drawings
        if isinstance(plot, Plot) and plot.fields["criterion"] == criterion
    ]
    return [*(chosen or drawings)[:1], Table([column, *head], rows)]


def tells_confidence(index: RunIndex) -> bool:
    """Whether any score of the run has one."""
    return any(
        np.isfinite(samples.confidence).any()
        for grader in index.graders
        for samples in grader.samples.values()
    )


def confidence_of(row: ItemRow, query: Query) -> float | None:
    """What items are sorted by: the mean over the scores that the query is about, on 0-1; None
    where none of them tells it."""
    known = [
        cell.confidence
        for verdict in row.cells
        for name, cell in verdict.scores.items()
        if query.judge in {None, verdict.judge}
        and query.model in {None, verdict.model}
        and query.criterion in {None, name}
        and cell.confidence is not None
    ]
    return fmean(known) if known else None


def scale_end(words: Words, grader: Grader, name: str) -> str:
    """The end of a criterion's scale, beside its title: / 10; "" of yes and no, names and
    likelihoods."""
    scored = grader.scored(name)
    ends = None if isinstance(scored.scale, Binary) else value_range(scored.scale)
    return f"/ {words.number(ends[1], 'g')}" if ends and scored.on_scale else ""


def systems_in(columns: Mapping[str, object], judges: Iterable[Judge]) -> dict[str, str]:
    """Which system each input of a pair is by, and each value that says who wins, by the columns of
    an item that name the two."""
    named = [str(columns[column]) for column in usual_columns(columns) or ()]
    pairs = [judge.pair for judge in judges if judge.pair]
    return {
        name: system
        for pair in pairs
        for names in (pair.inputs, pair.values)
        for name, system in zip(names, named, strict=False)
    }


_AT_ONCE = 0.05  # seconds that a page waits for what changed since the run before
_LOOKED_AT = 200  # verdicts without an answer whose cause is counted


def shown_state(service: Service, record: RunRecord) -> str:
    """Of a finished run, whether it has its answers: `unanswered` where some are missing,
    `no_answers` where all are."""
    state = service.state_of(record)
    if state != "finished":
        return state
    counts = service.store.runs.progress(record.id)
    missing = sum(counts.outcomes.get(name, 0) for name in UNANSWERED)
    return state if not missing else "unanswered" if missing < counts.verdicts else "no_answers"


def unanswered_in(service: Service, record: RunRecord) -> Reason | None:
    """How many verdicts a provider failed, with the commonest cause; None without any."""
    counts = service.store.runs.progress(record.id)
    failed = counts.outcomes.get(Outcome.PROVIDER_ERROR, 0)
    if not failed:
        return None
    wanted = EntryFilter(outcome=Outcome.PROVIDER_ERROR.value, limit=_LOOKED_AT)
    looked_at = [entry.verdict for entry in service.store.verdicts.page(record.id, wanted)]
    causes = tally_of(record.id, looked_at).failures.most_common(1)
    code = "run.no_answers" if failed == counts.verdicts else "run.unanswered"
    says = Reason(code, failed=failed)
    for why, count in causes:
        return Reason("run.commonest", says=says, count=count, failed=len(looked_at), why=why)
    return says
