"""Labelling as a team: who has done what, where raters differ and what counts then, raters that are
one, and all labels as a file."""

from __future__ import annotations

from io import BytesIO
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Form
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from adjudge.analysis.labelling import (
    complete_by_rater,
    conflicts_of,
    judge_of,
    keys_of,
    scales_of,
)
from adjudge.core.label import ADJUDICATED, Draw, Label
from adjudge.core.reason import Reason
from adjudge.core.scale import NotAValue
from adjudge.errors import UsageError
from adjudge.reports.files.labels import long_rows
from adjudge.reports.files.text import write_csv
from adjudge.run_handle import Run
from adjudge.service.security.access import JUDGE
from adjudge.service.state import service_of
from adjudge.stats.ppi import FEWEST_LABELS

from .label_view import LONGEST_NAME, value_as_said
from .rendering import page, paged, whole_number
from .run_files import attachment

router = APIRouter(include_in_schema=False, dependencies=[JUDGE])
_CONFLICTS = 25  # on a page


@router.get("/label/{run}/team")
def show(request: Request, run: str, judge: str = "") -> Response:
    """The raters with what they have done, and the questions that they answered differently."""
    opened = service_of(request).run(run)
    name = judge_of(opened.record, judge or None)
    return _page(request, opened, name)


@router.post("/label/{run}/adjudicate")
def adjudicate(
    request: Request,
    run: str,
    judge: Annotated[str, Form()] = "",
    item: Annotated[str, Form()] = "",
    criterion: Annotated[str, Form()] = "",
    value: Annotated[str, Form()] = "",
) -> Response:
    """Keeps the answer that counts for a question; without a value, none does any more."""
    service = service_of(request)
    opened = service.run(run)
    name = judge_of(opened.record, judge)
    scales, data = scales_of(opened.judge(name)), opened.record.manifest.data_hash
    try:
        if not value.strip():
            service.store.labels.remove(data, name, item, ADJUDICATED, criterion)
        else:
            answer = keys_of(scales[criterion]).read(value)
            labels = service.store.labels.of(data, name)
            draws: list[Draw] = [label.draw for label in labels if label.item == item]
            settled = Label(item, ADJUDICATED, criterion, answer, draws[0] if draws else "")
            service.store.labels.put(data, name, [settled])
        service.store.sync()
    except (NotAValue, KeyError):
        return _page(request, opened, name, problem=True)
    return RedirectResponse(f"{_address(opened, name)}#conflicts", 303)


@router.post("/label/{run}/raters")
def change_raters(
    request: Request,
    run: str,
    judge: Annotated[str, Form()] = "",
    rater: Annotated[str, Form()] = "",
    into: Annotated[str, Form(max_length=LONGEST_NAME)] = "",
    do: Annotated[str, Form()] = "",
) -> Response:
    """Gives one rater's labels to another, or removes them."""
    service = service_of(request)
    opened = service.run(run)
    name, data = judge_of(opened.record, judge), opened.record.manifest.data_hash
    if do == "merge":
        if into == rater or into not in service.store.labels.raters(data, name):
            raise UsageError(Reason("labels.no_rater", rater=into))
        changed = service.store.labels.merge_raters(data, name, rater, into)
    else:
        changed = service.store.labels.remove_rater(data, name, rater)
    return RedirectResponse(f"{_address(opened, name)}&changed={changed}", 303)


@router.get("/label/{run}/labels.csv")
def download(request: Request, run: str, judge: str = "") -> Response:
    """All labels, as `adjudge label --import` and `calibrate --labels` read them."""
    opened = service_of(request).run(run)
    name = judge_of(opened.record, judge or None)
    out = BytesIO()
    write_csv(lambda: long_rows(opened.labels(name), scales_of(opened.judge(name))), out)
    headers = attachment(f"labels {name} {opened.record.title}.csv")
    return Response(out.getvalue(), headers=headers, media_type="text/csv; charset=utf-8")


def _address(run: Run, judge: str) -> str:
    return f"/label/{run.id}/team?{urlencode({'judge': judge})}"


def _page(request: Request, run: Run, name: str, *, problem: bool = False) -> Response:
    service, judge = service_of(request), run.judge(name)
    labels, scales = run.labels(name), scales_of(judge)
    items = {label.item for label in labels}
    # A criterion that nobody labels is none that is missing.
    asked = {label.criterion for label in labels if label.criterion in scales}
    complete = complete_by_rater(labels, items, asked)
    counts = service.store.labels.raters(run.record.manifest.data_hash, name)
    conflicts = conflicts_of(labels, scales)
    shown = paged(request, conflicts, _CONFLICTS)
    texts = service.store.items.get(run.id, [conflict.item for conflict in shown.shown])
    keys = {criterion: keys_of(scale) for criterion, scale in scales.items()}
    return page(
        request,
        "label_team",
        422 if problem else 200,
        run=run.record,
        judge=judge,
        items=len(items),
        raters={rater: (n, complete.get(rater, 0)) for rater, n in counts.items()},
        adjudicated=ADJUDICATED,
        conflicts=shown,
        open_conflicts=sum(conflict.adjudicated is None for conflict in conflicts),
        texts=texts,
        keys=keys,
        said=lambda label: value_as_said(scales[label.criterion], label.value),
        problem=problem,
        fewest=min(FEWEST_LABELS, run.record.rows),
        changed=whole_number(request.query_params.get("changed", "")),
        address=_address(run, name),
    )
