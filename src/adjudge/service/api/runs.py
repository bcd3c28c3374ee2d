"""Runs: started, listed, shown, stopped, deleted, and their verdicts page by page."""

from __future__ import annotations

import base64
import binascii
from typing import Annotated

import orjson
from fastapi import APIRouter, Path, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from adjudge.analysis.browsing import CriterionOverview, RunIndex
from adjudge.analysis.scores import DIVIDED
from adjudge.core.reason import Reason
from adjudge.core.scale import Category
from adjudge.errors import Conflict, UsageError
from adjudge.reports.encode import Json, Shape, fields, shaped
from adjudge.reports.files.rows import item_data, verdict_row
from adjudge.service.jobs import JobSpec
from adjudge.service.observability import audit
from adjudge.service.pages.rendering import strings_of
from adjudge.service.security.access import ADMIN, JUDGE, READ, token_id_of
from adjudge.service.state import Service, service_of
from adjudge.stores import Entry, EntryFilter, EntryKey, KeptJob, RunFilter, RunRecord

from .bodies import PREFIX, JsonResponse, job_spec, run_request
from .request_models import VerdictsQuery
from .response_models import RunDeleted, RunDetails, RunList, RunStarted, VerdictList

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
    async with run_request(request) as (body, file):

        def start() -> Json:
            with service.jobs.uploads.request():
                spec = job_spec(body, file, service)
                job = service.jobs.submit(spec, token_id_of(request))
            record = service.store.runs.find(job.run or "")
            return _started(request, record, job)

        started = await run_in_threadpool(start)
    return JsonResponse(started, 202, {"Location": f"/api/v1/runs/{started['run']}"})


@router.get(
    "/runs", dependencies=[READ], response_model=RunList, summary="The runs, the latest first"
)
def runs(
    request: Request,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
    cursor: Annotated[str | None, Query(description="`next` of the page before.")] = None,
    tag: Annotated[str | None, Query(description="Only with this tag, `k=v`.")] = None,
    judge: Annotated[str | None, Query(description="Only by this judge.")] = None,
    model: Annotated[str | None, Query(description="Only by this model.")] = None,
) -> Response:
    service = service_of(request)
    wanted = RunFilter(
        tags={} if tag is None else dict([tag.partition("=")[::2]]),
        judges=() if judge is None else (judge,),
        models=() if model is None else (model,),
    )
    known = wanted.apply(service.store.runs.all())
    start = 0
    if cursor is not None:
        places = [number for number, record in enumerate(known) if record.id == cursor]
        if not places:
            raise UsageError(Reason("form.cursor", cursor=cursor))
        start = places[0] + 1
    shown = known[start : start + limit]
    more = start + limit < len(known)
    heads = [run_info(service, record) for record in shown]
    return JsonResponse(
        {"runs": heads, "total": len(known), "next": shown[-1].id if more else None}
    )


@router.get(
    "/runs/{run}",
    dependencies=[READ],
    response_model=RunDetails,
    summary="One run with its figures",
)
def one_run(request: Request, run: str) -> Response:
    """`run` is an id, a unique beginning of it, a name, latest, latest~1 or tag:k=v."""
    service = service_of(request)
    handle = service.run(run)
    jobs = service.store.jobs.of_run(handle.id)
    failure = jobs[0].failure if jobs and handle.record.state == "failed" else None
    problem = None if failure is None else strings_of(request).reason(failure)
    figures = _figures(service.indexes.of(handle.id))
    notes = JobSpec.of(jobs[0]).told(strings_of(request)) if jobs else []
    return JsonResponse(
        run_info(service, handle.record) | figures | {"problem": problem, "notes": notes}
    )


@router.post(
    "/runs/{run}/stop", dependencies=[JUDGE], response_model=RunStarted, summary="Stop a run"
)
def stop(request: Request, run: str) -> Response:
    """Replies under way are kept. The same request as before goes on with the run."""
    service = service_of(request)
    record = service.run(run).record
    if not service.jobs.stop(record.id):
        raise Conflict(Reason("here.not_under_way", run=record.id))
    job = service.store.jobs.of_run(record.id)[0]
    return JsonResponse(_started(request, record, job))


