"""Plots as images: drawn once for each state of what they show, and not sent twice."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import Response

from adjudge.errors import UsageError

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
        raise UsageError("There is nothing to draw: no score that lies on an ordered scale.")
    with _lock:
        _kept[name] = text
        while len(_kept) > _MOST:
            _kept.popitem(last=False)
    return text
