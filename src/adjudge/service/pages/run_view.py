"""What the page of a run is asked, and what it shows: settings, progress, findings, confidence.

The whole question stands in the address, so that it can be shared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from dataclasses import replace
from datetime import UTC, datetime
from math import isfinite, nan
from statistics import fmean
from typing import Any, cast
from urllib.parse import urlencode

import numpy as np

from adjudge.analysis.browsing import ItemRow, Query, RunIndex, Sort
from adjudge.analysis.cascade import is_cascade, stages_of
from adjudge.analysis.comparison import StoredRun
from adjudge.analysis.scores.grader import Grader
from adjudge.core.reason import Reason
from adjudge.core.scale import Binary, value_range
from adjudge.core.score import UNANSWERED, Outcome
from adjudge.errors import UsageError
from adjudge.reports.blocks import Block, Lines, Plot, Section, Table, cut
from adjudge.reports.findings.cascade import cascade
from adjudge.reports.findings.gathering import Combined, combine
from adjudge.reports.findings.overview import combined, costs, rules, scores
from adjudge.reports.words import Words
from adjudge.running import tally_of
from adjudge.service.state import Service
from adjudge.stores import EntryFilter, RunRecord, Store
from adjudge.strings import Strings

from .filters import seconds_between
from .rendering import whole_number

# By the names that the fields of a query have.
_TEXTS = ("search", "judge", "model", "criterion", "value", "outcome", "rule")
_NUMBERS = ("low", "high", "disagreement")
_COUNTS = ("page", "size")
_SCORES = ("low", "high", "value")  # on the scale of the criterion


def query_of(params: Mapping[str, str]) -> Query:
    """UsageError names a number that is none; unknown names are told by the index.

    `scores_of` is the criterion that a form had its fields of scores for: where another one was
    chosen in it, they are left aside.
    """
    if params.get("scores_of", params.get("criterion", "")) != params.get("criterion", ""):
        params = _without_scores(params)
    fields: dict[str, Any] = {name: params[name] for name in _TEXTS if params.get(name)}
    for name in _NUMBERS:
        if params.get(name, "").strip():
            fields[name] = _number(name, params[name])
    for name in _COUNTS:
        if params.get(name):
            fields[name] = _whole(name, params[name])
    if params.get("sort"):
        fields["sort"] = cast(Sort, params["sort"])
    return Query(**fields, down=params.get("down") == "1")


def address(query: Query, **changes: Any) -> str:
    """The parameters that ask the changed query; on its first page, unless another is named.

    The scores asked for are those of a criterion: another one begins without.
    """
    other = changes.get("criterion", query.criterion) != query.criterion
    left: dict[str, Any] = dict.fromkeys(_SCORES) if other else {}
    changed = replace(query, **left | {"page": 1} | changes)
    usual = Query()
    params: dict[str, object] = {}
    for name in (*_TEXTS, *_NUMBERS, *_COUNTS, "sort"):
        value = getattr(changed, name)
        if value != getattr(usual, name):
            params[name] = f"{value:g}" if isinstance(value, float) else value
    if changed.down:
        params["down"] = 1
    return urlencode(params)


def _without_scores(params: Mapping[str, str]) -> Mapping[str, str]:
    """Nor sorted by them, where all criteria were chosen: there is no score to sort by."""
    left = {name: text for name, text in params.items() if name not in _SCORES}
    if left.get("sort") == "score" and not left.get("criterion"):
        return {name: text for name, text in left.items() if name not in ("sort", "down")}
    return left


def _number(name: str, text: str) -> float:
    try:
        number = float(text.strip().replace(",", "."))
    except ValueError:
        number = nan
    if not isfinite(number):
        raise UsageError(Reason("form.number").at_parameter(name, text))
    return number


def _whole(name: str, text: str) -> int:
    number = whole_number(text)
    if number is None:
        raise UsageError(Reason("form.whole").at_parameter(name, text))
    return number


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
    elif isinstance(value, list | tuple):
        words = ", ".join(map(str, value))
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


def scale_end(grader: Grader, name: str) -> str:
    """The end of a criterion's scale, beside its title: / 10; "" of yes and no, names and
    likelihoods."""
    scored = grader.scored(name)
    ends = None if isinstance(scored.scale, Binary) else value_range(scored.scale)
    return f"/ {ends[1]:g}" if ends and scored.on_scale else ""


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
