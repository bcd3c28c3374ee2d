"""Plots as images, each drawn once for each state of what it shows, and not sent twice; those of a
run page are served here: the page need not wait for them."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from adjudge.core.reason import Reason
from adjudge.errors import UsageError
from adjudge.reports.blocks import Block, plots
from adjudge.reports.findings.overview import slices
from adjudge.service.security.access import READ
from adjudge.service.state import service_of

from .rendering import language_of, words_of
from .run_view import combined_of, combined_sections, scores_of

router = APIRouter(include_in_schema=False, dependencies=[READ])


@router.get("/runs/{run_id}/plots/{name}.svg")
def plot(request: Request, run_id: str, name: str, column: str = "") -> Response:
    """A plot of the run page by its name, and by judge, model and criterion where there is one for
    each; `column` is the one that the items are divided by."""
    service, language = service_of(request), language_of(request)
    index, words = service.indexes.of(run_id), words_of(request)

    def blocks() -> Iterable[Block]:
        if name == "slices":
            return [slices(index.slices(column), index.overview(), words)]
        if name == "ranking":
            return combined_sections(index, combined_of(service, index).result(), words)
        return scores_of(index, words)

    return plot_response(request, (index.mark, language), blocks, name)


_MOST = 512  # plots kept, some 20 KB each
_kept: OrderedDict[str, str] = OrderedDict()
_lock = threading.Lock()


def plot_response(
    request: Request, key: tuple[object, ...], blocks: Callable[[], Iterable[Block]], name: str
) -> Response:
    """The plot among the blocks that has this name and the fields that the address names, as an SVG
    file. `key` holds all that it depends on: the state of the run, the words.

    UsageError where there is nothing to draw.
    """
    asked = dict(request.query_params)
    state = repr((request.url.path, (*key, sorted(asked.items()))))
    digest = hashlib.sha256(state.encode()).hexdigest()[:32]
    headers = {"ETag": f'"{digest}"', "Cache-Control": "private, no-cache"}
    if headers["ETag"] in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    with _lock:
        text = _kept.get(digest)
    if text is None:
        text = _drawing(blocks(), name, asked)
    with _lock:
        _kept[digest] = text
        _kept.move_to_end(digest)
        while len(_kept) > _MOST:
            _kept.popitem(last=False)
    return Response(text, media_type="image/svg+xml", headers=headers)


def _drawing(blocks: Iterable[Block], name: str, asked: Mapping[str, str]) -> str:
    for plot in plots(blocks):
        if plot.name == name and plot.fields.items() <= asked.items():
            if text := plot.draw():
                return text
            break
    raise UsageError(Reason("here.nothing_drawn"))
