"""The plots of the trust page."""

from __future__ import annotations

from collections.abc import Callable

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import Response

from adjudge.analysis.calibration import GraderCalibration
from adjudge.analysis.probing.keeping import probed_from
from adjudge.errors import UnknownName
from adjudge.reports.document import charts
from adjudge.reports.strings import Strings, strings_for
from adjudge.service.calibrated import Grading
from adjudge.service.security.access import needs
from adjudge.service.state import service_of

from .rendering import language_of
from .svg import svg

router = APIRouter(include_in_schema=False, dependencies=[Depends(needs("read"))])


@router.get("/trust/{run_id}/plots/agreement.svg")
def agreement(request: Request, run_id: str, judge: str, model: str, group: str = "") -> Response:
    """How far the judge agrees with people, a row a criterion."""
    return _of_part(request, run_id, Grading(judge, model, group or None), charts.agreement_chart)


@router.get("/trust/{run_id}/plots/corrected.svg")
def corrected(request: Request, run_id: str, judge: str, model: str, group: str = "") -> Response:
    """The judge's means beside the corrected ones."""
    return _of_part(request, run_id, Grading(judge, model, group or None), charts.corrected_chart)


@router.get("/trust/{run_id}/plots/confusion.svg")
def confusion(
    request: Request, run_id: str, judge: str, model: str, criterion: str, group: str = ""
) -> Response:
    """Which value the judge gave where people gave which."""
    asked = Grading(judge, model, group or None)
    return _of_criterion(request, run_id, asked, criterion, charts.confusion_chart)


@router.get("/trust/{run_id}/plots/scatter.svg")
def scatter(
    request: Request, run_id: str, judge: str, model: str, criterion: str, group: str = ""
) -> Response:
    """Judge against people, item by item."""
    asked = Grading(judge, model, group or None)
    return _of_criterion(request, run_id, asked, criterion, charts.scatter_chart)


@router.get("/trust/{run_id}/plots/probes.svg")
def probes(request: Request, run_id: str, judge: str, model: str) -> Response:
    """What each probe did to the scores of this judge and model."""
    service, language = service_of(request), language_of(request)
    service.run(run_id)
    kept = service.store.probes.latest(judge, model)
    if kept is None:
        raise UnknownName(f"{judge} by {model} has not been probed.")
    say = strings_for(language)
    return svg(
        request,
        (judge, model, kept.created, language),
        lambda: charts.probes_chart(say, probed_from(kept.content)),
    )


def _of_part(
    request: Request,
    run_id: str,
    asked: Grading,
    chart: Callable[[Strings, GraderCalibration], str | None],
    criterion: str = "",
) -> Response:
    service, language = service_of(request), language_of(request)
    state, found = service.calibrated.of(service.run(run_id).record, asked)
    part, say = found.result().graders[0], strings_for(language)
    return svg(request, (state, asked, criterion, language), lambda: chart(say, part))


def _of_criterion(
    request: Request,
    run_id: str,
    asked: Grading,
    criterion: str,
    chart: Callable[[Strings, GraderCalibration, str], str | None],
) -> Response:
    def chosen(say: Strings, part: GraderCalibration) -> str | None:
        if criterion not in part.criteria:
            raise UnknownName(f"{asked.judge} has no labels for a criterion {criterion!r}.")
        return chart(say, part, criterion)

    return _of_part(request, run_id, asked, chosen, criterion)
