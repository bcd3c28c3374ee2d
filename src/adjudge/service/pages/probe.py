"""How far a judge can be trusted without labels: probes and checks for drift are started and
followed here, and what they found is shown."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated, get_args
from urllib.parse import urlencode

from fastapi import APIRouter, Form
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from adjudge.analysis.drift import DriftOptions, drift_of, drift_series
from adjudge.analysis.probing import probed_from
from adjudge.core.judge import Judge
from adjudge.errors import AdjudgeError
from adjudge.reports.blocks import Plot, Section
from adjudge.reports.findings.drift import drift
from adjudge.reports.findings.probes import probes
from adjudge.reports.renderers.page import PageRenderer
from adjudge.reports.words import Words
from adjudge.service.api.problems import refusal
from adjudge.service.jobs.probes import Kind
from adjudge.service.security.access import JUDGE, READ
from adjudge.service.state import Service, service_of

from .filters import utc
from .rendering import ProblemLine, page, strings_of, words_of

router = APIRouter(include_in_schema=False, dependencies=[READ])


@router.get("/judges/{name}/probe")
def show(request: Request, name: str, model: str = "") -> Response:
    """What the latest probe of the judge with this model found; how far one is that is active."""
    service = service_of(request)
    judge = service.judges.get(name)
    return _page(request, judge, model or service.judging.models[0])


@router.post("/judges/{name}/probe", dependencies=[JUDGE])
def start(
    request: Request,
    name: str,
    model: Annotated[str, Form()] = "",
    kind: Annotated[Kind, Form()] = "probe",
) -> Response:
    service = service_of(request)
    judge = service.judges.get(name)
    asked = model or service.judging.models[0]
    begin = service.probes.start if kind == "probe" else service.probes.check_drift
    try:
        begin(judge.name, asked)
    except AdjudgeError as error:
        status, lines = refusal(request, error)
        return _page(request, judge, asked, lines, status)
    return RedirectResponse(f"/judges/{judge.name}/probe?{urlencode({'model': asked})}", 303)


def _page(
    request: Request,
    judge: Judge,
    model: str,
    problem: list[ProblemLine] | tuple[ProblemLine, ...] = (),
    status: int = 200,
) -> Response:
    service = service_of(request)
    opened = service.judging.open(model).name
    progress = {kind: service.probes.progress(kind, judge.name, model) for kind in get_args(Kind)}
    active = [kind for kind, known in progress.items() if known and not known.over]
    words = words_of(request).about({judge.name: judge})
    return page(
        request,
        "probe",
        status,
        refresh=bool(active),
        active=active,
        judge=judge,
        model=model,
        models=service.judging.models,
        progress=progress,
        problem=problem,
        probed=_probed(service, judge, opened, words),
        drift=_drift(service, judge, opened, words),
        renderer=PageRenderer(
            strings_of(request), {"run": lambda fields: f"/runs/{fields['run']}"}
        ),
    )


def _probed(service: Service, judge: Judge, model: str, words: Words) -> list[Section]:
    kept = service.store.probes.latest(judge.name, model)
    if kept is None:
        return []
    changed = kept.fingerprint != judge.fingerprint
    result = probed_from(kept.content)
    section = probes(result, words, when=utc(kept.created), changed=changed, model=model)
    return [_without_plots(section)]


def _drift(service: Service, judge: Judge, model: str, words: Words) -> list[Section]:
    """A section per series of checks."""
    sections = []
    for records in drift_series(service.store):
        manifest = records[0].manifest
        if (*manifest.judges, *manifest.models) == (judge.name, model):
            with suppress(AdjudgeError):
                sections.append(drift(drift_of(records, service.store, DriftOptions()), words))
    return [_without_plots(section) for section in sections]


def _without_plots(section: Section) -> Section:
    """The figures stand in the table, and a plot needs an address of its own."""
    blocks = [block for block in section.blocks if not isinstance(block, Plot)]
    return Section(section.title, blocks, section.name)
