"""What people said, over HTTP."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.exceptions import RequestValidationError
from starlette.responses import Response

from adjudge.analysis.labelling import judge_of, keep_labels, scales_of
from adjudge.core.label import Label, value_of
from adjudge.core.scale import NotAValue, Scale
from adjudge.reports.files.labels import long_rows
from adjudge.service.security.access import JUDGE, READ
from adjudge.service.state import service_of

from .bodies import PREFIX, JsonResponse, JsonRoute
from .request_models import LabelSent, LabelsRequest
from .response_models import LabelList, LabelsKept

router = APIRouter(prefix=PREFIX, route_class=JsonRoute)


@router.post("/labels", dependencies=[JUDGE], response_model=LabelsKept, summary="Keep labels")
def put_labels(request: Request, body: LabelsRequest) -> Response:
    """Each takes the place of an earlier one by that rater for that criterion. One that is off the
    scale, or lies between two levels though somebody is named, makes the whole request fail; none
    is kept then. Those about items that the run does not have are left out and counted."""
    service = service_of(request)
    run = service.run(body.run)
    name = judge_of(run.record, body.judge)
    labels = _checked(body.labels, scales_of(run.judge(name)))
    kept = keep_labels(run.record, service.store, name, labels, "labels")
    return JsonResponse(asdict(kept))


@router.get(
    "/labels", dependencies=[READ], response_model=LabelList, summary="Labels for a run's data"
)
def get_labels(
    request: Request,
    run: Annotated[str, Query(description="An id or name, latest, latest~1 or tag:k=v.")],
    judge: Annotated[str | None, Query()] = None,
) -> Response:
    handle = service_of(request).run(run)
    name = judge_of(handle.record, judge)
    rows = long_rows(handle.labels(name), scales_of(handle.judge(name)))
    return JsonResponse({"run": handle.id, "judge": name, "labels": list(rows)})


def _checked(sent: list[LabelSent], scales: Mapping[str, Scale]) -> list[Label]:
    labels: list[Label] = []
    problems: list[dict[str, Any]] = []
    seen: set[tuple[str, str, str]] = set()

    def wrong(number: int, field: str, why: str) -> None:
        problems.append({"loc": ("body", "labels", number, field), "msg": why})

    for number, label in enumerate(sent):
        key = (label.item, label.rater, label.criterion)
        if label.criterion not in scales:
            wrong(number, "criterion", f"there is no such criterion; known: {', '.join(scales)}")
        elif key in seen:
            wrong(number, "item", "this rater labels this criterion of this item twice")
        else:
            try:
                value = value_of(scales[label.criterion], label.value, one_person=bool(label.rater))
            except NotAValue as why:
                wrong(number, "value", str(why))
            else:
                labels.append(Label(*key, value, comment=label.comment))
        seen.add(key)
    if problems:
        raise RequestValidationError(problems)
    return labels
