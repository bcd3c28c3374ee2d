"""The judges that are offered, and one item judged at once."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from adjudge.core.judge import Judge
from adjudge.core.scale import Binary, Category, Integer, Number, Ordinal, Scale
from adjudge.judges import registry
from adjudge.reports.rows import verdict_row
from adjudge.service.state import service_of
from adjudge.service.work.definitions import Definition
from adjudge.service.work.unless_gone import GONE, unless_gone

from .json_route import JUDGE, PREFIX, READ, Json, JsonRoute
from .schemas.judges import JudgeInFull, JudgeRequest, JudgesTold
from .schemas.verdicts import VerdictRow

router = APIRouter(prefix=PREFIX, route_class=JsonRoute)


@router.get(
    "/judges",
    dependencies=[READ],
    response_model=JudgesTold,
    summary="Judges and models on offer",
)
def judges(request: Request) -> Response:
    service = service_of(request)
    told = [judge_told(judge) for judge in service.judges.judges.values()]
    return Json({"judges": told, "models": service.desk.models})


@router.get(
    "/judges/{name}",
    dependencies=[READ],
    response_model=JudgeInFull,
    summary="One judge in full",
)
def judge_in_full(request: Request, name: str) -> Response:
    offered = service_of(request).judges
    text = registry.source(offered.source(name))[1]
    return Json(judge_told(offered.get(name)) | {"definition": text})


@router.post(
    "/judge",
    dependencies=[JUDGE],
    response_model=VerdictRow,
    summary="Judge one item at once",
)
async def judge_one(request: Request, body: JudgeRequest) -> Response:
    """A failure of the model is an outcome of the verdict, not an error of this request."""
    judge = body.judge if isinstance(body.judge, str) else Definition(body.judge.definition)
    judging = service_of(request).desk.judge(
        judge, body.item, model=body.model, options=body.options()
    )
    verdict = await unless_gone(request, judging)
    return Response(status_code=GONE) if verdict is None else Json(verdict_row("", verdict))


def judge_told(judge: Judge) -> dict[str, Any]:
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
                "name": each.name,
                "title": each.title,
                "required": each.required,
                "judged": each.judged,
                "columns": each.columns,
            }
            for each in judge.inputs.values()
        ],
        "criteria": [
            {
                "name": each.name,
                "title": each.title,
                "guide": each.guide,
                "scale": scale_told(each.scale),
            }
            for each in judge.rubric.criteria.values()
        ],
    }


def scale_told(scale: Scale) -> dict[str, Any]:
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
