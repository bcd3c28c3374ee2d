"""The plots of a run page, each an image of its own: the page need not wait for them."""

from __future__ import annotations

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import Response

from adjudge.analysis.spans import span
from adjudge.errors import UnknownName
from adjudge.reports.document import charts
from adjudge.reports.strings import strings_for
from adjudge.service.security.access import needs
from adjudge.service.state import service_of

from .rendering import language_of
from .svg import svg

router = APIRouter(include_in_schema=False, dependencies=[Depends(needs("read"))])


@router.get("/runs/{run_id}/plots/distribution.svg")
def distribution(request: Request, run_id: str, judge: str, model: str, criterion: str) -> Response:
    """How often each score was given."""
    index, language = service_of(request).indexes.of(run_id), language_of(request)

    def draw() -> str:
        for grader in index.summary().graders:
            for each in grader.criteria:
                if (each.judge, each.model, each.criterion) == (judge, model, criterion):
                    return charts.distribution_chart(strings_for(language), each)
        raise UnknownName(f"Run {index.record.id} has no {judge}/{model}/{criterion}.")

    return svg(request, (index.mark, judge, model, criterion, language), draw)


@router.get("/runs/{run_id}/plots/means.svg")
def means(request: Request, run_id: str) -> Response:
    """All means with their intervals."""
    index, language = service_of(request).indexes.of(run_id), language_of(request)

    def draw() -> str | None:
        overviews = [each for grader in index.summary().graders for each in grader.criteria]
        return charts.means_chart(strings_for(language), overviews)

    return svg(request, (index.mark, language), draw)


@router.get("/runs/{run_id}/plots/slices.svg")
def slices(
    request: Request, run_id: str, column: str, judge: str, model: str, criterion: str
) -> Response:
    """A criterion's mean in each part of the data."""
    index, language = service_of(request).indexes.of(run_id), language_of(request)

    def draw() -> str | None:
        scale = index.judges[judge].rubric.criteria[criterion].scale
        found, key = index.slices(column), (judge, model, criterion)
        return charts.slices_chart(strings_for(language), found, key, span(scale))

    return svg(request, (index.mark, column, judge, model, criterion, language), draw)
