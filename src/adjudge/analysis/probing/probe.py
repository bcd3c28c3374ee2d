"""Probes a judge: texts and twins are judged by the ordinary runner, then set side by side."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from adjudge.core.score import Outcome
from adjudge.core.verdict import Verdict
from adjudge.errors import AdjudgeError, UsageError
from adjudge.running.asking.budget import Budget
from adjudge.running.foresee import Forecast, foresee
from adjudge.running.options import RunOptions
from adjudge.running.plan import load_judge
from adjudge.running.run import Watcher, run
from adjudge.stores.registry import open_store

from .built_in import of_built_in
from .findings import Finding, Limits, Probed, Session
from .keeping import keep
from .measuring import Ruler, of_twins
from .probes import Probe, chosen
from .same_texts import of_contrasts, of_criteria_order, of_order, of_repeats
from .self_preference import of_authors
from .sessions import Planned, Wish, sessions
from .subject import DataOptions, Subject, of_data
from .texts import LANGUAGES
from .twins import Twin, twins_of
from .verdicts import Verdicts

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
    limits: Limits = field(default_factory=Limits)
    confidence: float = 0.95

    def __post_init__(self) -> None:
        chosen(self.only)
        if self.language not in {None, *LANGUAGES}:
            known = ", ".join(LANGUAGES)
            raise UsageError(f"--language {self.language}: the probes speak {known}.")
        if self.repeats < 2:
            raise UsageError(f"--samples {self.repeats}: asking again takes at least 2 samples.")
        if not 0 < self.confidence < 1:
            raise UsageError(f"--confidence {self.confidence:g}: write a share such as 0.95.")


@dataclass(frozen=True, slots=True)
class Probing:
    """Everything that is settled before the first token is paid for."""

    subject: Subject
    probes: tuple[Probe, ...]
    twins: tuple[Twin, ...]
    wish: Wish
    models: tuple[str, ...]
    options: ProbeOptions

    def cannot(self, probe: Probe) -> str | None:
        """Why a probe is not run; None where it is."""
        if why := probe.needs(self.subject):
            return why
        if probe.name == "self-preference" and len(set(self.models)) < 2:
            return "it takes two models or more: -m MODEL -m MODEL"
        return None

    @contextmanager
    def sessions(self) -> Iterator[list[Planned]]:
        """The runs to be made; their files are there as long as the context is."""
        with tempfile.TemporaryDirectory(prefix="adjudge-probe-") as folder:
            yield list(sessions(self.subject, self.probes, self.twins, self.wish, Path(folder)))


def prepare(
    judge: str, models: Sequence[str], data: str | None, run_options: RunOptions, own: ProbeOptions
) -> Probing:
    """Reads judge and data, and alters the texts; UsageError when there is nothing to ask."""
    loaded = load_judge(judge, run_options)
    if data is None:
        if own.author:
            raise UsageError("--author names a column of data: give data of your own.")
        subject = of_built_in(loaded, own.language, run_options.limit)
    else:
        taken = DataOptions(
            map=run_options.map,
            limit=run_options.limit,
            skip_bad_rows=run_options.skip_bad_rows,
            language=own.language,
            author=own.author,
        )
        subject = of_data(loaded, data, taken)
    probes = chosen(own.only)
    reasons = {probe.name: why for probe in probes if (why := probe.needs(subject))}
    if len(reasons) == len(probes):
        why = "; ".join(f"{name}: {reason}" for name, reason in reasons.items())
        raise UsageError(f"None of the probes can be made ({why}).")
    twins = tuple(twins_of(subject, probes))
    wish = Wish(judge, run_options, own.repeats)
    return Probing(subject, probes, twins, wish, tuple(models), own)


@dataclass(frozen=True, slots=True)
class ForeseenProbe:
    """What each run would ask and cost; `not_run` has the probes that would not be, and why."""

    runs: tuple[Forecast, ...]
    not_run: Mapping[str, str]


async def foresee_probe(probing: Probing) -> ForeseenProbe:
    """What is to come; nothing is sent."""
    with probing.sessions() as planned:
        runs = [
            await foresee(each.data, [each.judge], list(probing.models), each.options)
            for each in planned
        ]
    whys = ((each.name, probing.cannot(each)) for each in probing.probes)
    return ForeseenProbe(tuple(runs), {name: why for name, why in whys if why})


async def run_probe(probing: Probing, watch: Watch | None = None) -> Probed:
    """Asks what the store has no answer to yet; says what was found out, and keeps it."""
    asked: dict[str, Verdicts] = {}
    done: list[Session] = []
    stopped = False
    with probing.sessions() as planned:
        for each in planned:
            left = _left(each.options.budget, done)
            if left is None:
                stopped = True
                break
            session, verdicts, used_up = await _ask(probing, each, left, watch)
            done.append(session)
            asked[each.about] = verdicts
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
    store = open_store(probing.wish.options.store)
    try:
        keep(store, probed)
    finally:
        store.close()
    return probed


async def _ask(
    probing: Probing, planned: Planned, budget: str, watch: Watch | None
) -> tuple[Session, Verdicts, bool]:
    options = replace(planned.options, budget=budget or None)
    watcher = watch(planned.says) if watch else None
    finished = await run(planned.data, [planned.judge], list(probing.models), options, watcher)
    try:
        record = finished.record
        verdicts = list(finished.store.verdicts(record.id))
    finally:
        finished.store.close()
    _check_answered(verdicts)
    session = Session(
        run=record.id,
        about=planned.about,
        verdicts=len(verdicts),
        unscored=sum(each.outcome is not Outcome.SCORED for each in verdicts),
        tokens=record.tokens,
        usd=record.usd,
    )
    models = tuple(record.manifest.models)
    return session, Verdicts.of(models, verdicts), record.state == "stopped"


def _check_answered(verdicts: Sequence[Verdict]) -> None:
    """A judge that cannot be reached has not been probed."""
    if not verdicts or any(v.outcome is not Outcome.PROVIDER_ERROR for v in verdicts):
        return
    why = next(score.why for score in verdicts[0].scores.values())
    raise AdjudgeError(f"No answer came for any of {len(verdicts)} verdicts: {why}")


def _left(budget: str | None, done: Sequence[Session]) -> str | None:
    """What the earlier runs of this probe leave of the budget: "" without one, None for nothing."""
    if budget is None:
        return ""
    whole = Budget.parse(budget)
    if whole.usd is not None:
        usd = whole.usd - sum(each.usd for each in done)
        return f"{usd:.9f}usd" if usd > 0 else None
    tokens = (whole.tokens or 0) - sum(each.tokens for each in done)
    return f"{tokens}tok" if tokens > 0 else None


def _findings(probing: Probing, asked: dict[str, Verdicts]) -> tuple[list[Finding], dict[str, str]]:
    subject, options = probing.subject, probing.options
    ruler = Ruler(subject, options.limits, options.confidence)
    found: list[Finding] = []
    not_run: dict[str, str] = {}
    for probe in probing.probes:
        why = probing.cannot(probe) or _unasked(probe, asked)
        if why:
            not_run[probe.name] = why
        elif probe.alter:
            found += of_twins(ruler, probe, probing.twins, asked["twins"])
        else:
            found += _without_twins(probe, ruler, asked, options.repeats)
    return found, not_run


def _unasked(probe: Probe, asked: dict[str, Verdicts]) -> str | None:
    if probe.name in {"repeat", "criteria-order"} and probe.name not in asked:
        return "the budget was used up before"
    return None


def _without_twins(
    probe: Probe, ruler: Ruler, asked: dict[str, Verdicts], repeats: int
) -> Iterator[Finding]:
    match probe.name:
        case "repeat":
            yield from of_repeats(ruler, asked["repeat"], repeats)
        case "contrast":
            yield from of_contrasts(ruler, asked["twins"])
        case "order":
            yield from of_order(ruler, asked["twins"])
        case "criteria-order":
            yield from of_criteria_order(ruler, asked["twins"], asked["criteria-order"])
        case "self-preference":
            yield from of_authors(ruler, asked["twins"])
