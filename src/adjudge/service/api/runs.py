"""Runs: started, listed, told about, stopped."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from adjudge.analysis.browsing.index import RunIndex
from adjudge.analysis.browsing.overview import CriterionOverview
from adjudge.analysis.divided import DIVIDED
from adjudge.core.scale import Category
from adjudge.core.score import Outcome
from adjudge.errors import Conflict, UsageError
from adjudge.service.state import Service, service_of
from adjudge.service.work.spec import JobSpec
from adjudge.stores.records import KeptJob, RunRecord

from .json_route import JUDGE, PREFIX, READ, Json
from .run_bodies import keep, sent
from .schemas.runs import RunStarted, RunsTold, RunTold

router = APIRouter(prefix=PREFIX)


@router.post(
    "/runs",
    dependencies=[JUDGE],
    status_code=202,
    response_model=RunStarted,
    summary="Judge many items",
)
async def start_run(request: Request) -> Response:
    """Everything is checked before the answer; then the run goes on by itself, also after a
    restart of the service. The same request again goes on with the same run."""
    service = service_of(request)
    access = getattr(request.state, "access", None)
    async with sent(request) as (body, file):

        def start() -> dict[str, Any]:
            with service.jobs.uploads.request():
                spec = keep(body, file, service.jobs)
                job = service.jobs.submit(spec, access.token_id if access else "")
            record = service.store.find(job.run or "")
            return _started(service, record, job)

        started = await run_in_threadpool(start)
    return Json(started, 202, {"Location": f"/api/v1/runs/{started['run']}"})


@router.get(
    "/runs",
    dependencies=[READ],
    response_model=RunsTold,
    summary="The runs, the latest first",
)
def runs(
    request: Request,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
    cursor: Annotated[str | None, Query(description="`next` of the page before.")] = None,
) -> Response:
    service = service_of(request)
    known = service.store.runs()
    start = 0
    if cursor is not None:
        places = [number for number, each in enumerate(known) if each.id == cursor]
        if not places:
            raise UsageError(f"cursor {cursor!r}: no page ends there; begin without a cursor.")
        start = places[0] + 1
    shown = known[start : start + limit]
    more = start + limit < len(known)
    told = [head(service, each) for each in shown]
    return Json({"runs": told, "total": len(known), "next": shown[-1].id if more else None})


@router.get(
    "/runs/{run}",
    dependencies=[READ],
    response_model=RunTold,
    summary="One run with its figures",
)
def one_run(request: Request, run: str) -> Response:
    """`run` is an id, a unique beginning of it, or latest."""
    service = service_of(request)
    found = service.run(run)
    jobs = service.store.jobs.of_run(found.id)
    problem = jobs[0].problem if jobs and found.record.state == "failed" else None
    figures = _figures(service.indexes.of(found.id))
    notes = list(JobSpec.of(jobs[0].spec).notes) if jobs else []
    return Json(head(service, found.record) | figures | {"problem": problem, "notes": notes})


@router.post(
    "/runs/{run}/stop",
    dependencies=[JUDGE],
    response_model=RunStarted,
    summary="Stop a run",
)
def stop(request: Request, run: str) -> Response:
    """Replies under way are kept. The same request as before goes on with the run."""
    service = service_of(request)
    record = service.run(run).record
    if not service.jobs.stop(record.id):
        raise Conflict(f"Run {record.id} is not under way in this service.")
    job = service.store.jobs.of_run(record.id)[0]
    return Json(_started(service, record, job))


def state_of(service: Service, record: RunRecord) -> str:
    """As in the store, unless the run waits for its turn here."""
    return service.jobs.state_of(record.id) or record.state


def total_of(record: RunRecord) -> int:
    """Verdicts that the whole run makes, at most."""
    manifest = record.manifest
    repeat = int(str(manifest.settings.get("repeat", 1)))
    return record.rows * len(manifest.judges) * len(manifest.models) * repeat


def head(service: Service, record: RunRecord) -> dict[str, Any]:
    manifest = record.manifest
    return {
        "run": record.id,
        "state": state_of(service, record),
        "data": manifest.data,
        "judges": dict(manifest.judges),
        "models": manifest.models,
        "rows": record.rows,
        "bad_rows": record.bad_rows,
        "started": record.started,
        "ended": record.ended,
        "tokens": record.tokens,
        "usd": record.usd,
        "tags": dict(manifest.tags),
    }


def _started(service: Service, record: RunRecord, job: KeptJob) -> dict[str, Any]:
    notes = list(JobSpec.of(job.spec).notes)
    state = state_of(service, record)
    return {"run": record.id, "job": job.id, "state": state, "notes": notes}


def _settings(record: RunRecord) -> dict[str, Any]:
    """Without the addresses of the models' servers, which are nobody's business here."""
    settings = record.manifest.settings.items()
    return {name: value for name, value in settings if name != "answered_by"}


def _figures(index: RunIndex) -> dict[str, Any]:
    overview = index.summary()
    scored = overview.outcomes.get(Outcome.SCORED.value, 0)
    return {
        "settings": _settings(index.record),
        "total": total_of(index.record),
        "verdicts": overview.verdicts,
        "outcomes": dict(overview.outcomes),
        "unscored": overview.verdicts - scored,
        "cut": overview.cut,
        "criteria": [_criterion(each) for grader in overview.graders for each in grader.criteria],
    }


def _criterion(each: CriterionOverview) -> dict[str, Any]:
    named = isinstance(each.scale, Category)
    return {
        "judge": each.judge,
        "model": each.model,
        "criterion": each.criterion,
        "scored": each.scored,
        "unscored": dict(each.unscored),
        "mean": each.mean.value,
        "low": each.mean.low,
        "high": each.mean.high,
        "sd": each.sd,
        "shares": _counts(each) if named else {},
        "capped": sum(each.rules.values()),
    }


def _counts(each: CriterionOverview) -> dict[str, int]:
    """Items by name; those whose samples are divided have an entry of their own."""
    counts = {bar.label: bar.count for bar in each.distribution}
    return counts | {DIVIDED: each.divided} if each.divided else counts
