"""How far a judge can be trusted: a run beside people's labels, and what probing found out."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, File, Form, UploadFile
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from adjudge.datasets import kept_rows
from adjudge.datasets.isolated import Workers
from adjudge.errors import AdjudgeError, DataError, UsageError
from adjudge.kept_run import Run
from adjudge.reports.strings import strings_for
from adjudge.service.calibrated import Grading
from adjudge.service.security.access import needs
from adjudge.service.state import Service, service_of
from adjudge.service.worked_out import AGAIN, soon
from adjudge.stats.corrected import FEWEST_LABELS
from adjudge.stores.records import RunRecord

from .first_item import first_item
from .paging import paged
from .probed_view import probe_command, probed_view
from .rendering import language_of, page
from .trust_view import OVERVIEW, part_view

router = APIRouter(include_in_schema=False, dependencies=[Depends(needs("read"))])
_RUNS = 25  # on a page
_ODD = re.compile(r"[^\w.\- ]+")


@router.get("/trust")
def choose(request: Request) -> Response:
    """The runs, the latest first, with the labels for each judge; probes' own runs are none."""
    store = service_of(request).store
    records = [each for each in store.runs() if "probe" not in each.manifest.tags]
    found = paged(request, records, _RUNS)
    runs = [
        (
            record,
            [
                (name, store.labels.tally(record.manifest.data_hash, name))
                for name in record.manifest.judges
            ],
        )
        for record in found.shown
    ]
    return page(request, "trust", runs=runs, paged=found)


@router.get("/trust/{run_id}")
def show(request: Request, run_id: str) -> Response:
    """One judge and model of the run: `judge`, `model` and `group` as in `adjudge calibrate`."""
    run = service_of(request).run(run_id)
    return _page(request, run, _asked(run.record, dict(request.query_params)))


@router.get("/trust/{run_id}/keep")
@router.get("/trust/{run_id}/labels")
def back(request: Request, run_id: str) -> Response:
    """Who comes back to the address of a form, e.g. after a refused file, finds its page."""
    return RedirectResponse(f"/trust/{service_of(request).run(run_id).id}", 303)


@router.post("/trust/{run_id}/keep", dependencies=[Depends(needs("judge"))])
def keep(
    request: Request,
    run_id: str,
    judge: Annotated[str, Form()] = "",
    model: Annotated[str, Form()] = "",
    group: Annotated[str, Form()] = "",
) -> Response:
    """Keeps the calibration, so that gates on later runs can rest on it."""
    service = service_of(request)
    run = service.run(run_id)
    asked = _asked(run.record, {"judge": judge, "model": model, "group": group})
    service.calibrated.keep(run.record, asked)
    return RedirectResponse(f"{_address(run.record, asked)}&kept=1#keep", 303)


@router.post("/trust/{run_id}/labels", dependencies=[Depends(needs("judge"))])
def upload(
    request: Request,
    run_id: str,
    file: Annotated[UploadFile, File()],
    judge: Annotated[str, Form()] = "",
    model: Annotated[str, Form()] = "",
    rater: Annotated[str, Form()] = "",
) -> Response:
    """Keeps the labels of a file; what is wrong with it is said beside the form."""
    service = service_of(request)
    run = service.run(run_id)
    asked = _asked(run.record, {"judge": judge, "model": model})
    try:
        with _rows_of(file, service.jobs.uploads.workers) as path:
            done = run.import_labels(path, judge=asked.judge, rater=rater.strip())
    except (DataError, UsageError) as error:
        return _page(request, run, asked, problem=str(error))
    told = urlencode({"labels": done.labels, "replaced": done.replaced, "left": done.elsewhere})
    return RedirectResponse(f"{_address(run.record, asked)}&{told}#labels", 303)


@contextmanager
def _rows_of(file: UploadFile, workers: Workers) -> Iterator[Path]:
    """The rows of the file, under the name that it came with: messages name it. DataError where
    they cannot be read within the limits."""
    name = _ODD.sub("_", Path(file.filename or "").name)[-100:]
    if not name.strip("._ "):
        raise UsageError("Choose a file with labels.")
    with tempfile.TemporaryDirectory(prefix="adjudge-labels-") as folder:
        path = Path(folder) / name
        with path.open("wb") as copy:
            shutil.copyfileobj(file.file, copy)
        rows = path.with_name(f"{name}{kept_rows.ENDING}")
        try:
            with rows.open("wb") as out:
                workers.write_rows(path, name, out)
            yield rows
        except AdjudgeError as error:
            told = str(error).replace(f"{folder}/", "").replace(rows.name, name)
            raise type(error)(told) from None


def _asked(record: RunRecord, given: dict[str, str]) -> Grading:
    """The first judge and model where none is named; UsageError for one that the run has not."""
    chosen = {}
    for what, known in (("judge", record.manifest.judges), ("model", record.manifest.models)):
        name = given.get(what) or next(iter(known))
        if name not in known:
            raise UsageError(f"Run {record.id} has no {what} {name!r}; it has: {', '.join(known)}.")
        chosen[what] = name
    return Grading(chosen["judge"], chosen["model"], given.get("group") or None)


def _address(record: RunRecord, asked: Grading) -> str:
    given = {"judge": asked.judge, "model": asked.model, "group": asked.group or ""}
    return f"/trust/{record.id}?{urlencode({k: v for k, v in given.items() if v})}"


def _page(request: Request, run: Run, asked: Grading, *, problem: str = "") -> Response:
    since = monotonic()
    service, record = service_of(request), run.record
    say = strings_for(language_of(request))
    tally = service.store.labels.tally(record.manifest.data_hash, asked.judge)
    # Before the figures: while those are worked out, all else takes longer.
    around = {
        "judge": service.indexes.of(record.id).judges[asked.judge],
        "columns": _columns(service, record),
        "kept": service.store.calibrations.latest(asked.judge, asked.model),
        "probed": probed_view(service, say, asked),
        "probe_command": probe_command(request, service, asked),
    }
    view, state, why, waiting = None, "", "", False
    if tally.labels:
        try:
            state, working = service.calibrated.of(record, asked)
            found = soon(working, since, record.rows)
            waiting = found is None
            view = part_view(say, found, found.graders[0]) if found else None
        except (DataError, UsageError) as error:
            why = str(error)
    answer = page(
        request,
        "trust_run",
        422 if problem else 200,
        run=record,
        asked=asked,
        address=lambda **new: _address(record, _replaced(asked, new)),
        tally=tally,
        view=view,
        state=state,
        why=why,
        waiting=waiting,
        problem=problem,
        overview=OVERVIEW,
        fewest=FEWEST_LABELS,
        done={name: _count(request, name) for name in ("labels", "replaced", "left", "kept")},
        say=say,
        **around,
    )
    if waiting and not problem:  # which would be gone
        answer.headers["Refresh"] = str(AGAIN)
    return answer


def _replaced(asked: Grading, new: dict[str, str]) -> Grading:
    return Grading(
        new.get("judge", asked.judge), new.get("model", asked.model), new.get("group", asked.group)
    )


def _count(request: Request, name: str) -> int | None:
    given = request.query_params.get(name, "")
    return int(given) if given.isascii() and given.isdigit() and len(given) < 10 else None


def _columns(service: Service, record: RunRecord) -> list[str]:
    """What items may be grouped by."""
    item = first_item(service, record.id)
    return [] if item is None else [*item.extra, *item.fields]
