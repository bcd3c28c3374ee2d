"""Probes a judge: texts and twins are judged by the ordinary runner, then set side by side."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from adjudge.core.reason import Reason, check_one_of, check_share
from adjudge.core.score import SETTLED, Outcome
from adjudge.core.verdict import Verdict
from adjudge.errors import AdjudgeError, UsageError
from adjudge.running import (
    Budget,
    Forecast,
    Host,
    RunOptions,
    Watcher,
    forecast_run,
    judge_rows,
    load_judge,
    load_judges,
)
from adjudge.stores import open_store

from .findings import Probed, ProbeFinding, ProbeLimits, ProbeSession, keep
from .measuring import ProbeMeasurer, ProbeVerdicts, of_twins
from .probes import Probe, chosen
from .sessions import PlannedSession, Twin, turned, twins_of, write_rows
from .subject import LANGUAGES, Subject, of_built_in, of_data
from .unaltered import of_authors, of_contrasts, of_criteria_order, of_order, of_repeats

# Gives a watcher for the next run, which is about what the text says.
Watch = Callable[[str], Watcher]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeOptions:
    """`only` names probes, none means all. `language` is that of the texts, found out by itself.
    `author` is the column that says which model wrote a text. `repeats` counts samples of a text.
    """

    only: tuple[str, ...] = ()
    language: str | None = None
    author: str | None = None
    repeats: int = 3
    limits: ProbeLimits = field(default_factory=ProbeLimits)
    confidence: float = 0.95

    def __post_init__(self) -> None:
        chosen(self.only)
        check_one_of("language", self.language, LANGUAGES)
        if self.repeats < 2:
            raise UsageError(Reason("probes.samples").at_option("samples", self.repeats))
        check_share("confidence", self.confidence, 0.95)


@dataclass(frozen=True, slots=True)
class Probing:
    """Everything that is settled before the first token is paid for."""

    subject: Subject
    probes: tuple[Probe, ...]
    twins: tuple[Twin, ...]
    judge: str  # as the user named it
    run_options: RunOptions
    models: tuple[str, ...]
    options: ProbeOptions

    def cannot(self, probe: Probe) -> Reason | None:
        """Why a probe is not run; None where it is."""
        if why := probe.needs(self.subject):
            return why
        if probe.name == "self-preference" and len(set(self.models)) < 2:
            return Reason("one_model")
        return None

    @contextmanager
    def sessions(self) -> Iterator[list[PlannedSession]]:
        """The runs to be made; their files are there as long as the context is."""
        with tempfile.TemporaryDirectory(prefix="adjudge-probe-") as folder:
            yield list(self._sessions(Path(folder)))

    def _sessions(self, folder: Path) -> Iterator[PlannedSession]:
        """The texts with their twins; the texts again; the texts with the criteria turned round.

        Their data and judge files are written into `folder`. All have the same temperature, so that
        the noise of repeats and the effect of an alteration can be set side by side.
        """
        subject, repeats, asked = self.subject, self.options.repeats, self.run_options
        names = {probe.name for probe in self.probes if probe.needs(subject) is None}
        own = replace(
            asked,
            limit=None,
            repeat=1,
            temperature=asked.temperature or 0.0,
            tags={**asked.tags, "probe": str(subject.source)},
        )
        texts = [(item.id, item.fields) for item in subject.items]

        def planned(
            about: str, says: str, judge: str, options: RunOptions, more: Sequence[Twin] = ()
        ) -> PlannedSession:
            path, title = folder / f"{about}.jsonl", f"probe {about}: {subject.source}"
            rows = [*texts, *((twin.id, twin.fields) for twin in more)]
            options = replace(options, map=write_rows(path, rows), data_title=title)
            return PlannedSession(about, says, str(path), judge, options)

        says = f"{len(texts)} items and {len(self.twins)} altered twins"
        yield planned("twins", says, self.judge, own, self.twins)
        if "repeat" in names:
            says = f"the {len(texts)} items again, {repeats} samples each"
            yield planned("repeat", says, self.judge, replace(own, repeat=repeats))
        if "criteria-order" in names:
            file = folder / f"{subject.judge.name}.yaml"
            file.write_text(turned(self.judge), "utf-8")
            says = f"the {len(texts)} items with the criteria in the opposite order"
            yield planned("criteria-order", says, str(file), own)


def prepare(
    judge: str, models: Sequence[str], data: str | None, run_options: RunOptions, own: ProbeOptions
) -> Probing:
    """Reads judge and data, and alters the texts; UsageError when there is nothing to ask."""
    loaded = load_judge(judge, run_options)
    if data is None:
        if own.author:
            raise UsageError(Reason("probes.author"))
        subject = of_built_in(loaded, own.language, run_options.limit)
    else:
        subject = of_data(loaded, data, run_options, language=own.language, author=own.author)
    probes = chosen(own.only)
    reasons = {probe.name: why for probe in probes if (why := probe.needs(subject))}
    if len(reasons) == len(probes):
        whys = tuple(Reason("of", name=name, why=why) for name, why in reasons.items())
        raise UsageError(Reason("probes.none", whys=whys))
    twins = tuple(twins_of(subject, probes))
    return Probing(subject, probes, twins, judge, run_options, tuple(models), own)


@dataclass(frozen=True, slots=True)
class ProbeForecast:
    """What each run would ask and cost; `not_run` has the probes that would not be, and why."""

    runs: tuple[Forecast, ...]
    not_run: Mapping[str, Reason]


async def forecast_probe(probing: Probing) -> ProbeForecast:
    """What is to come; nothing is sent."""
    with probing.sessions() as planned:
        runs = [
            await forecast_run(
                session.data,
                load_judges([session.judge], session.options),
                list(probing.models),
                session.options,
            )
            for session in planned
        ]
    whys = ((probe.name, probing.cannot(probe)) for probe in probing.probes)
    return ProbeForecast(tuple(runs), {name: why for name, why in whys if why})


async def run_probe(
    probing: Probing, watch: Watch | None = None, host: Host | None = None
) -> Probed:
    """Asks what the store has no answer to yet; says what was found out, and keeps it. `host` is as
    in `judge_rows`."""
    asked: dict[str, ProbeVerdicts] = {}
    done: list[ProbeSession] = []
    stopped = False
    with probing.sessions() as planned:
        for plan in planned:
            left = _left(plan.options.budget, done)
            if left is None:
                stopped = True
                break
            session, verdicts, used_up = await _ask(probing, plan, left, watch, host)
            done.append(session)
            asked[plan.about] = verdicts
            stopped |= used_up
    findings, not_run = _findings(probing, asked)
    judge = probing.subject.judge
    probed = Probed(
        judge=judge.name,
        fingerprint=judge.fingerprint,
        models=asked["twins"].models,
        source=probing.subject.source,
        language=probing.subject.texts.language,
        items=len(probing.subject.items),
        limits=probing.options.limits,
        confidence=probing.options.confidence,
        findings=tuple(findings),
        not_run=not_run,
        runs=tuple(done),
        stopped=stopped,
    )
    store = open_store(probing.run_options.store)
    try:
        keep(store, probed)
    finally:
        store.close()
    return probed


async def _ask(
    probing: Probing,
    planned: PlannedSession,
    budget: str,
    watch: Watch | None,
    host: Host | None,
) -> tuple[ProbeSession, ProbeVerdicts, bool]:
    options = replace(planned.options, budget=budget or None)
    watcher = watch(planned.says) if watch else None
    judges = load_judges([planned.judge], planned.options)
    finished = await judge_rows(planned.data, judges, list(probing.models), options, watcher, host)
    try:
        record = finished.record
        verdicts = list(finished.store.verdicts.all(record.id))
    finally:
        finished.store.close()
    _check_answered(verdicts)
    session = ProbeSession(
        run=record.id,
        about=planned.about,
        verdicts=len(verdicts),
        unscored=sum(verdict.outcome not in SETTLED for verdict in verdicts),
        tokens=record.tokens,
        usd=record.usd,
    )
    models = tuple(record.manifest.models)
    return session, ProbeVerdicts(models, verdicts), record.state == "stopped"


def _check_answered(verdicts: Sequence[Verdict]) -> None:
    """A judge that cannot be reached has not been probed."""
    if not verdicts or any(v.outcome is not Outcome.PROVIDER_ERROR for v in verdicts):
        return
    why = next(score.why for score in verdicts[0].scores.values())
    raise AdjudgeError(Reason("probes.no_answer", count=len(verdicts), why=why))


def _left(budget: str | None, done: Sequence[ProbeSession]) -> str | None:
    """What the earlier runs of this probe leave of the budget: "" without one, None for nothing."""
    if budget is None:
        return ""
    whole = Budget.parse(budget)
    if whole.usd is not None:
        usd = whole.usd - sum(session.usd for session in done)
        return f"{usd:.9f}usd" if usd > 0 else None
    tokens = (whole.tokens or 0) - sum(session.tokens for session in done)
    return f"{tokens}tok" if tokens > 0 else None


def _findings(
    probing: Probing, asked: dict[str, ProbeVerdicts]
) -> tuple[list[ProbeFinding], dict[str, Reason]]:
    subject, options = probing.subject, probing.options
    ruler = ProbeMeasurer(subject, options.limits, options.confidence)
    findings: list[ProbeFinding] = []
    not_run: dict[str, Reason] = {}
    for probe in probing.probes:
        if why := probing.cannot(probe):
            not_run[probe.name] = why
        elif probe.name in {"repeat", "criteria-order"} and probe.name not in asked:
            not_run[probe.name] = Reason("budget")
        else:
            findings += _of_probe(probe, ruler, asked, probing)
    return findings, not_run


def _of_probe(
    probe: Probe, ruler: ProbeMeasurer, asked: dict[str, ProbeVerdicts], probing: Probing
) -> Iterator[ProbeFinding]:
    verdicts = asked["twins"]
    match probe.name:
        case "repeat":
            return of_repeats(ruler, asked["repeat"], probing.options.repeats)
        case "contrast":
            return of_contrasts(ruler, verdicts)
        case "order":
            return of_order(ruler, verdicts)
        case "criteria-order":
            return of_criteria_order(ruler, verdicts, asked["criteria-order"])
        case "self-preference":
            return of_authors(ruler, verdicts)
        case _:
            return of_twins(ruler, probe, probing.twins, verdicts)
