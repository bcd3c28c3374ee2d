"""The judges: what they ask, the prompts that they make, and trying them on a pasted item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from adjudge.core.item import Item
from adjudge.core.judge import Judge
from adjudge.core.reason import Reason
from adjudge.core.score import Outcome
from adjudge.core.verdict import Verdict
from adjudge.errors import AdjudgeError, UnknownName
from adjudge.judges import renderer_for
from adjudge.judges.first import asked_prompts
from adjudge.models.registry import profile_of
from adjudge.service.api.problems import refusal
from adjudge.service.judging import CLIENT_CLOSED, cancel_on_disconnect
from adjudge.service.security.access import JUDGE, READ
from adjudge.service.state import Service, service_of
from adjudge.stores import is_probe

from .item_view import JudgedItem, PageTexts, PromptView, VerdictView, verdict_view
from .judge_view import (
    LONGEST_PASTED,
    Example,
    JudgeWords,
    example_for,
    first_item,
    inputs_of,
    is_built_in,
    line_differences,
    prompt_text_of,
    prompts_for,
    source_of,
    typed_example,
    unix_newlines,
)
from .rendering import ProblemLine, language_of, page, strings_of

router = APIRouter(include_in_schema=False, dependencies=[READ])


@router.get("/judges")
def choose(request: Request) -> Response:
    """All judges that requests may name, each once with its wordings."""
    service = service_of(request)
    judges, language = service.judges.judges, language_of(request)
    listed = [
        (name, judges[worded.get(language, name)], worded, is_built_in(service, name))
        for name, worded in service.judges.wordings.items()
    ]
    return page(request, "judges", listed=listed, words=JudgeWords(language))


@router.get("/judges/difference")
def difference(request: Request, a: str, b: str, judge: str = "", other: str = "") -> Response:
    """The judge of two runs, as each used it: its prompts for the same texts, line by line. In the
    second run it may have another name."""
    service = service_of(request)
    runs = [service.run(name) for name in (a, b)]
    first, second = (run.record.manifest.judges for run in runs)
    known = [name for name in first if name in second]
    names = (judge, other) if judge in first and other in second else ("", "")
    if not other:
        names = (judge, judge) if judge in known else (next(iter(known), ""),) * 2
    if not all(names):
        reason = Reason("here.no_judge", run=runs[1].id, name=other or judge, known=tuple(second))
        raise UnknownName(reason)
    used = [run.judge(name) for run, name in zip(runs, names, strict=True)]
    item = first_item(service, runs[0].id)
    texts = [prompt_text_of(version, item) for version in used]
    return page(
        request,
        "judge_difference",
        runs=[run.record for run in runs],
        judges=used,
        name=names[0],
        names=names,
        lines=line_differences(*texts),
        item=item,
    )


@router.get("/judges/{name}")
def show(request: Request, name: str) -> Response:
    """With the prompts for an item of the latest run, or for a built-in text."""
    service = service_of(request)
    judge = service.judges.get(name)
    example = example_for(judge, service)
    return _page(request, judge, _Shown(example, prompts_for(judge, example.fields)))


@router.get("/runs/{run_id}/judge")
def kept(request: Request, run_id: str, judge: str = "") -> Response:
    """A judge as the run used it, offered here or not, with the prompts for an item of the run.

    The first judge where none is named. Prompts that this version of adjudge would word otherwise
    than the run did are not shown.
    """
    service = service_of(request)
    run = service.run(run_id)
    known = run.record.manifest.judges
    name = judge or next(iter(known), "")
    if name not in known:
        raise UnknownName(Reason("here.no_judge", run=run.id, name=name, known=tuple(known)))
    used, item = run.judge(name), first_item(service, run.id)
    same = used.fingerprint == known[name]
    return page(
        request,
        "run_judge",
        run=run.record,
        judge=used,
        words=JudgeWords(language_of(request)),
        item=item,
        same=same,
        prompts=prompts_for(used, inputs_of(used, item)) if item and same else (),
        source=run.record.sources[name]["text"],
    )


@router.post("/judges/{name}/prompt")
async def preview(request: Request, name: str) -> Response:
    """The prompts for what was typed; nothing is sent to a model."""
    judge = service_of(request).judges.get(name)
    shown = await _sent(request, judge)
    shown.prompts = await run_in_threadpool(prompts_for, judge, shown.example.fields)
    return await run_in_threadpool(_page, request, judge, shown)


@router.post("/judges/{name}/try", dependencies=[JUDGE])
async def try_it(request: Request, name: str) -> Response:
    """The verdict on what was typed; what goes wrong is said beside the form, which keeps it."""
    service = service_of(request)
    judge = service.judges.get(name)
    shown = await _sent(request, judge)
    example, model = shown.example, shown.model or service.judging.models[0]
    # Recorded replies are found by the item's id.
    known = {"id": example.item} if example.item and "id" not in judge.inputs else {}
    try:
        judging = service.judging.judge(name, {**example.fields, **known}, model=model)
        verdict = await cancel_on_disconnect(request, judging)
    except AdjudgeError as error:
        shown.status, shown.problem = refusal(request, error)
    else:
        if verdict is None:
            return Response(status_code=CLIENT_CLOSED)
        if model.startswith("replay:") and verdict.outcome is Outcome.PROVIDER_ERROR:
            shown.problem = [ProblemLine(strings_of(request)("judges.not_recorded"))]
        else:
            judged = (service, judge, example.fields, verdict)
            shown.verdict = await run_in_threadpool(_judged, *judged)
    return await run_in_threadpool(_page, request, judge, shown)


async def _sent(request: Request, judge: Judge) -> _Shown:
    """What stood in the form."""
    async with request.form(max_part_size=LONGEST_PASTED) as form:
        place = [form.get(name) for name in ("of.run", "of.item")]
        run, item = (text if isinstance(text, str) else "" for text in place)
        asked = (judge, service_of(request), _typed(judge, form), run, item)
        return _Shown(
            await run_in_threadpool(typed_example, *asked), model=str(form.get("model", ""))
        )


@dataclass(slots=True)
class _Shown:
    """What stands in the form, and what came of it."""

    example: Example
    prompts: tuple[PromptView, ...] = ()
    model: str = ""
    verdict: VerdictView | None = None
    problem: Sequence[ProblemLine] = ()
    status: int = 200


def _typed(judge: Judge, form: FormData) -> dict[str, str]:
    """The inputs that were filled in; browsers send line breaks as CR LF."""
    texts = {name: form.get(f"in.{name}") for name in judge.inputs}
    return {
        name: unix_newlines(text)
        for name, text in texts.items()
        if isinstance(text, str) and text.strip()
    }


def _judged(
    service: Service, judge: Judge, fields: Mapping[str, str], verdict: Verdict
) -> VerdictView:
    renderer = renderer_for(judge, service.store.secret, profile_of(verdict.model))
    item = Item(verdict.item, dict(fields))
    prompts = asked_prompts(renderer.prompts(item, verdict.repeat, verdict.cuts), verdict)
    return verdict_view(JudgedItem(judge, verdict, fields), prompts, PageTexts())


def _page(request: Request, judge: Judge, shown: _Shown) -> Response:
    service = service_of(request)
    return page(
        request,
        "judge",
        shown.status,
        judge=judge,
        built_in=is_built_in(service, judge.name),
        source=source_of(service, judge.name),
        words=JudgeWords(language_of(request)),
        models=service.judging.models,
        shown=shown,
        may_edit=service.judges.folder is not None,
        in_place=service.judges.may_save(judge.name),
        runs=[
            record
            for record in service.store.runs.all()
            if judge.name in record.manifest.judges and not is_probe(record)
        ][:5],
    )
