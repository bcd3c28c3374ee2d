"""A run: what came out, criterion by criterion, and its items to search, filter and sort."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from time import monotonic
from typing import Annotated, Any
from urllib.parse import parse_qsl, urlencode

from fastapi import APIRouter, Form
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from adjudge.analysis.browsing import (
    HOWS,
    LABELS,
    CriterionOverview,
    ItemPage,
    Query,
    RunIndex,
    RunOverview,
    Slices,
)
from adjudge.analysis.scores import DIVIDED
from adjudge.core.reason import Reason, reason_of
from adjudge.core.rubric import Criterion
from adjudge.core.scale import Binary, Category
from adjudge.core.score import Outcome
from adjudge.errors import UsageError
from adjudge.reports.blocks import Block
from adjudge.reports.findings.gathering import Combined, Opening, SinceLast, can_combine
from adjudge.reports.findings.opening import opening, run_content, run_name
from adjudge.reports.findings.overview import slices
from adjudge.reports.renderers.page import PageRenderer
from adjudge.reports.words import Words
from adjudge.service.caches import result_in_time
from adjudge.service.jobs.plan import JobSpec
from adjudge.service.security.access import JUDGE, READ, token_id_of
from adjudge.service.state import Service, service_of
from adjudge.strings import Strings

from .rendering import page, words_of
from .run_filters import (
    COLUMNS_COOKIE,
    OURS,
    address,
    adds_condition,
    chips,
    column_choices,
    columns_cookie,
    criterion_choices,
    query_of,
    shown_columns,
)
from .run_view import (
    combined_of,
    combined_sections,
    confidence_of,
    last_of,
    run_seconds,
    scale_end,
    sections_of,
    settings_of,
    shown_state,
    slice_blocks,
    systems_in,
    tells_confidence,
    unanswered_in,
)

router = APIRouter(include_in_schema=False, dependencies=[READ])


_YEAR = 365 * 24 * 3600  # seconds
TABS = ("items", "scores", "slices", "facts")


@router.get("/runs/{run_id}")
def show(request: Request, run_id: str) -> Response:
    since, service = monotonic(), service_of(request)
    index = service.indexes.soon(run_id)
    record = index.record
    params = request.query_params
    if record.id != run_id:  # "latest", or the beginning of an id
        query = f"?{request.url.query}" if request.url.query else ""
        return RedirectResponse(f"/runs/{record.id}{query}", 307)
    overview = index.overview()
    progress = service.progress_of(record) if record.state == "running" else None
    tab = params.get("tab") or ("slices" if params.get("slice") else "items")
    view = _view(service, index, request, since, tab=tab, ended=progress is None)
    if view.page and adds_condition(params):  # rewritten, so that the address can be shared
        return RedirectResponse(f"/runs/{record.id}?{address(view.query)}#items", 303)
    criteria = overview.criteria
    named, words = _by_name(index), words_of(request).about(index.judges)
    job = next(iter(service.store.jobs.of_run(record.id)), None)
    scored = _scored_by(named, view.query)
    titles = {name: criterion.title for name, criterion in named.items()}
    addresses = _Addresses(index, view.query, view.column, len(named))
    last = last_of(service, record) if view.page or tab == "items" else None
    known = {} if index.partial else index.columns()
    shown = shown_columns(request.cookies.get(COLUMNS_COOKIE), [*known])
    sections = sections_of(index, service.store, words) if tab in ("scores", "facts") else {}
    return page(
        request,
        "run",
        422 if view.problem else 200,
        refresh=view.waiting or (view.combining and tab == "scores") or index.partial,
        record=record,
        name=run_name(record, index.judges, words),
        content=run_content(record, index.judges, words),
        opening=opening(_opening(index, view, last), words),
        last=last,
        pending=last is not None and last.comparison is None and last.why is None,
        tab=tab if tab in TABS else "items",
        tabs=[name for name in TABS if name != "slices" or index.slice_columns()],
        state=shown_state(service, record),
        job=job,
        notes=JobSpec.of(job).told(words.say) if job else (),
        unanswered=unanswered_in(service, record) if progress is None else None,
        progress=progress,
        run_seconds=run_seconds(record),
        index=index,
        overview=overview,
        named=named,
        scored=scored,
        chips=[*chips(view.query, titles, words.say)] if view.page else [],
        hows=HOWS,
        labels=LABELS,
        has_labels=any(
            service.store.labels.counts(record.manifest.data_hash, judge).labels
            for judge in index.judges
        ),
        known_columns=known,
        score_columns=criterion_choices(titles),
        shown=shown,
        column_choices=column_choices([*known], shown),
        ours=[name for name in OURS if _has_column(index, name)],
        choices=_choices(scored, words.say, criteria),
        outcomes=_outcomes(criteria),
        models=list(dict.fromkeys(grader.model for grader in index.graders)),
        columns=() if index.partial else index.slice_columns(),
        settings=settings_of(record, words.say),
        sections=sections,
        combined=[*combined_sections(index, view.combined, words)] if view.combined else [],
        sliced=_sliced(view, overview, words),
        renderer=addresses.renderer(request, words.say),
        view=view,
        scale_end=partial(scale_end, words),
        systems_in=systems_in,
        confidence=confidence_of if tells_confidence(index) else None,
        already="already" in params,
        elsewhere="elsewhere" in params,
        kept=[
            pair
            for pair in params.multi_items()
            if pair[0] not in ("page", "already", "elsewhere", "tab")
        ],
        address=address,
        addresses=addresses,
    )


def _opening(index: RunIndex, view: _View, last: SinceLast | None) -> Opening:
    ranking = view.combined.ranking if view.combined else None
    return Opening(
        record=index.record,
        judges=index.judges,
        overview=index.overview(),
        ranking=ranking,
        last=last,
    )


def _has_column(index: RunIndex, name: str) -> bool:
    if name == "disagreement":
        return index.has_disagreement
    return name != "confidence" or tells_confidence(index)


@router.get("/runs/{run_id}/columns")
def choose_columns(request: Request, run_id: str) -> Response:
    """Keeps which columns the reader wants to see of items, for all runs."""
    record = service_of(request).store.runs.find(run_id)
    params = request.query_params
    asked = address(query_of(params)) if "back" in params else ""
    answer = RedirectResponse(f"/runs/{record.id}?{asked}#items", 303)
    answer.set_cookie(
        COLUMNS_COOKIE,
        columns_cookie(params.getlist("show")),
        max_age=_YEAR,
        httponly=True,
        samesite="lax",
    )
    return answer


@router.post("/runs/{run_id}/stop", dependencies=[JUDGE])
def stop(request: Request, run_id: str) -> Response:
    """Lets the run end with the replies that are under way; it can be gone on with later.

    Where another process has it in hand the page says that it was not stopped.
    """
    service = service_of(request)
    record = service.store.runs.find(run_id)
    query = "" if service.jobs.stop(record.id) else "?elsewhere=1"
    return RedirectResponse(f"/runs/{record.id}{query}", 303)


@router.get("/runs/{run_id}/stop")
@router.get("/runs/{run_id}/resume")
def back(request: Request, run_id: str) -> Response:
    """Who comes back to the address of a form finds its page."""
    return RedirectResponse(f"/runs/{service_of(request).store.runs.find(run_id).id}", 303)


@router.post("/runs/{run_id}/resume", dependencies=[JUDGE])
def resume(request: Request, run_id: str, budget: Annotated[str, Form()] = "") -> Response:
    """Goes on with a run that has answers to get yet; what is there is not asked for again."""
    service = service_of(request)
    record = service.store.runs.find(run_id)
    job = service.jobs.resume_run(record.id, token_id_of(request), budget=budget)
    return RedirectResponse(f"/runs/{job.run}", 303)


@dataclass(frozen=True, slots=True, kw_only=True)
class _View:
    """What of the run was asked for; with a `problem` where that cannot be answered. `waiting`: the
    slices are still being worked out; `combining`: what several verdicts on an item come to is."""

    query: Query
    page: ItemPage | None = None
    slices: Slices | None = None
    column: str = ""
    waiting: bool = False
    combined: Combined | None = None
    combining: bool = False
    problem: Reason | None = None


def _view(
    service: Service, index: RunIndex, request: Request, since: float, *, tab: str, ended: bool
) -> _View:
    """While a run goes on, each verdict would combine all of them again."""
    query, column = Query(), request.query_params.get("slice", "") if tab == "slices" else ""
    pairs = any(judge.pair for judge in index.judges.values())
    wanted = tab == "scores" or pairs
    combining = wanted and ended and not index.partial and can_combine(index)
    combined = combined_of(service, index) if combining else None
    try:
        query = _told_apart(query_of(request.query_params), index)
        shown = index.page(query)
        if shown.page > shown.pages > 0:  # an old address: there are fewer items now
            query = replace(query, page=shown.pages)
            shown = index.page(query)
        slices = _slices(service, index, column, since) if column else None
    except UsageError as error:
        return _View(query=query, column=column, problem=reason_of(error))
    findings = result_in_time(combined, since, index.items) if combined else None
    return _View(
        query=query,
        page=shown,
        slices=slices,
        column=column,
        waiting=bool(column) and slices is None,
        combined=findings,
        combining=combining and findings is None,
    )


def _told_apart(query: Query, index: RunIndex) -> Query:
    """Without the judge and the model that a plot names, where there is no other."""
    judges, models = index.record.manifest.judges, index.record.manifest.models
    return replace(
        query,
        judge=None if [query.judge] == [*judges] else query.judge,
        model=None if [query.model] == [*models] else query.model,
    )


def _sliced(view: _View, overview: RunOverview, words: Words) -> list[Block]:
    if view.slices is None:
        return []
    return slice_blocks(slices(view.slices, overview, words), view.column, view.query.criterion)


def _slices(service: Service, index: RunIndex, column: str, since: float) -> Slices | None:
    """None where a large run is still being read for them."""
    key = (index.record.id, index.mark, column)
    return result_in_time(service.slices.of(key, lambda: index.slices(column)), since, index.items)


def _by_name(index: RunIndex) -> dict[str, Criterion]:
    """The criteria that can be filtered by, each once, as the first judge has it."""
    named: dict[str, Criterion] = {}
    for judge in index.judges.values():
        for name, criterion in judge.rubric.measures.items():
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


@dataclass(frozen=True, slots=True)
class _Addresses:
    """Where links of the page lead: to the same question, changed in a few points."""

    index: RunIndex
    query: Query
    column: str
    criteria: int

    def to(self, **changes: Any) -> str:
        return f"/runs/{self.index.record.id}?{address(self.query, **changes)}"

    def pairs(self) -> list[tuple[str, str]]:
        """The question as the fields of a form."""
        return parse_qsl(address(self.query, page=self.query.page), keep_blank_values=True)

    def which(self, judge: str, model: str, criterion: str) -> dict[str, str | None]:
        """What asks for a criterion's scores: only what there are several of is named."""
        models = {grader.model for grader in self.index.graders}
        return {
            "criterion": criterion if self.criteria > 1 else self.query.criterion,
            "judge": judge if len(self.index.judges) > 1 else None,
            "model": model if len(models) > 1 else None,
        }

    def renderer(self, request: Request, say: Strings) -> PageRenderer:
        here = f"/runs/{self.index.record.id}"
        links: dict[str, str | Callable[[Mapping[str, str]], str]] = {
            "outcome": lambda fields: f"{here}?{urlencode(fields)}#items",
            "rule": lambda fields: f"{self.to(**fields)}#items",
            "criterion": lambda fields: (
                f"{self.to(**self.which(**fields), sort='score', down=False)}#items"
            ),
            "item": lambda fields: f"{here}/item?{urlencode(fields)}",
        }
        if request.state.access.allows("judge"):
            links["abstained"] = f"/label/{self.index.record.id}?pick=abstained"
        return PageRenderer(say, links, f"{here}/plots", {"m": str(self.index.mark)}, here)
