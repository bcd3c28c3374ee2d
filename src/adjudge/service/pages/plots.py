"""Plots as images, each drawn once for each state of what it shows, and not sent twice; those of a
run page are served here: the page need not wait for them."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import Response

from adjudge.analysis.browsing import CriterionOverview, RunIndex
from adjudge.core.reason import Reason
from adjudge.errors import UnknownName, UsageError
from adjudge.reports.plots import charts
from adjudge.service.security.access import needs
from adjudge.service.state import service_of
from adjudge.strings import strings_for

from .language import language_of

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
        overviews = [each for grader in index.overview().graders for each in grader.criteria]
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
    for grader in index.overview().graders:
        for each in grader.criteria:
            if (each.judge, each.model, each.criterion) == which:
                return each
    raise UnknownName(Reason("here.no_plot", run=index.record.id, name="/".join(which)))


_MOST = 512  # plots kept, some 20 KB each
_kept: OrderedDict[str, str] = OrderedDict()
_lock = threading.Lock()


def svg(request: Request, key: tuple[object, ...], draw: Callable[[], str | None]) -> Response:
    """The plot as an SVG file. `key` holds all that it depends on: the state of the run, the words.

    UsageError where there is nothing to draw.
    """
    name = hashlib.sha256(repr((request.url.path, key)).encode()).hexdigest()[:32]
    headers = {"ETag": f'"{name}"', "Cache-Control": "private, no-cache"}
    if headers["ETag"] in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    return Response(_drawn(name, draw), media_type="image/svg+xml", headers=headers)


def _drawn(name: str, draw: Callable[[], str | None]) -> str:
    with _lock:
        if name in _kept:
            _kept.move_to_end(name)
            return _kept[name]
    text = draw()
    if text is None:
        raise UsageError(Reason("here.nothing_drawn"))
    with _lock:
        _kept[name] = text
        while len(_kept) > _MOST:
            _kept.popitem(last=False)
    return text
