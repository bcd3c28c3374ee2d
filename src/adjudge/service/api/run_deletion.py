"""A run deleted over HTTP."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Request
from starlette.responses import Response

from adjudge.errors import UsageError
from adjudge.service.state import service_of

from .audit import audit
from .json_route import ADMIN, PREFIX, Json
from .schemas.runs import RunDeleted

router = APIRouter(prefix=PREFIX)


@router.delete(
    "/runs/{run}",
    dependencies=[ADMIN],
    response_model=RunDeleted,
    summary="Delete a run with all its texts",
)
def delete_run(
    request: Request, run: Annotated[str, Path(description="The whole id of the run.")]
) -> Response:
    """Gone for good: its items, verdicts and figures, and the replies in the cache that it had paid
    for. What others paid for stays in the cache until `adjudge cache clear`; labels stay, since
    they belong to the data. A run that is under way has to be stopped first (409)."""
    store = service_of(request).store
    record = store.find(run)
    if record.id != run:  # another run may be the latest one, or begin like that, by now
        raise UsageError(f"{run}: name the run to be deleted by its whole id, {record.id}.")
    deleted = store.delete(record.id)
    audit(request, "run deleted", run=record.id)
    return Json(deleted._asdict())
