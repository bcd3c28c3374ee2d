"""The verdicts of a run, page by page."""

from __future__ import annotations

import base64
import binascii
from typing import Annotated

import orjson
from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from adjudge.core.reason import Reason
from adjudge.errors import UsageError
from adjudge.reports.files.rows import item_data, verdict_row
from adjudge.service.state import service_of
from adjudge.stores import Entry, EntryFilter, EntryKey

from .json_route import PREFIX, READ, Json
from .request_models import VerdictsQuery
from .response_models import VerdictsTold

router = APIRouter(prefix=PREFIX)


@router.get(
    "/runs/{run}/verdicts",
    dependencies=[READ],
    response_model=VerdictsTold,
    summary="Verdicts of a run",
)
def verdicts(request: Request, run: str, query: Annotated[VerdictsQuery, Query()]) -> Response:
    """In the order of the data. A page that is not full does not mean that the run is over: ask
    again with the same cursor while the run goes on."""
    service = service_of(request)
    record = service.run(run).record
    wanted = EntryFilter(
        after=_key(query.cursor) if query.cursor is not None else None,
        item=query.item,
        outcome=None if query.outcome is None else query.outcome.value,
        limit=query.limit + 1,
    )
    entries = service.store.verdicts.page(record.id, wanted)
    shown = entries[: query.limit]
    rows = []
    for entry in shown:
        texts = item_data(entry.item) if query.with_inputs else None
        rows.append(verdict_row(record.id, entry.verdict, texts))
    more = len(entries) > query.limit
    return Json({"verdicts": rows, "next": _cursor(shown[-1]) if more else None})


def _cursor(entry: Entry) -> str:
    verdict = entry.verdict
    key = [entry.position, verdict.judge, verdict.model, verdict.repeat]
    return base64.urlsafe_b64encode(orjson.dumps(key)).decode().rstrip("=")


def _key(cursor: str) -> EntryKey:
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        match orjson.loads(base64.b64decode(padded, altchars=b"-_", validate=True)):
            case [int(position), str(judge), str(model), int(repeat)] if (
                0 <= position < 2**63 and 0 <= repeat < 2**63
            ):
                return EntryKey(position, judge, model, repeat)
            case _:
                raise ValueError("not a key")  # noqa: TRY301 - one answer for all of them
    except (ValueError, binascii.Error):
        raise UsageError(Reason("form.cursor_form")) from None
