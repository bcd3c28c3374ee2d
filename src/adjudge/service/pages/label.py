"""Labelling: choosing a run, saying who labels what, and one question after another.

What the judge said of an item is never read here, so that it cannot come to the page.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Form
from starlette.concurrency import run_in_threadpool
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
from adjudge.core.label import Label
from adjudge.core.reason import Reason, reason_of
from adjudge.core.scale import NotAValue
from adjudge.errors import UsageError
from adjudge.run_handle import Run
from adjudge.service.security.access import JUDGE
from adjudge.service.state import Service, service_of
from adjudge.stats.ppi import FEWEST_LABELS

from .judge_view import unix_newlines
from .label_view import (
    ITEM,
    LONGEST_COMMENT,
    RATER_COOKIE,
    Choice,
    choice_of,
    item_views,
    label_progress,
    labelled_runs,
    previous_question,
    proposed_rater,
    question_view,
)
from .login import YEAR
from .rendering import page

router = APIRouter(include_in_schema=False, dependencies=[JUDGE])
_RUNS = 50  # on a page


@router.get("/label")
def choose(request: Request) -> Response:
    """The runs to label, the latest first."""
    shown, runs = labelled_runs(request, _RUNS)
    return page(request, "label", runs=runs, paged=shown)


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
def act(  # noqa: PLR0913, PLR0917 - what a form has
    request: Request,
    run: str,
    item: Annotated[str, Form()] = "",
    asked: Annotated[str, Form()] = "",
    do: Annotated[str, Form()] = "",
    value: Annotated[str, Form()] = "",
    known: Annotated[str | None, Form()] = None,
    comment: Annotated[str, Form(max_length=LONGEST_COMMENT)] = "",
) -> Response:
    """Does to the question that the page showed (the criterion `asked` of the item) what was said.

    A second click, or a tab that was left behind, can so never label another question. Where the
    answer is not the one that the page `known` of any more, another tab has given one: it is shown
    before it is replaced.
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
            new = keys_of(session.scales[asked]).read(value)
            label = session.said(item, asked)
            if label and known is not None and known_as(label) != known and label.value != new:
                problem = "label.problem.elsewhere"
                return _question(request, opened, choice, session, problem=problem)
            session.answer(new, unix_newlines(comment).strip())
        except NotAValue:
            problem = "label.problem.value" if value.strip() else "label.problem.empty"
            return _question(request, opened, choice, session, problem=problem, typed=value)
    return RedirectResponse(f"/label/{opened.id}?{choice.query(session.at)}", 303)


@router.post("/label/{run}/item")
async def act_on_item(request: Request, run: str) -> Response:
    """Keeps the answers to all questions about an item that were answered. Where one of them is not
    the one that the page knew of any more, or is none, nothing is kept and the page says so."""
    async with request.form() as form:
        fields = {name: text for name, text in form.items() if isinstance(text, str)}
    return await run_in_threadpool(_act_on_item, request, run, fields)


def _act_on_item(request: Request, run: str, fields: Mapping[str, str]) -> Response:
    service = service_of(request)
    opened, choice = service.run(run), _choice(service, request, run)
    if choice.problem or not choice.judge:
        return _start(request, opened, choice, choice.problem or "label.problem.judge")
    session, item = _session(service, opened, choice), fields.get("item", "")
    first = session.place_of(item, next(iter(session.scales)))
    if first is None:
        return _question(request, opened, choice, session, problem="label.problem.gone")
    answers: dict[str, float | str] = {}
    for name, scale in session.scales.items():
        typed, label = fields.get(f"value.{name}", ""), session.said(item, name)
        if not typed.strip():
            continue
        session.turn_to(first, again=True)
        try:
            answers[name] = keys_of(scale).read(typed)
        except NotAValue:
            return _question(
                request, opened, choice, session, problem="label.problem.value", typed=typed
            )
        known = fields.get(f"known.{name}")
        if label and known is not None and known_as(label) not in {known, f"={answers[name]}"}:
            return _question(
                request, opened, choice, session, problem="label.problem.elsewhere_item"
            )
    for name, value in answers.items():
        session.turn_to(session.place_of(item, name) or 0, again=True)
        session.answer(value, unix_newlines(fields.get(f"comment.{name}", "")).strip())
    session.turn_to(first + len(session.scales))
    return RedirectResponse(f"/label/{opened.id}?{choice.query(session.at)}", 303)


def known_as(label: Label | None) -> str:
    """How a form tells which answer its page knew of; never empty, as that counts as not told."""
    return "=" if label is None else f"={label.value}"


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
    data, named = run.record.manifest.data_hash, choice.judge or next(iter(run.record.sources))
    plan = run._store.labels.plan(data, named).draws
    return page(
        request,
        "label_start",
        422 if problem else 200,
        run=run.record,
        judge=judge,
        choice=choice,
        picks=picks_for(run.record, planned=bool(plan)),
        problem=problem,
        why=why,
        suggested=min(len(plan) or FEWEST_LABELS, run.record.rows),
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
    judge, store, question = run.judge(choice.judge), service_of(request).store, session.current
    shown: dict[str, Any] = {
        "run": run.record,
        "choice": choice,
        "problem": problem,
        "progress": label_progress(session, choice.rater),
        "before": previous_question(judge, session),
    }
    if question is not None:
        item = store.items.get(run.id, [question.item]).get(question.item)
        if item is None:
            raise UsageError(Reason("here.item_gone", run=run.id, item=question.item))
        view = question_view(judge, item, session, question, choice.rater)
        label = session.said(question.item, question.criterion)
        views = item_views(judge, item, session, question, choice.rater)
        answers = {name: session.said(item.id, name) for name in session.scales}
        shown |= {
            "view": view,
            "views": views,
            "answers": answers,
            "keys": {name: keys_of(scale) for name, scale in session.scales.items()},
            "states": {name: known_as(label) for name, label in answers.items()},
            "comment": label.comment if label else "",
            "typed": typed,
            "known": known_as(label),
            "said": label and label.value,
        }
    asking = "label_item" if choice.screen == ITEM else "label_question"
    template = asking if question else "label_end"
    answer = page(request, template, 422 if problem else 200, **shown)
    answer.set_cookie(
        RATER_COOKIE, quote(choice.rater), max_age=YEAR, httponly=True, samesite="lax"
    )
    return answer
