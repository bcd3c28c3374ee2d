"""The judges that are offered, and one item judged at once."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from adjudge.core.judge import Judge
from adjudge.core.scale import Binary, Category, Integer, Number, Ordinal, Scale
from adjudge.reports.encode import Json, Shape, fields, shaped
from adjudge.reports.files.rows import verdict_row
from adjudge.service.judging import CLIENT_CLOSED, InlineJudge, cancel_on_disconnect
from adjudge.service.pages.rendering import strings_of
from adjudge.service.security.access import JUDGE, READ
from adjudge.service.state import service_of

from .bodies import PREFIX, JsonResponse, JsonRoute
from .request_models import JudgeRequest
from .response_models import JudgeDetails, JudgeList, VerdictRow

router = APIRouter(prefix=PREFIX, route_class=JsonRoute)


@router.get(
    "/judges", dependencies=[READ], response_model=JudgeList, summary="Judges and models on offer"
)
def judges(request: Request) -> Response:
    service = service_of(request)
    judges = [
        judge_dict(service.judges.get(name)) | {"wordings": dict(worded)}
        for name, worded in service.judges.wordings.items()
    ]
    return JsonResponse({"judges": judges, "models": service.judging.models})


@router.get(
    "/judges/{name}", dependencies=[READ], response_model=JudgeDetails, summary="One judge in full"
)
def judge_in_full(request: Request, name: str) -> Response:
    catalog = service_of(request).judges
    judge, text = catalog.get(name), catalog.text(name)
    worded = next((w for w in catalog.wordings.values() if judge.name in w.values()), {})
    return JsonResponse(judge_dict(judge) | {"wordings": dict(worded), "definition": text})


@router.post(
    "/judge", dependencies=[JUDGE], response_model=VerdictRow, summary="Judge one item at once"
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
    return JsonResponse(verdict_row("", verdict, words=strings_of(request).reason))


def judge_dict(judge: Judge) -> Json:
    return shaped(judge, _JUDGE)


def scale_dict(scale: Scale) -> Json:
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


_INPUT = fields("name", "title", "required", "judged", "columns")
_CRITERION = {**fields("name", "title", "guide"), "scale": lambda part: scale_dict(part.scale)}
_JUDGE: Shape = {
    **fields("name", "title", "version", "language", "explain_in", "fingerprint", "ask", "reply"),
    "inputs": lambda judge: [shaped(part, _INPUT) for part in judge.inputs.values()],
    "criteria": lambda judge: [shaped(part, _CRITERION) for part in judge.rubric.criteria.values()],
}
