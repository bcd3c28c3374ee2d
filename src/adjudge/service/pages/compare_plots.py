"""The plots of the page that compares."""

from __future__ import annotations

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import Response

from adjudge.errors import UsageError
from adjudge.reports.document.charts import differences_chart
from adjudge.reports.strings import strings_for
from adjudge.service.security.access import needs
from adjudge.service.state import service_of

from .compare import called_in, found_for
from .rendering import language_of
from .svg import svg

router = APIRouter(include_in_schema=False, dependencies=[Depends(needs("read"))])


@router.get("/compare/plots/differences.svg")
def differences(request: Request, section: int = 0) -> Response:
    """The differences of one judge and model, the `section`th of the comparison, from 0."""
    state, found = found_for(request)
    if not 0 <= section < len(found.sections):
        raise UsageError(f"section={section}: this comparison has {len(found.sections)}, from 0.")
    language = language_of(request)

    def draw() -> str | None:
        which = found.sections[section]
        called = called_in(service_of(request), found, which)
        return differences_chart(strings_for(language), which, called)

    return svg(request, (*state, section, language), draw)
