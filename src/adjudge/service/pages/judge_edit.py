"""A judge is written in the browser: as a form and as a file side by side, seen on a row of a run,
tried on ten rows, and saved as a version."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from adjudge.analysis.browsing import Query
from adjudge.core.item import Item
from adjudge.core.judge import Judge
from adjudge.core.scale import Value
from adjudge.core.verdict import Verdict
from adjudge.errors import AdjudgeError, DefinitionError
from adjudge.judges import load_text
from adjudge.judges.editing import ENTRIES, FileValue, added, changed, removed, values
from adjudge.judges.importing.findings import ImportFinding
from adjudge.judges.registry import starter
from adjudge.service.api.problems import refusal
from adjudge.service.judge_catalog import state_of
from adjudge.service.judging import CLIENT_CLOSED, InlineJudge, cancel_on_disconnect
from adjudge.service.security.access import JUDGE, token_id_of
from adjudge.service.state import Service, service_of
from adjudge.stores import is_probe

from .improve import Review, labelled, start_rerun
from .item_view import PromptView
from .judge_view import (
    LONGEST_PASTED,
    FileProblem,
    example_for,
    file_problems,
    first_item,
    inputs_of,
    made_up_example,
    prompts_for,
    unix_newlines,
)
from .rendering import ProblemLine, page, strings_of

router = APIRouter(include_in_schema=False, dependencies=[JUDGE])
_RUNS = 30  # to choose from
_TRIED = 10  # rows
_TOP = "top"  # names the part with what stands alone
_TEXTS = ("system", "prompt")
SET = "set."  # begins the name of a field that has a value of the file


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeDraft:
    """What is being written. `of` is the judge that it was made from, `known` the state of its file
    then; `run` and `item` are where the row for the preview is from. `labelled` is the run whose
    labels an edit is measured by, `by` the model there, `aside` as in `Review`."""

    text: str
    of: str = ""
    known: str = ""
    run: str = ""
    item: str = ""
    model: str = ""
    labelled: str = ""
    by: str = ""
    aside: str = ""

    @property
    def review(self) -> Review:
        return Review(self.labelled, self.of, self.by, self.aside)


@dataclass(frozen=True, slots=True)
class TriedRow:
    """One row: the values before and after by criterion, None where there is no score."""

    item: str
    values: Mapping[str, tuple[Value | None, Value | None]]

    @property
    def changed(self) -> bool:
        return any(before != after for before, after in self.values.values())


@dataclass(slots=True)
class EditResult:
    """What came of what was asked for, beside the draft itself."""

    problem: Sequence[ProblemLine] = ()
    tried: Sequence[TriedRow] = ()
    findings: Sequence[ImportFinding] = field(default_factory=tuple)


@router.get("/judges/{name}/edit")
def edit(
    request: Request, name: str, run: str = "", item: str = "", by: str = "", aside: str = ""
) -> Response:
    """The judge, or a copy under a name of its own where it cannot be changed in its place. `by`
    names the model of the run whose labelled items are to be judged again."""
    service = service_of(request)
    catalog = service.judges
    judge, text = catalog.get(name), catalog.text(name)
    known = state_of(text)
    if not catalog.may_save(judge.name):
        text = changed(text, {"judge": _free(service, judge.name)})
        known = ""
    review = {"labelled": run, "by": by, "aside": aside} if by else {}
    draft = JudgeDraft(text=text, of=judge.name, known=known, run=run, item=item, **review)
    return editor_page(request, draft)


@router.get("/judges/edit")
def new(request: Request) -> Response:
    """A judge to begin with, or to be replaced by the file of one's own."""
    return editor_page(request, JudgeDraft(text=starter(_free(service_of(request), "my-judge"))))


def _free(service: Service, name: str) -> str:
    """The name, with a number where a judge has it."""
    names = (name, *(f"{name}-{n}" for n in range(2, len(service.judges.judges) + 3)))
    return next(free for free in names if free not in service.judges.judges)


