"""What can be downloaded from a run: its verdict rows as a file, its report."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Generator, Mapping
from pathlib import PurePath
from typing import Literal
from urllib.parse import quote

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from adjudge.analysis.comparison import StoredRun
from adjudge.datasets import FORMATS
from adjudge.reports.files import WRITERS, Writer
from adjudge.reports.files.rows import Rows
from adjudge.service.security.access import READ
from adjudge.service.state import service_of
from adjudge.stores import RunRecord

from .rendering import strings_of

router = APIRouter(include_in_schema=False, dependencies=[READ])

_TYPES = {"csv": "text/csv; charset=utf-8", "jsonl": "application/jsonl"}
THREAD = "adjudge-export"
_PIECE = 1 << 16
_PACKED, _LONGEST = (".gz",), 80  # characters of a file's name
_ODD = re.compile(r"[^\w.+() -]+")


@router.get("/runs/{run_id}/export.{ending}")
def export(
    request: Request, run_id: str, ending: Literal["csv", "jsonl"], inputs: bool = False
) -> Response:
    """The verdict rows as `adjudge export` writes them, in pieces: memory stays flat."""
    run = service_of(request).run(run_id)
    pieces = _pieces(WRITERS[f".{ending}"], lambda: run.rows(with_inputs=inputs))
    return _Download(pieces, attachment(f"{file_stem(run.record)}.{ending}"), _TYPES[ending])


@router.get("/runs/{run_id}/report.html")
def report(request: Request, run_id: str) -> Response:
    """The report as `adjudge report` writes it, in the reader's language."""
    from adjudge.reports.report import ReportOptions, as_html, gather  # noqa: PLC0415 - matplotlib

    service = service_of(request)
    run = service.run(run_id)
    findings = gather(StoredRun(run.record, service.store), ReportOptions())
    text = as_html(findings, strings_of(request))
    return Response(
        text, headers=attachment(f"{file_stem(run.record)}.html"), media_type="text/html"
    )


class _Download(StreamingResponse):
    """Stops as soon as nobody takes its pieces any more."""

    def __init__(
        self, pieces: Generator[bytes, None, None], headers: Mapping[str, str], media_type: str
    ) -> None:
        super().__init__(pieces, headers=headers, media_type=media_type)
        self._pieces = pieces

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._pieces.close()


def file_stem(record: RunRecord) -> str:
    """What a file about the run is called: its name, or its judges and data; and the beginning of
    its id, which tells it from others."""
    data = PurePath(record.manifest.data.replace("\\", "/")).name
    for ending in (*_PACKED, *(ending for known in FORMATS for ending in known.endings)):
        data = data.removesuffix(ending)
    called = record.manifest.name or f"{'+'.join(record.manifest.judges)} {data}"
    plain = _ODD.sub("-", called).strip("-. ")[:_LONGEST]
    return f"{plain} {record.id[:6]}".strip()


def attachment(name: str) -> dict[str, str]:
    """Names of any language, and one in ASCII for old readers (RFC 6266)."""
    ascii_name = name.encode("ascii", "replace").decode().replace("?", "-")
    return {
        "Content-Disposition": f'attachment; filename="{ascii_name}"; '
        f"filename*=UTF-8''{quote(name)}"
    }


def _pieces(writer: Writer, rows: Rows) -> Generator[bytes, None, None]:
    """What the writer writes, as it comes. It runs in a thread and waits while nobody reads."""
    reading, writing = os.pipe()
    failed: list[BaseException] = []

    def write() -> None:
        try:
            with open(writing, "wb") as out:  # noqa: PTH123 - a pipe has no path
                writer(rows, out)
        except BrokenPipeError:
            pass  # the reader has gone away
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=write, name=THREAD, daemon=True)
    with open(reading, "rb", buffering=0) as pipe:  # noqa: PTH123
        thread.start()
        while piece := pipe.read(_PIECE):
            yield piece
    thread.join()
    if failed:
        raise failed[0]  # a broken connection is better than a file that looks complete
