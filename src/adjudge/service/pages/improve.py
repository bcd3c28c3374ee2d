"""From where judge and people differ to a better judge: the differences, and the labelled items
judged again by the judge as it was edited, with the agreement before and after."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from time import monotonic
from typing import Annotated, NamedTuple
from urllib.parse import urlencode

from fastapi import APIRouter, Form
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from adjudge.analysis.disagreement import Disagreements, DisagreeOptions, disagreements_of
from adjudge.analysis.disagreement.clauses import ask_clauses
from adjudge.analysis.improvement import labelled_items, rerun_of, set_aside
from adjudge.analysis.scores.reader import judges_of
from adjudge.blocking import wait_for
from adjudge.core.judge import Judge
from adjudge.core.label import Label
from adjudge.core.reason import Reason, reason_of
from adjudge.core.scale import Scale
from adjudge.errors import AdjudgeError, DataError, ProviderError, UsageError
from adjudge.reports.blocks import Section
from adjudge.reports.findings.disagreements import disagreements as composed
from adjudge.reports.findings.rerun import rerun
from adjudge.reports.renderers.page import PageRenderer
from adjudge.running import RunOptions
from adjudge.service.caches import result_in_time
from adjudge.service.jobs.plan import JobSpec
from adjudge.service.security.access import JUDGE, READ
from adjudge.service.state import Service, service_of
from adjudge.stores import RunRecord

from .rendering import page, strings_of, words_of
from .trust import address_of, query_of

router = APIRouter(include_in_schema=False, dependencies=[READ])
_WORST = 50  # items per criterion
# What shapes replies, and is the same in the rerun.
_ASKING = (
    *("ask", "explain_in", "method", "variant", "repeat"),
    *("temperature", "max_tokens", "seed", "shorten", "logprobs"),
)
TAG = "rerun"  # of a run: the id of the run whose labelled items it judges again


class Review(NamedTuple):
    """Whose labels an edit is to be measured by: those of a run for a judge, with the model that
    is asked. `aside` is "1" where half of them are kept from whoever edits."""

    run: str = ""
    judge: str = ""
    model: str = ""
    aside: str = ""

    def address(self, path: str, **further: str) -> str:
        """With all that it says but its run, which the path has."""
        fields = {"judge": self.judge, "model": self.model, "aside": self.aside, **further}
        return f"{path}?{urlencode({name: text for name, text in fields.items() if text})}"

    def edit(self, judge: str, item: str = "") -> str:
        fields = {"run": self.run, "item": item, "by": self.model, "aside": self.aside}
        query = urlencode({name: text for name, text in fields.items() if text})
        return f"/judges/{judge}/edit?{query}"


@router.get("/trust/{run_id}/disagreements")
def differences(request: Request, run_id: str, aside: str = "", writer: str = "") -> Response:
    """Where this judge and model of the run differ from people, worst first. With `aside`, half of
    the labelled items are not among them: they show later what an edit is worth. With `writer`,
    what that model asked people about the rubric; who only looks asks no model."""
    service = service_of(request)
    record = service.run(run_id).record
    asked = query_of(record, dict(request.query_params))
    review = Review(record.id, asked.judge, asked.model, "1" if aside == "1" else "")
    sections: list[Section] = []
    why, hidden, waiting = None, frozenset[str](), False
    try:
        finding, hidden = _differences(service, record, review)
        if writer:
            asking = service.questions.known(_key(service, record, review, writer))
            waiting = asking is not None and not asking.done()
            if not waiting:
                finding = asking.result() if asking else _kept(service, record, finding, writer)
        words = words_of(request).about(service.indexes.of(record.id).judges)
        sections = composed(finding, words, most=_WORST)
    except (DataError, UsageError, ProviderError) as error:
        why = reason_of(error)
    further = {"by": asked.model}
    further |= {"aside": "1"} if review.aside else {}
    further |= {"judge": asked.judge} if len(record.manifest.judges) > 1 else {}
    links = {"item": lambda fields: f"/runs/{record.id}/item?{urlencode(fields | further)}"}
    return page(
        request,
        "disagreements",
        refresh=waiting,
        waiting=waiting,
        run=record,
        asked=asked,
        review=review,
        writer=writer,
        models=service.judging.models,
        hidden=len(hidden),
        back=address_of(record, asked),
        sections=sections,
        renderer=PageRenderer(strings_of(request), links),
        why=why,
    )


@router.post("/trust/{run_id}/disagreements", dependencies=[JUDGE])
def ask_about_rubric(
    request: Request,
    run_id: str,
    judge: Annotated[str, Form()] = "",
    model: Annotated[str, Form()] = "",
    aside: Annotated[str, Form()] = "",
    writer: Annotated[str, Form()] = "",
) -> Response:
    """Asks a model of the service which clause of the rubric is unclear."""
    service = service_of(request)
    record = service.run(run_id).record
    asked = query_of(record, {"judge": judge, "model": model})
    review = Review(record.id, asked.judge, asked.model, "1" if aside == "1" else "")
    service.judging.open(writer)  # UnknownName
    served = service.options
    options = RunOptions(base_url=served.base_url, timeout=served.timeout)

    def work() -> Disagreements:
        finding, _ = _differences(service, record, review)
        return wait_for(ask_clauses(finding, record, service.store, writer, options))

    service.questions.of(_key(service, record, review, writer), work)
    return RedirectResponse(review.address(f"/trust/{record.id}/disagreements", writer=writer), 303)


def _differences(
    service: Service, record: RunRecord, review: Review
) -> tuple[Disagreements, frozenset[str]]:
    """The finding, and the items that were set aside."""
    items = labelled_items(record, service.store, review.judge)
    halves = set_aside(items, judges_of(record)[review.judge])
    hidden = halves if review.aside else frozenset[str]()

    def shown(judge: str, _: Mapping[str, Scale]) -> list[Label]:
        said = service.store.labels.of(record.manifest.data_hash, judge)
        return [label for label in said if label.item not in hidden]

    options = DisagreeOptions(judge=review.judge, model=review.model)
    return disagreements_of(record, service.store, shown, options), hidden


def _kept(
    service: Service, record: RunRecord, finding: Disagreements, writer: str
) -> Disagreements:
    """With the questions whose replies the store has; as it was where one is missing."""
    with suppress(AdjudgeError):
        model = service.judging.open(writer)
        options = RunOptions(offline=True)
        return wait_for(ask_clauses(finding, record, service.store, model, options))
    return finding


def _key(service: Service, record: RunRecord, review: Review, writer: str) -> tuple[object, ...]:
    labels = service.store.labels.of(record.manifest.data_hash, review.judge)
    return review, writer, service.store.verdicts.version(record.id), hash(tuple(labels))


@router.get("/trust/{run_id}/rerun/{rerun_id}")
def show(request: Request, run_id: str, rerun_id: str, aside: str = "") -> Response:
    """The agreement with people before and after; how far the rerun is, while it is active."""
    since, service = monotonic(), service_of(request)
    first, second = service.run(run_id).record, service.run(rerun_id).record
    asked = query_of(first, dict(request.query_params))
    review = Review(first.id, asked.judge, asked.model, "1" if aside == "1" else "")
    state = service.state_of(second)
    active = state in ("waiting", "running")
    sections: list[Section] = []
    why, waiting = None, active
    if not active:
        try:
            versions = [service.store.verdicts.version(record.id) for record in (first, second)]
            labels = service.store.labels.of(first.manifest.data_hash, asked.judge)
            key = (review, second.id, *versions, hash(tuple(labels)))
            working = service.reruns.of(
                key,
                lambda: rerun_of(
                    (first, second),
                    service.store,
                    asked.judge,
                    asked.model,
                    aside=bool(review.aside),
                ),
            )
            finding = result_in_time(working, since, first.rows)
            waiting = finding is None
            words = words_of(request).about(judges_of(first))
            sections = rerun(finding, words) if finding else []
        except (DataError, UsageError) as error:
            why = reason_of(error)
    return page(
        request,
        "rerun",
        refresh=waiting,
        run=first,
        rerun=second,
        asked=asked,
        review=review,
        after=next(iter(second.manifest.judges)),
        state=state,
        progress=service.progress_of(second) if active else None,
        sections=sections,
        renderer=PageRenderer(strings_of(request)),
        why=why,
    )


def start_rerun(service: Service, review: Review, judge: str, token_id: str) -> str:
    """Has the labelled items judged again by `judge`: a name on offer, or what `keep_judge` gave.
    They take their labels along, so that the new run has a Trust page of its own. The address of
    what comes of it; raises what keeps it from starting."""
    record = service.run(review.run).record
    if not record.keeps_texts:
        raise UsageError(Reason("rerun.no_texts", run=record.id))
    items = labelled_items(record, service.store, review.judge)
    if not items:
        raise UsageError(Reason("calibration.no_labels", judge=review.judge))
    rows = [{**item.extra, **item.fields, "id": item.id} for item in items]
    with service.jobs.uploads.request():
        spec = JobSpec(
            data=service.jobs.uploads.keep_rows(rows),
            title=record.manifest.data,
            judges=(judge,),
            models=(_offered(service, review.model) or review.model,),
            options={**_asking(service, record), "tags": {TAG: record.id}},
        )
        job = service.jobs.submit(spec, token_id)
    made = service.run(str(job.run)).record
    _take_labels_along(service, record, made, review.judge)
    return review.address(f"/trust/{record.id}/rerun/{made.id}")


def _offered(service: Service, model: str) -> str:
    """What requests call the model of a run; "" where the service does not have it."""
    if model in service.judging.models:
        return model
    for name in service.judging.models:
        with suppress(AdjudgeError):
            if service.judging.open(name).name == model:
                return name
    return ""


def _asking(service: Service, record: RunRecord) -> dict[str, object]:
    """How the run asked, as far as its job or its record tell."""
    job = next(iter(service.store.jobs.of_run(record.id)), None)
    known: Mapping[str, object] = JobSpec.of(job).options if job else record.manifest.settings
    return {name: known[name] for name in _ASKING if known.get(name) is not None}


def _take_labels_along(service: Service, first: RunRecord, made: RunRecord, judge: str) -> None:
    old, new = judges_of(first)[judge], next(iter(judges_of(made).values()))
    said = service.store.labels.of(first.manifest.data_hash, judge)
    same = {name for name in old.rubric.measures if _same_scale(old, new, name)}
    kept = [label for label in said if label.criterion in same]
    service.store.labels.put(made.manifest.data_hash, new.name, kept)


def _same_scale(old: Judge, new: Judge, name: str) -> bool:
    theirs = new.rubric.measures.get(name)
    return theirs is not None and theirs.scale == old.rubric.measures[name].scale


def labelled(service: Service, review: Review) -> int:
    """How many items a rerun would judge; 0 where there is none to be made."""
    if not review.run:
        return 0
    try:
        record = service.run(review.run).record
    except AdjudgeError:
        return 0
    if review.judge not in record.manifest.judges or not _offered(service, review.model):
        return 0
    return service.store.labels.counts(record.manifest.data_hash, review.judge).items