@router.post("/judges/edit")
async def act(request: Request) -> Response:
    """Does to the draft what was asked for, and shows it; a saved one leads to its page."""
    async with request.form(max_part_size=LONGEST_PASTED) as form:
        draft, action = _draft(form), _text(form, "do")
    if action == "try":
        return await _try(request, draft)
    return await run_in_threadpool(_act, request, draft, action)


def _act(request: Request, draft: JudgeDraft, action: str) -> Response:
    service = service_of(request)
    verb, _, what = action.partition(":")
    try:
        if verb == "add" and what in ENTRIES:
            draft = replace(draft, text=added(draft.text, what))
        elif verb == "remove":
            draft = replace(draft, text=removed(draft.text, what))
        elif verb == "save":
            judge = service.judges.save(draft.text, draft.known)
            return RedirectResponse(f"/judges/{judge.name}?saved=1", 303)
        elif verb == "rerun":
            draft, name = _saved(service, draft)
            where = start_rerun(service, draft.review, name, token_id_of(request))
            return RedirectResponse(where, 303)
    except DefinitionError:
        pass  # the page names its lines
    except AdjudgeError as error:
        status, lines = refusal(request, error)
        return editor_page(request, draft, EditResult(problem=lines), status)
    return editor_page(request, draft)


def _saved(service: Service, draft: JudgeDraft) -> tuple[JudgeDraft, str]:
    """The draft as it is saved, where there is a folder for it and something to save; and the name
    by which a run finds the judge."""
    judge = load_text(draft.text, "judge.yaml")
    if not service.judges.folder:
        return draft, service.jobs.uploads.keep_judge(draft.text)
    if state_of(draft.text) != draft.known:
        judge = service.judges.save(draft.text, draft.known)
        text = service.judges.text(judge.name)
        draft = replace(draft, text=text, known=state_of(text))
    return draft, judge.name


def _draft(form: FormData) -> JudgeDraft:
    """What the form has to say counts where it was the side that was written in."""
    text = unix_newlines(_text(form, "text"))
    if _text(form, "side") == "form":
        wanted = {
            name.removeprefix(SET): unix_newlines(value)
            for name, value in form.items()
            if name.startswith(SET) and isinstance(value, str)
        }
        with suppress(DefinitionError):  # what cannot be read is shown with its problems
            text = changed(text, wanted)
    names = ("of", "known", "run", "item", "model", "labelled", "by", "aside")
    return JudgeDraft(text=text, **{name: _text(form, name).strip() for name in names})


def _text(form: FormData, name: str) -> str:
    value = form.get(name)
    return value if isinstance(value, str) else ""


async def _try(request: Request, draft: JudgeDraft) -> Response:
    """The same rows by the judge as it was and as it is now."""
    service = service_of(request)
    try:
        judge, items = await run_in_threadpool(_tried_on, service, draft)
        model = draft.model or service.judging.models[0]
        asked = [
            service.judging.judge(which, _item_of(judge, item), model=model)
            for item in items
            for which in (draft.of or InlineJudge(draft.text), InlineJudge(draft.text))
        ]
        verdicts = await cancel_on_disconnect(request, _all(asked))
    except DefinitionError:
        return await run_in_threadpool(editor_page, request, draft)
    except AdjudgeError as error:
        status, lines = refusal(request, error)
        return await run_in_threadpool(
            editor_page, request, draft, EditResult(problem=lines), status
        )
    if verdicts is None:
        return Response(status_code=CLIENT_CLOSED)
    rows = []
    for item, before, after in zip(items, verdicts[::2], verdicts[1::2], strict=True):
        names = dict.fromkeys([*before.scores, *after.scores])
        scores = {name: (_value(before, name), _value(after, name)) for name in names}
        rows.append(TriedRow(item.id, scores))
    return await run_in_threadpool(editor_page, request, draft, EditResult(tried=rows))


async def _all(asked: Sequence[Coroutine[Any, Any, Verdict]]) -> list[Verdict]:
    return await asyncio.gather(*asked)