_HEAD: Shape = {
    **fields(run="id", name="manifest.name", data="manifest.data", judges="manifest.judges"),
    **fields("rows", "bad_rows", "started", "ended", "tokens", "cost_usd", usd="cost_usd"),
    **fields(models="manifest.models", tags="manifest.tags"),
}


def run_info(service: Service, record: RunRecord) -> Json:
    return shaped(record, _HEAD) | {"state": service.state_of(record)}


def _started(request: Request, record: RunRecord, job: KeptJob) -> Json:
    service = service_of(request)
    notes = JobSpec.of(job).told(strings_of(request))
    state = service.state_of(record)
    return {"run": record.id, "job": job.id, "state": state, "notes": notes}


def _figures(index: RunIndex) -> Json:
    """Without the addresses of the models' servers, which are nobody's business here."""
    overview, settings = index.overview(), index.record.manifest.settings.items()
    return {
        "settings": {name: value for name, value in settings if name != "answered_by"},
        "total": index.record.most,
        "verdicts": overview.verdicts,
        "outcomes": dict(overview.outcomes),
        "unscored": overview.unscored,
        "cut": overview.cut,
        "criteria": [shaped(criterion, _CRITERION) for criterion in overview.criteria],
    }


def _shares(overview: CriterionOverview) -> dict[str, int]:
    """Items by name; those whose samples are divided have an entry of their own."""
    if not isinstance(overview.scale, Category):
        return {}
    counts = {bar.label: bar.count for bar in overview.distribution}
    return counts | {DIVIDED: overview.divided} if overview.divided else counts


_CRITERION: Shape = {
    **fields("judge", "model", "criterion", "scored", "unscored", "not_applicable", "unsupported"),
    **fields(mean="mean.value", low="mean.low", high="mean.high", sd="sd"),
    "shares": _shares,
    "changed_by_rule": lambda overview: sum(overview.rules.values()),
    "capped": lambda overview: sum(overview.rules.values()),  # its name in earlier versions
}


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
    return JsonResponse(deleted._asdict())


@router.get(
    "/runs/{run}/verdicts",
    dependencies=[READ],
    response_model=VerdictList,
    summary="Verdicts of a run",
)
def verdicts(request: Request, run: str, query: Annotated[VerdictsQuery, Query()]) -> Response:
    """In the order of the data. A page that is not full does not mean that the run is over: ask
    again with the same cursor while the run goes on."""
    service = service_of(request)
    record = service.run(run).record
    wanted = EntryFilter(
        after=_key(query.cursor) if query.cursor is not None else None,
        item=query.item,
        outcome=None if query.outcome is None else query.outcome.value,
        limit=query.limit + 1,
    )
    entries = service.store.verdicts.page(record.id, wanted)
    shown = entries[: query.limit]
    words = strings_of(request).reason
    rows = [
        verdict_row(
            record.id, one.verdict, item_data(one.item) if query.with_inputs else None, words
        )
        for one in shown
    ]
    more = len(entries) > query.limit
    return JsonResponse({"verdicts": rows, "next": _cursor(shown[-1]) if more else None})


def _cursor(entry: Entry) -> str:
    verdict = entry.verdict
    key = [entry.position, verdict.judge, verdict.model, verdict.repeat]
    return base64.urlsafe_b64encode(orjson.dumps(key)).decode().rstrip("=")


def _key(cursor: str) -> EntryKey:
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        match orjson.loads(base64.b64decode(padded, altchars=b"-_", validate=True)):
            case [int(position), str(judge), str(model), int(repeat)] if (
                0 <= position < 2**63 and 0 <= repeat < 2**63
            ):
                return EntryKey(position, judge, model, repeat)
            case _:
                raise ValueError("not a key")  # noqa: TRY301 - one answer for all of them
    except (ValueError, binascii.Error):
        raise UsageError(Reason("form.cursor_form")) from None
