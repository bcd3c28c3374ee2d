"""What the trust page shows of the latest probe of a judge and model."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from starlette.requests import Request

from adjudge.analysis.probing.findings import Finding, Probed
from adjudge.analysis.probing.keeping import probed_from
from adjudge.reports.probe_words import effect, limits_line, probe_words
from adjudge.reports.reasons import reason
from adjudge.reports.strings import Strings
from adjudge.service.calibrated import Grading
from adjudge.service.state import Service
from adjudge.stores.records import KeptProbe
from adjudge.stores.registry import DEFAULT

_TONES = {"fine": "good", "worrying": "warn", "bad": "bad", "unclear": ""}


@dataclass(frozen=True, slots=True)
class ProbedView:
    """The latest probe of a judge and model; `rows` have the finding, its effect in words, and
    how well that is."""

    kept: KeptProbe
    found: Probed
    source: str
    words: tuple[str, ...]
    limits: str
    rows: tuple[tuple[Finding, str, str], ...]
    notes: tuple[tuple[str, str], ...]
    not_run: tuple[tuple[str, str], ...]


def probed_view(service: Service, say: Strings, asked: Grading) -> ProbedView | None:
    kept = service.store.probes.latest(asked.judge, asked.model)
    if kept is None:
        return None
    found = probed_from(kept.content)
    deciding = [each for each in found.deciding() if each.model == asked.model]
    return ProbedView(
        kept=kept,
        found=found,
        source=reason(say, found.source),
        words=tuple(probe_words(found, say)),
        limits=limits_line(say, found),
        rows=tuple((each, effect(say, each), _TONES[each.rating]) for each in deciding),
        notes=tuple((each.probe, reason(say, each.note)) for each in deciding if each.note),
        not_run=tuple((name, reason(say, why)) for name, why in found.not_run.items()),
    )


def probe_command(request: Request, service: Service, asked: Grading) -> str:
    """What to type; where the store lies is nothing that others need to know."""
    words = ["adjudge", "probe", "--judge", asked.judge, "-m", asked.model]
    if asked.judge in service.judges.judges:
        words[3] = service.judges.source(asked.judge)
    access = getattr(request.state, "access", None)
    if service.options.store != DEFAULT and not getattr(access, "token_id", ""):
        words += ["--store", service.options.store]
    return shlex.join(words)
