"""Runs: started, listed, shown, stopped, deleted."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from adjudge.analysis.browsing import CriterionOverview, RunIndex
from adjudge.analysis.scores import DIVIDED
from adjudge.core.reason import Reason
from adjudge.core.scale import Category
from adjudge.core.score import Outcome
from adjudge.errors import Conflict, UsageError
from adjudge.service.jobs import JobSpec
from adjudge.service.observability.log import audit
from adjudge.service.state import Service, service_of
from adjudge.stores import KeptJob, RunRecord

from .json_route import ADMIN, JUDGE, PREFIX, READ, Json
from .response_models import RunDeleted, RunStarted, RunsTold, RunTold
from .run_requests import job_spec, run_request

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
    async with run_request(request) as (body, file):

        def start() -> dict[str, Any]:
            with service.jobs.uploads.request():
                spec = job_spec(body, file, service.jobs)
                job = service.jobs.submit(spec, access.token_id if access else "")
            record = service.store.runs.find(job.run or "")
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
    known = service.store.runs.all()
    start = 0
    if cursor is not None:
        places = [number for number, record in enumerate(known) if record.id == cursor]
        if not places:
            raise UsageError(Reason("form.cursor", cursor=cursor))
        start = places[0] + 1
    shown = known[start : start + limit]
    more = start + limit < len(known)
    heads = [head(service, record) for record in shown]
    return Json({"runs": heads, "total": len(known), "next": shown[-1].id if more else None})


@router.get(
    "/runs/{run}",
    dependencies=[READ],
    response_model=RunTold,
    summary="One run with its figures",
)
def one_run(request: Request, run: str) -> Response:
    """`run` is an id, a unique beginning of it, or latest."""
    service = service_of(request)
    handle = service.run(run)
    jobs = service.store.jobs.of_run(handle.id)
    failure = jobs[0].failure if jobs and handle.record.state == "failed" else None
    problem = None if failure is None else str(failure)
    figures = _figures(service.indexes.of(handle.id))
    notes = list(JobSpec.from_dict(jobs[0].spec).notes) if jobs else []
    return Json(head(service, handle.record) | figures | {"problem": problem, "notes": notes})


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
        raise Conflict(Reason("here.not_under_way", run=record.id))
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
    notes = list(JobSpec.from_dict(job.spec).notes)
    state = state_of(service, record)
    return {"run": record.id, "job": job.id, "state": state, "notes": notes}


def _settings(record: RunRecord) -> dict[str, Any]:
    """Without the addresses of the models' servers, which are nobody's business here."""
    settings = record.manifest.settings.items()
    return {name: value for name, value in settings if name != "answered_by"}


def _figures(index: RunIndex) -> dict[str, Any]:
    overview = index.overview()
    scored = overview.outcomes.get(Outcome.SCORED.value, 0)
    return {
        "settings": _settings(index.record),
        "total": total_of(index.record),
        "verdicts": overview.verdicts,
        "outcomes": dict(overview.outcomes),
        "unscored": overview.verdicts - scored,
        "cut": overview.cut,
        "criteria": [
            _criterion(criterion) for grader in overview.graders for criterion in grader.criteria
        ],
    }


def _criterion(overview: CriterionOverview) -> dict[str, Any]:
    named = isinstance(overview.scale, Category)
    return {
        "judge": overview.judge,
        "model": overview.model,
        "criterion": overview.criterion,
        "scored": overview.scored,
        "unscored": dict(overview.unscored),
        "mean": overview.mean.value,
        "low": overview.mean.low,
        "high": overview.mean.high,
        "sd": overview.sd,
        "shares": _counts(overview) if named else {},
        "capped": sum(overview.rules.values()),
    }


def _counts(overview: CriterionOverview) -> dict[str, int]:
    """Items by name; those whose samples are divided have an entry of their own."""
    counts = {bar.label: bar.count for bar in overview.distribution}
    return counts | {DIVIDED: overview.divided} if overview.divided else counts


@router.delete(
    "/runs/{run}",
    dependencies=[ADMIN],
    response_model=RunDeleted,
    summary="Delete a run with all its texts",
)
def delete_run(
    request: Request, run: Annotated[str, Path(description="The whole id of the run.")]
) -> Response:
    """Gone for good: its items, verdicts and figures, and the replies in the cache that it had paid
    for. What others paid for stays in the cache until `adjudge cache clear`; labels stay, since
    they belong to the data. A run that is under way has to be stopped first (409)."""
    store = service_of(request).store
    record = store.runs.find(run)
    if record.id != run:  # another run may be the latest one, or begin like that, by now
        raise UsageError(Reason("here.whole_id", name=run, run=record.id))
    deleted = store.runs.delete(record.id)
    audit(request, "run deleted", run=record.id)
    return Json(deleted._asdict())
