"""The plots of a run page, each an image of its own: the page need not wait for them."""

from __future__ import annotations

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import Response

from adjudge.analysis.browsing.index import RunIndex
from adjudge.analysis.browsing.overview import CriterionOverview
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
    which = (judge, model, criterion)

    def draw() -> str:
        return charts.distribution_chart(strings_for(language), _overview(index, which))

    return svg(request, (index.mark, *which, language), draw)


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
    which = (judge, model, criterion)

    def draw() -> str | None:
        found = index.slices(column)
        return charts.slices_chart(strings_for(language), found, _overview(index, which))

    return svg(request, (index.mark, column, *which, language), draw)


def _overview(index: RunIndex, which: tuple[str, str, str]) -> CriterionOverview:
    """By judge, model and criterion."""
    for grader in index.summary().graders:
        for each in grader.criteria:
            if (each.judge, each.model, each.criterion) == which:
                return each
    raise UnknownName(f"Run {index.record.id} has no {'/'.join(which)}.")
