"""Labelling: choosing a run, saying who labels what, and one question after another.

What the judge said of an item is never read here, so that it cannot come to the page.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Depends, Form
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from adjudge.analysis.labelling import (
    LabelPlace,
    LabelSession,
    judge_of,
    keys_of,
    picks_for,
    scales_of,
)
from adjudge.core.reason import Reason, reason_of
from adjudge.core.scale import NotAValue
from adjudge.errors import UsageError
from adjudge.run_handle import Run
from adjudge.service.security.access import needs
from adjudge.service.state import Service, service_of

from .label_view import (
    RATER_COOKIE,
    Choice,
    as_cookie,
    choice_of,
    end_view,
    labelled_runs,
    proposed_rater,
    question_view,
)
from .rendering import page, paged

router = APIRouter(include_in_schema=False, dependencies=[Depends(needs("judge"))])
_YEAR = 365 * 24 * 3600
_RUNS = 50  # on a page


@router.get("/label")
def choose(request: Request) -> Response:
    """The runs to label, the latest first."""
    store = service_of(request).store
    records = [record for record in store.runs.all() if "probe" not in record.manifest.tags]
    shown = paged(request, records, _RUNS)
    return page(request, "label", runs=labelled_runs(store, shown.shown), paged=shown)


@router.get("/label/{run}")
def ask(request: Request, run: str) -> Response:
    """The form that asks who labels what; where the address says that, the next question."""
    service = service_of(request)
    opened, choice = service.run(run), _choice(service, request, run)
    if "rater" not in request.query_params or not choice.judge:
        return _start(request, opened, replace(choice, rater=proposed_rater(request)))
    if choice.problem:
        return _start(request, opened, choice, choice.problem)
    try:
        session = _session(service, opened, choice)
    except UsageError as error:
        return _start(request, opened, choice, "label.problem.queue", reason_of(error))
    if choice.at is not None:
        session.turn_to(choice.at)
    return _question(request, opened, choice, session)


@router.post("/label/{run}")
def act(
    request: Request,
    run: str,
    item: Annotated[str, Form()] = "",
    asked: Annotated[str, Form()] = "",
    do: Annotated[str, Form()] = "",
    value: Annotated[str, Form()] = "",
) -> Response:
    """Does to the question that the page showed (the criterion `asked` of the item) what was said.

    A second click, or a tab that was left behind, can so never label another question.
    """
    service = service_of(request)
    opened, choice = service.run(run), _choice(service, request, run)
    if choice.problem or not choice.judge:
        return _start(request, opened, choice, choice.problem or "label.problem.judge")
    session = _session(service, opened, choice)
    place = session.place_of(item, asked)
    if do == "undo" and not item:  # on the page after the last question
        place = len(session.queue) * len(session.scales)
    if place is None:
        return _question(request, opened, choice, session, problem="label.problem.gone")
    session.turn_to(place, again=True)
    if do == "undo":
        session.undo()
    elif do in {"skip", "skip_item"}:
        session.skip(item=do == "skip_item")
    else:
        try:
            session.answer(keys_of(session.scales[asked]).read(value))
        except NotAValue:
            problem = "label.problem.value" if value.strip() else "label.problem.empty"
            return _question(request, opened, choice, session, problem=problem, typed=value)
    return RedirectResponse(f"/label/{opened.id}?{choice.query(session.at)}", 303)


def _choice(service: Service, request: Request, run: str) -> Choice:
    """With the judge's name where there is but one; UsageError for one that the run has not."""
    record, choice = service.run(run).record, choice_of(request.query_params)
    if choice.judge or len(record.manifest.judges) == 1:
        return replace(choice, judge=judge_of(record, choice.judge or None))
    return choice


def _session(service: Service, run: Run, choice: Choice) -> LabelSession:
    chosen = choice.labelling
    scales = scales_of(run.judge(choice.judge), chosen.criteria)
    goes_on = choice.at is not None
    queue = service.label_queues.of(run.record, choice.judge, chosen, goes_on=goes_on)
    place = LabelPlace(run.record.manifest.data_hash, choice.judge)
    return LabelSession(service.store, place, chosen, queue, scales)


def _start(
    request: Request,
    run: Run,
    choice: Choice,
    problem: str | None = None,
    why: Reason | None = None,
) -> Response:
    judge = run.judge(choice.judge) if choice.judge else None
    return page(
        request,
        "label_start",
        422 if problem else 200,
        run=run.record,
        judge=judge,
        choice=choice,
        picks=picks_for(run.record),
        problem=problem,
        why=why,
    )


def _question(
    request: Request,
    run: Run,
    choice: Choice,
    session: LabelSession,
    *,
    problem: str | None = None,
    typed: str = "",
) -> Response:
    shown = {"run": run.record, "choice": choice, "problem": problem, "typed": typed}
    judge, store = run.judge(choice.judge), service_of(request).store
    status = 422 if problem else 200
    if session.current is None:
        answer = page(request, "label_end", status, **shown, view=end_view(judge, session, choice))
    else:
        items = store.items.get(run.id, [session.current.item])
        if session.current.item not in items:
            raise UsageError(Reason("here.item_gone", run=run.id, item=session.current.item))
        view = question_view(judge, items[session.current.item], session, choice)
        answer = page(request, "label_question", status, **shown, view=view)
    answer.set_cookie(
        RATER_COOKIE, as_cookie(choice.rater), max_age=_YEAR, httponly=True, samesite="lax"
    )
    return answer
