"""The judges that are offered, and one item judged at once."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from adjudge.core.judge import Judge
from adjudge.core.scale import Binary, Category, Integer, Number, Ordinal, Scale
from adjudge.judges import registry
from adjudge.reports.files.rows import verdict_row
from adjudge.service.judging import CLIENT_CLOSED, InlineJudge, cancel_on_disconnect
from adjudge.service.state import service_of

from .json_route import JUDGE, PREFIX, READ, Json, JsonRoute
from .request_models import JudgeRequest
from .response_models import JudgeInFull, JudgesTold, VerdictRow

router = APIRouter(prefix=PREFIX, route_class=JsonRoute)


@router.get(
    "/judges",
    dependencies=[READ],
    response_model=JudgesTold,
    summary="Judges and models on offer",
)
def judges(request: Request) -> Response:
    service = service_of(request)
    judges = [judge_dict(judge) for judge in service.judges.judges.values()]
    return Json({"judges": judges, "models": service.judging.models})


@router.get(
    "/judges/{name}",
    dependencies=[READ],
    response_model=JudgeInFull,
    summary="One judge in full",
)
def judge_in_full(request: Request, name: str) -> Response:
    catalog = service_of(request).judges
    text = registry.source(catalog.source(name))[1]
    return Json(judge_dict(catalog.get(name)) | {"definition": text})


@router.post(
    "/judge",
    dependencies=[JUDGE],
    response_model=VerdictRow,
    summary="Judge one item at once",
)
async def judge_one(request: Request, body: JudgeRequest) -> Response:
    """A failure of the model is an outcome of the verdict, not an error of this request."""
    judge = body.judge if isinstance(body.judge, str) else InlineJudge(body.judge.definition)
    judging = service_of(request).judging.judge(
        judge, body.item, model=body.model, options=body.options()
    )
    verdict = await cancel_on_disconnect(request, judging)
    if verdict is None:
        return Response(status_code=CLIENT_CLOSED)
    return Json(verdict_row("", verdict))


def judge_dict(judge: Judge) -> dict[str, Any]:
    return {
        "name": judge.name,
        "title": judge.title,
        "version": judge.version,
        "language": judge.language,
        "explain_in": judge.explain_in,
        "fingerprint": judge.fingerprint,
        "ask": judge.ask,
        "reply": judge.reply,
        "inputs": [
            {
                "name": field.name,
                "title": field.title,
                "required": field.required,
                "judged": field.judged,
                "columns": field.columns,
            }
            for field in judge.inputs.values()
        ],
        "criteria": [
            {
                "name": criterion.name,
                "title": criterion.title,
                "guide": criterion.guide,
                "scale": scale_dict(criterion.scale),
            }
            for criterion in judge.rubric.criteria.values()
        ],
    }


def scale_dict(scale: Scale) -> dict[str, Any]:
    """The scale as a judge file writes it."""
    match scale:
        case Ordinal():
            levels = {str(value): level.label for value, level in sorted(scale.levels.items())}
            return {"type": scale.kind, "levels": levels}
        case Integer() | Number():
            return {"type": scale.kind, "min": scale.min, "max": scale.max}
        case Category():
            return {"type": scale.kind, "options": list(scale.options)}
        case Binary():
            return {"type": scale.kind}
        case _:
            raise AssertionError(scale.kind)
