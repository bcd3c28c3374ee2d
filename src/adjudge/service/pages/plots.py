"""Plots as images, each drawn once for each state of what it shows, and not sent twice; those of a
run page are served here: the page need not wait for them."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import Response

from adjudge.core.reason import Reason
from adjudge.errors import UsageError
from adjudge.reports.blocks import Block, plots
from adjudge.reports.findings.overview import slices
from adjudge.reports.words import Words
from adjudge.service.security.access import needs
from adjudge.service.state import service_of
from adjudge.strings import strings_for

from .language import language_of
from .run_view import combined_of, combined_sections, scores_of

router = APIRouter(include_in_schema=False, dependencies=[Depends(needs("read"))])


@router.get("/runs/{run_id}/plots/{name}.svg")
def plot(request: Request, run_id: str, name: str, column: str = "") -> Response:
    """A plot of the run page by its name, and by judge, model and criterion where there is one for
    each; `column` is the one that the items are divided by."""
    service, language = service_of(request), language_of(request)
    index, words = service.indexes.of(run_id), Words(strings_for(language))

    def blocks() -> Iterable[Block]:
        if name == "slices":
            return [slices(index.slices(column), index.overview(), words)]
        if name == "ranking":
            return combined_sections(index, combined_of(service, index).result(), words)
        return scores_of(index, words)

    return drawn(request, (index.mark, language), blocks, name)


def drawn(
    request: Request, key: tuple[object, ...], blocks: Callable[[], Iterable[Block]], name: str
) -> Response:
    """The plot among the blocks that has this name and the fields that the address names."""
    asked = dict(request.query_params)

    def draw() -> str | None:
        for one in plots(blocks()):
            if one.name == name and one.fields.items() <= asked.items():
                return one.draw()
        return None

    return svg(request, (*key, sorted(asked.items())), draw)


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
