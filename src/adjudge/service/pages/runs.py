"""All runs, the latest first."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from urllib.parse import urlencode

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from adjudge.analysis.browsing import CriterionOverview, RunOverview
from adjudge.analysis.scores.reader import judges_of
from adjudge.reports.findings.opening import run_content, run_name
from adjudge.reports.findings.overview import mean_words
from adjudge.reports.words import Words
from adjudge.service.jobs import JobSpec
from adjudge.service.security.access import JUDGE, READ
from adjudge.service.state import Service, service_of
from adjudge.stores import ORDERS, KeptJob, RunFilter, RunRecord, is_probe

from .filters import NONE
from .rendering import page, paged, words_of
from .run_view import run_seconds, shown_state

router = APIRouter(include_in_schema=False, dependencies=[READ])

_SIZE = 25
# Seconds that a page may take for the figures of runs that it has not seen yet; the script of the
# page asks for the others, one by one.
_PATIENCE = 0.1
_QUICK = 5000  # rows: the figures of fewer take some milliseconds


@router.get("/")
def show(request: Request) -> Response:
    service, params = service_of(request), request.query_params
    every = service.store.runs.all()
    probes = params.get("probes") == "1"
    listed = [record for record in every if is_probe(record) == probes]
    wanted = filter_of(params)
    shown = paged(request, wanted.apply(listed), _SIZE)
    until = time.monotonic() + _PATIENCE
    asked = [pair for pair in params.multi_items() if pair[0] in _ASKED and pair[1]]
    return page(
        request,
        "runs",
        lines=[_line(service, record, words_of(request), until) for record in shown.shown],
        paged=shown,
        every=len(listed),
        probes=probes,
        probe_runs=sum(map(is_probe, every)),
        asked=dict(asked),
        address=f"/?{urlencode(asked)}",
        choices=choices_of(listed),
        orders=ORDERS,
    )


_ASKED = ("search", "judge", "model", "state", "tag", "sort", "probes")


def filter_of(params: Mapping[str, str]) -> RunFilter:
    """What the address asks for; an order that there is none of is the usual one."""

    def named(name: str) -> tuple[str, ...]:
        return (params[name],) if params.get(name) else ()

    tag, _, value = params.get("tag", "").partition("=")
    order = params.get("sort", "")
    return RunFilter(
        tags={tag: value} if tag else {},
        judges=named("judge"),
        models=named("model"),
        states=named("state"),
        search=params.get("search", ""),
        order=order if order in ORDERS else "latest",
    )


def choices_of(records: Sequence[RunRecord]) -> dict[str, list[str]]:
    """What runs can be filtered by: what they have, each once, in alphabetical order."""
    values: dict[str, dict[str, None]] = {name: {} for name in ("judge", "model", "state", "tag")}
    for record in records:
        manifest = record.manifest
        values["judge"] |= dict.fromkeys(manifest.judges)
        values["model"] |= dict.fromkeys(manifest.models)
        values["state"][record.state] = None
        values["tag"] |= dict.fromkeys(f"{name}={value}" for name, value in manifest.tags.items())
    return {name: sorted(some) for name, some in values.items()}


@router.get("/runs/{run_id}/delete", dependencies=[JUDGE])
def ask_delete(request: Request, run_id: str) -> Response:
    """What would be gone, and a button."""
    service = service_of(request)
    record = service.store.runs.find(run_id)
    name = run_name(record, judges_of(record), words_of(request))
    verdicts = service.store.runs.progress(record.id).verdicts
    return page(request, "run_delete", record=record, name=name, verdicts=verdicts)


@router.post("/runs/{run_id}/delete", dependencies=[JUDGE])
def delete(request: Request, run_id: str) -> Response:
    """Deletes the run with its texts and replies, as `adjudge delete` does."""
    store = service_of(request).store
    store.runs.delete(store.runs.find(run_id).id)
    return RedirectResponse("/", 303)


@router.get("/runs")
def back() -> Response:
    """Where forms are sent to; who reads it looks for the list."""
    return RedirectResponse("/", 303)


@router.get("/runs/progress")
def progress(request: Request) -> Response:
    """How far the runs are that `run=` names, by id; one that has ended is not among them. For a
    list that shows more of them under way than a browser keeps streams open for."""
    service, wanted = service_of(request), request.query_params.getlist("run")[:_SIZE]
    by_run = {}
    for record in service.store.runs.all():
        if record.id in wanted and record.state == "running":
            by_run[record.id] = asdict(service.progress_of(record)) | {"usd": record.cost_usd}
    return JSONResponse(by_run)


@router.get("/runs/{run_id}/figures")
def figures(request: Request, run_id: str) -> Response:
    """For the script of the page."""
    service = service_of(request)
    overview = service.indexes.overview(service.store.runs.find(run_id))
    return JSONResponse(asdict(figures_of(overview, words_of(request))))


def _line(service: Service, record: RunRecord, words: Words, until: float) -> dict[str, object]:
    """`figures` is None where they are still to be worked out."""
    overview = service.indexes.known_overview(record)
    if overview is None and record.rows <= _QUICK and time.monotonic() < until:
        overview = service.indexes.overview(record)
    job = next(iter(service.store.jobs.of_run(record.id)), None)
    judges = judges_of(record)
    return {
        "record": record,
        "name": run_name(record, judges, words),
        "content": run_content(record, judges, words),
        "versions": {name: judge.version for name, judge in judges.items()},
        "job": job,
        "again": rerun_address(service, job),
        "state": shown_state(service, record),
        "progress": service.progress_of(record) if record.state == "running" else None,
        "figures": None if overview is None else figures_of(overview, words),
        "run_seconds": run_seconds(record),
    }


def rerun_address(service: Service, job: KeptJob | None) -> str:
    """The form for a new run with the same data, judges and models; "" where its data are not
    here: it was started elsewhere."""
    if job is None:
        return ""
    spec = JobSpec.of(job)
    if not service.jobs.uploads.path(spec.data).exists():
        return ""
    fields = [("data", spec.data), ("title", spec.title)]
    fields += [("judge", name) for name in spec.judges]
    fields += [("model", name) for name in spec.models]
    return f"/runs/new?{urlencode(fields)}"


_CRITERIA = 5  # told of each run; its page has the others


@dataclass(frozen=True, slots=True)
class RunFigures:
    """As texts for a page. `means` are titles of criteria, with the model where there are several
    graders, each with its mean; `more` counts those left out. `cost` is None where the price is
    not known."""

    means: tuple[tuple[str, str], ...]
    more: int
    unscored: str
    cost: str | None


def figures_of(overview: RunOverview, words: Words) -> RunFigures:
    several = len(overview.graders) > 1
    named_means = [
        (f"{one.title} · {one.model}" if several else one.title, _mean(one, words))
        for one in overview.criteria
    ]
    unscored, verdicts = overview.unscored, overview.verdicts
    return RunFigures(
        tuple(named_means[:_CRITERIA]),
        max(0, len(named_means) - _CRITERIA),
        f"{words.count(unscored)} ({words.share(unscored, verdicts)})" if unscored else "0",
        None if overview.cost_usd is None else words.usd(overview.cost_usd),
    )


def _mean(criterion: CriterionOverview, words: Words) -> str:
    """Of names, the shares of the two most frequent."""
    if criterion.mean.value is not None:
        return mean_words(criterion, words, bare=True)
    frequent = sorted(criterion.distribution, key=lambda bar: -bar.count)[:2]
    shares = (
        f"{bar.label} {words.share(bar.count, criterion.items)}" for bar in frequent if bar.count
    )
    return ", ".join(shares) or NONE