def _value(verdict: Verdict, criterion: str) -> Value | None:
    score = verdict.scores.get(criterion)
    return score.value if score else None


def _tried_on(service: Service, draft: JudgeDraft) -> tuple[Judge, list[Item]]:
    judge = load_text(draft.text, "judge.yaml")
    run = draft.run or example_for(replace(judge, name=draft.of or judge.name), service).run
    if not run:
        example = made_up_example(judge)
        return judge, [Item("example", dict(example.fields))]
    rows = service.indexes.of(service.run(run).id).page(Query(size=_TRIED)).rows
    ids = list(dict.fromkeys(row.item for row in rows))
    kept = service.store.items.get(service.run(run).id, ids)
    return judge, [kept[item] for item in ids if item in kept]


def _item_of(judge: Judge, item: Item) -> dict[str, object]:
    """With its id, by which recorded replies are found."""
    known: dict[str, object] = {} if "id" in judge.inputs else {"id": item.id}
    return {**inputs_of(judge, item), **known}


@dataclass(frozen=True, slots=True)
class FileSection:
    """The values of a part of the file, those of one entry together."""

    name: str
    entries: Sequence[tuple[str, Sequence[FileValue]]]


def _section(value: FileValue) -> str:
    """What stands alone belongs together, except for the wording."""
    alone = len(value.path) == 1 and value.path[0] not in _TEXTS
    return _TOP if alone else str(value.path[0])


def _entry(value: FileValue) -> str:
    return "/".join(map(str, value.path[:2]))


def _top_entry(value: FileValue) -> str:  # noqa: ARG001 - they are one
    return ""


def _sections(text: str) -> list[FileSection]:
    try:
        every = values(text)
    except DefinitionError:
        return []
    sections = []
    by_section: dict[str, list[FileValue]] = {}
    for value in every:
        by_section.setdefault(_section(value), []).append(value)
    for name, inside in by_section.items():
        entries = groupby(inside, key=_top_entry if name == _TOP else _entry)
        sections.append(FileSection(name, [(entry, list(group)) for entry, group in entries]))
    return sections


def editor_page(
    request: Request, draft: JudgeDraft, outcome: EditResult | None = None, status: int = 200
) -> Response:
    service, judge = service_of(request), None
    outcome = outcome or EditResult()
    problems: list[FileProblem] = []
    prompts: tuple[PromptView, ...] = ()
    try:
        judge = load_text(draft.text, "judge.yaml")
    except DefinitionError as error:
        problems = file_problems(strings_of(request), error, draft.text)
    if judge:
        try:
            prompts, draft = _preview(service, judge, draft)
        except AdjudgeError as error:
            outcome.problem = outcome.problem or refusal(request, error).lines
    runs = [run for run in service.store.runs.all() if not is_probe(run)][:_RUNS]
    return page(
        request,
        "judge_edit",
        status,
        draft=draft,
        judge=judge,
        problems=problems,
        prompts=prompts,
        outcome=outcome,
        sections=_sections(draft.text),
        entries=tuple(ENTRIES),
        runs=runs,
        models=service.judging.models,
        may_save=bool(service.judges.folder),
        labelled=labelled(service, draft.review),
    )


def _preview(
    service: Service, judge: Judge, draft: JudgeDraft
) -> tuple[tuple[PromptView, ...], JudgeDraft]:
    """The prompts for the row that is named, else for the first of the run, else for an example."""
    if not draft.run:
        example = example_for(replace(judge, name=draft.of or judge.name), service)
        draft = replace(draft, run=example.run, item=example.item)
        return prompts_for(judge, example.fields), draft
    run = service.run(draft.run).id
    item = service.store.items.get(run, [draft.item]).get(draft.item) if draft.item else None
    item = item or first_item(service, run)
    if item is None:
        return prompts_for(judge, made_up_example(judge).fields), draft
    return prompts_for(judge, inputs_of(judge, item)), replace(draft, item=item.id)
