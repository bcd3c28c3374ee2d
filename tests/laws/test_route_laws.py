"""Every route of the service says whom it is for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.dependencies.models import Dependant
from fastapi.routing import RouteContext, iter_route_contexts
from starlette.routing import Mount

from adjudge.service.app import create_app
from adjudge.service.options import ServeOptions
from adjudge.service.security.access import NeedsScope
from adjudge.service.security.request_checks import is_open

# Whoever has no access reaches these, and nothing else.
OPEN = {"/healthz", "/login", "/logout", "/language/{language}", "/static"}
# FastAPI's own, without dependencies: the guard asks for access.
GUARDED = {"/api/v1/openapi.json"}
# What is sent there is looked at and forgotten: it may be too long for a URL.
LOOKED_AT = {"/judges/{name}/prompt"}
SAFE = {"GET", "HEAD", "OPTIONS"}


@pytest.fixture(scope="module")
def routes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[RouteContext]]:
    """Those of all routers, as they are served."""
    store: Path = tmp_path_factory.mktemp("routes") / "store.db"
    app = create_app(ServeOptions(store=str(store)))
    found = list(iter_route_contexts(app.routes))
    assert len(found) > 20
    yield found
    app.state.service.store.close()


def needed(route: RouteContext) -> set[str]:
    """The scopes that a route asks for, by itself or by its router."""

    def walk(dependant: Dependant) -> Iterator[str]:
        for each in dependant.dependencies:
            if isinstance(each.call, NeedsScope):
                yield each.call.scope
            yield from walk(each)

    dependant = getattr(route, "dependant", None)
    return set(walk(dependant)) if isinstance(dependant, Dependant) else set()


def told(route: RouteContext) -> str:
    return f"{','.join(sorted(route.methods or ()))} {route.path}"


def test_every_route_needs_a_scope_or_is_open_on_purpose(routes: list[RouteContext]) -> None:
    forgotten = [
        told(route) for route in routes if route.path not in OPEN | GUARDED and not needed(route)
    ]
    assert forgotten == []


def test_reading_is_not_enough_to_change_anything(routes: list[RouteContext]) -> None:
    weak = [
        told(route)
        for route in routes
        if route.path not in OPEN | LOOKED_AT and (route.methods or set()) - SAFE
        if not needed(route) & {"judge", "admin"}
    ]
    assert weak == []


def test_the_guard_opens_what_is_open_on_purpose_and_no_more(routes: list[RouteContext]) -> None:
    for route in routes:
        path = f"{route.path}/x" if isinstance(route.route, Mount) else str(route.path)
        assert is_open(path) == (route.path in OPEN), path
    assert {route.path for route in routes} >= OPEN
