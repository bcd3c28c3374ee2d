"""One item: what was judged, what each judge said about it, and how that was read."""

from __future__ import annotations

from collections.abc import Sequence

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from adjudge.analysis.browsing import Neighbours, Query, RunItems
from adjudge.core.item import Item
from adjudge.core.label import Label
from adjudge.core.reason import Reason
from adjudge.errors import UnknownName, UsageError
from adjudge.reports.findings.repeats import item_samples
from adjudge.reports.renderers.page import PageRenderer
from adjudge.run_handle import Run
from adjudge.service.security.access import READ
from adjudge.service.state import Service, service_of
from adjudge.stores import Entry

from .improve import Review
from .item_view import JudgedItem, PageTexts, ShownText, quotation_marks, verdict_views
from .rendering import page, words_of
from .run_filters import address, query_of
from .run_view import systems_in

router = APIRouter(include_in_schema=False, dependencies=[READ])


@router.get("/runs/{run_id}/item")
def show(request: Request, run_id: str, id: str) -> Response:  # noqa: A002 - the address has it
    """`labels=1` shows what people said: labelling is blind, so it is there only when asked for."""
    service = service_of(request)
    index = service.indexes.items(run_id)
    run, texts = Run(index.record, service.store), PageTexts()
    entries = _entries(index, id)
    query, neighbours = _beside(index, request, id)
    asked = request.query_params.get("labels") == "1"
    words = words_of(request).about(index.judges)
    samples = item_samples((entry.verdict for entry in entries), words)
    return page(
        request,
        "item",
        run=run.record,
        item=entries[0].item,
        position=entries[0].position,
        inputs=_inputs(index, entries, texts),
        others=_others(entries[0].item, texts),
        verdicts=verdict_views(run, index.judges, entries, texts),
        samples=[samples] if samples else [],
        renderer=PageRenderer(words.say),
        judges=index.judges,
        systems=systems_in(entries[0].item.extra, index.judges.values()),
        neighbours=neighbours,
        runs=index.runs_with(id),
        labels=_labels(service, index, id) if asked else None,
        asked=query,
        address=address,
        review=_review(index, request),
    )


@router.get("/runs/{run_id}/item/text")
def full_text(request: Request, run_id: str, id: str, name: str) -> Response:  # noqa: A002
    """The whole of a text that the page cuts, as plain text."""
    service = service_of(request)
    index = service.indexes.items(run_id)
    texts, entries = PageTexts(), _entries(index, id)
    _inputs(index, entries, texts)
    _others(entries[0].item, texts)
    verdict_views(Run(index.record, service.store), index.judges, entries, texts)
    if name not in texts.whole:
        raise UnknownName(Reason("here.no_text", item=id, name=name))
    return PlainTextResponse(texts.whole[name])


def _review(index: RunItems, request: Request) -> Review | None:
    """Whose difference from people led here; None where none did."""
    fields = {name: request.query_params.get(name, "") for name in ("judge", "by", "aside")}
    if not fields["by"]:
        return None
    judge = fields["judge"] or next(iter(index.judges))
    return Review(index.record.id, judge, fields["by"], fields["aside"])


def _entries(index: RunItems, item: str) -> list[Entry]:
    entries = index.entries(item)
    if not entries:
        raise UnknownName(Reason("here.item", run=index.record.id, item=item))
    return entries


def _beside(index: RunItems, request: Request, item: str) -> tuple[Query, Neighbours]:
    """The order in which the reader found the item; that of the data if it is not known."""
    try:
        query = query_of(request.query_params)
        return query, index.neighbours(item, query)
    except UsageError:
        return Query(), index.neighbours(item, Query())


def _inputs(
    index: RunItems, entries: Sequence[Entry], texts: PageTexts
) -> list[tuple[str, str, bool, ShownText]]:
    """Name, title, whether it is judged, and the text with what verdicts quote of it; in the
    judges' order."""
    item = entries[0].item
    marks = quotation_marks(
        JudgedItem(index.judges[entry.verdict.judge], entry.verdict, entry.item.fields)
        for entry in entries
    )
    known = {name: spec for judge in index.judges.values() for name, spec in judge.inputs.items()}
    names = [*(name for name in known if name in item.fields), *item.fields]
    shown = []
    for name in dict.fromkeys(names):
        title, judged = (known[name].title, known[name].judged) if name in known else (name, False)
        text = texts.show(f"input/{name}", item.fields[name], marks.get(name))
        shown.append((name, title, judged, text))
    return shown


def _others(item: Item, texts: PageTexts) -> list[tuple[str, ShownText]]:
    """The columns that no judge was given."""
    return [(name, texts.show(f"column/{name}", str(value))) for name, value in item.extra.items()]


def _labels(service: Service, index: RunItems, item: str) -> list[tuple[str, Label]]:
    data = index.record.manifest.data_hash
    return [
        (judge, label)
        for judge in index.judges
        for label in service.store.labels.of(data, judge)
        if label.item == item
    ]
