"""A run: what came out, criterion by criterion, and its items to search, filter and sort."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import monotonic

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from adjudge.analysis.browsing import CriterionOverview, ItemPage, Query, RunIndex, Slices
from adjudge.analysis.scores import DIVIDED
from adjudge.core.reason import Reason, reason_of
from adjudge.core.rubric import Criterion
from adjudge.core.scale import Binary, Category
from adjudge.core.score import Outcome
from adjudge.errors import UsageError
from adjudge.reports.renderers.page import Front
from adjudge.service.caches import AGAIN, result_in_time
from adjudge.service.security.access import needs
from adjudge.service.state import Service, service_of
from adjudge.strings import Strings, strings_for

from .language import language_of
from .rendering import page
from .run_view import (
    address,
    cascade_section,
    confidence_of,
    lasted,
    progress_of,
    query_of,
    settings_of,
    tells_confidence,
)

router = APIRouter(include_in_schema=False, dependencies=[Depends(needs("read"))])


@router.get("/runs/{run_id}")
def show(request: Request, run_id: str) -> Response:
    since, service = monotonic(), service_of(request)
    index = service.indexes.of(run_id)
    record = index.record
    if record.id != run_id:  # "latest", or the beginning of an id
        query = f"?{request.url.query}" if request.url.query else ""
        return RedirectResponse(f"/runs/{record.id}{query}", 307)
    overview = index.overview()
    view = _view(service, index, request, since)
    criteria = [criterion for grader in overview.graders for criterion in grader.criteria]
    ordered = [criterion for criterion in criteria if criterion.mean.value is not None]
    named, say = _by_name(index), strings_for(language_of(request))
    scored = _scored_by(named, view.query)
    links = {}
    if request.state.access.allows("judge"):
        links["abstained"] = f"/label/{record.id}?pick=abstained"
    answer = page(
        request,
        "run",
        422 if view.problem else 200,
        record=record,
        state=service.jobs.state_of(record.id) or record.state,
        job=next(iter(service.store.jobs.of_run(record.id)), None),
        progress=progress_of(service.store, record),
        lasted=lasted(record),
        index=index,
        overview=overview,
        criteria=criteria,
        ordered=len(ordered),
        named=named,
        scored=scored,
        choices=_choices(scored, say, criteria),
        outcomes=_outcomes(criteria),
        models=list(dict.fromkeys(grader.model for grader in index.graders)),
        columns=index.slice_columns(),
        settings=settings_of(record, say),
        cascade=cascade_section(index, service.store, say),
        front=Front(say, links),
        slice_plot=_plotted(ordered, view.query) if view.slices else None,
        view=view,
        confidence=confidence_of if tells_confidence(index) else None,
        already="already" in request.query_params,
        elsewhere="elsewhere" in request.query_params,
        kept=[
            pair
            for pair in request.query_params.multi_items()
            if pair[0] not in ("page", "already", "elsewhere")
        ],
        address=address,
    )
    if view.waiting:
        answer.headers["Refresh"] = str(AGAIN)
    return answer


@router.post("/runs/{run_id}/stop", dependencies=[Depends(needs("judge"))])
def stop(request: Request, run_id: str) -> Response:
    """Lets the run end with the replies that are under way; it can be gone on with later.

    Where another process has it in hand the page says that it was not stopped.
    """
    service = service_of(request)
    record = service.store.runs.find(run_id)
    query = "" if service.jobs.stop(record.id) else "?elsewhere=1"
    return RedirectResponse(f"/runs/{record.id}{query}", 303)


@dataclass(frozen=True, slots=True, kw_only=True)
class _View:
    """What of the run was asked for; with a `problem` where that cannot be answered. `waiting`: the
    slices are still being worked out."""

    query: Query
    page: ItemPage | None = None
    slices: Slices | None = None
    column: str = ""
    waiting: bool = False
    problem: Reason | None = None


def _view(service: Service, index: RunIndex, request: Request, since: float) -> _View:
    query, column = Query(), request.query_params.get("slice", "")
    try:
        query = query_of(request.query_params)
        shown = index.page(query)
        if shown.page > shown.pages > 0:  # an old address: there are fewer items now
            query = replace(query, page=shown.pages)
            shown = index.page(query)
        slices = _slices(service, index, column, since) if column else None
    except UsageError as error:
        return _View(query=query, column=column, problem=reason_of(error))
    waiting = bool(column) and slices is None
    return _View(query=query, page=shown, slices=slices, column=column, waiting=waiting)


def _slices(service: Service, index: RunIndex, column: str, since: float) -> Slices | None:
    """None where a large run is still being read for them."""
    key = (index.record.id, index.mark, column)
    return result_in_time(service.slices.of(key, lambda: index.slices(column)), since, index.items)


def _by_name(index: RunIndex) -> dict[str, Criterion]:
    """The criteria that can be filtered by, each once, as the first judge has it."""
    named: dict[str, Criterion] = {}
    for judge in index.judges.values():
        for name, criterion in judge.rubric.criteria.items():
            named.setdefault(name, criterion)
    return named


def _scored_by(named: dict[str, Criterion], query: Query) -> Criterion | None:
    """The criterion whose scores can be filtered by: the chosen one, or the only one."""
    only = next(iter(named)) if len(named) == 1 else ""
    return named.get(query.criterion or only)


def _choices(
    scored: Criterion | None, say: Strings, criteria: Sequence[CriterionOverview]
) -> list[tuple[str, str]] | None:
    """The values to choose from, with their words, where they are names; None for numbers."""
    if scored is None:
        return None
    overviews = [overview for overview in criteria if overview.criterion == scored.name]
    # Likelihoods are numbers, whatever the scale.
    if not all(overview.on_scale for overview in overviews):
        return None
    scale = scored.scale
    if isinstance(scale, Category):
        divided = any(overview.divided for overview in overviews)
        names = [(name, name) for name in scale.options]
        return names + [(DIVIDED, say("common.divided"))] * divided
    if isinstance(scale, Binary):
        return [("yes", say("common.yes")), ("no", say("common.no"))]
    return None


def _outcomes(criteria: Sequence[CriterionOverview]) -> list[str]:
    """Those that some score of the run has, in their usual order."""
    seen = {name for criterion in criteria for name, n in criterion.unscored.items() if n}
    return [
        outcome.value for outcome in Outcome if outcome.value in seen or outcome is Outcome.SCORED
    ]


def _plotted(ordered: Sequence[CriterionOverview], query: Query) -> CriterionOverview | None:
    """The criterion whose slices are drawn: the chosen one, else the first."""
    chosen = (criterion for criterion in ordered if criterion.criterion == query.criterion)
    return next(chosen, next(iter(ordered), None))
