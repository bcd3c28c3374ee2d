"""Several runs side by side: items in a matrix, and one judge over time."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any, NamedTuple
from urllib.parse import urlencode

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from adjudge.analysis.browsing import (
    Matrix,
    RunIndex,
    RunOverview,
    Trend,
    criteria_of,
    matrix_of,
    runs_over_time,
    trend_of,
)
from adjudge.analysis.browsing.matrix import MatrixRow
from adjudge.analysis.scores.reader import judges_of
from adjudge.core.reason import Reason, reason_of
from adjudge.core.score import Score
from adjudge.errors import UnknownName, UsageError
from adjudge.reports.blocks import Block
from adjudge.reports.findings.opening import run_name
from adjudge.reports.findings.trend import trend
from adjudge.reports.renderers.page import PageRenderer
from adjudge.reports.words import Words
from adjudge.service.caches import result_in_time
from adjudge.service.security.access import READ
from adjudge.service.state import Service, service_of
from adjudge.stores import RunRecord

from .item_view import PageTexts, ShownText
from .plots import plot_response
from .rendering import language_of, page, paged, words_of
from .run_view import scale_end

router = APIRouter(include_in_schema=False, dependencies=[READ])
_SIZE = 25
_PATIENCE = 0.15  # seconds that a page takes for the figures of runs that it has not seen yet


class _Asked(NamedTuple):
    """What the address of a matrix says."""

    runs: tuple[str, ...]
    criterion: str
    system: str
    group: str

    def query(self, **further: str) -> str:
        fields = [("run", run) for run in self.runs]
        named = {"criterion": self.criterion, "system": self.system, "group": self.group} | further
        return urlencode([*fields, *((name, value) for name, value in named.items() if value)])


class ReadMatrix(NamedTuple):
    """The runs that were read, and their matrix; or the `problem` that says why there is none."""

    indexes: tuple[RunIndex, ...]
    asked: _Asked
    matrix: Matrix | None
    problem: Reason | None = None


def _reading(request: Request) -> tuple[Future[ReadMatrix], int] | None:
    """The matrix that is asked for as soon as it is there, and how many rows its runs have; None
    where no run is named."""
    service, params = service_of(request), request.query_params
    runs = {run.id: run for run in map(service.store.runs.find, params.getlist("run"))}
    asked = _Asked(tuple(runs), *(params.get(name, "") for name in _Asked._fields[1:]))

    def read() -> ReadMatrix:
        indexes = tuple(service.indexes.of(run) for run in runs)
        named = asked._replace(
            criterion=asked.criterion or next(iter(criteria_of(indexes)), ""),
            group=asked.group or (asked.system and _shared_by(asked.system, indexes[0])),
        )
        try:
            return ReadMatrix(
                indexes, named, matrix_of(indexes, named.criterion, named.system, named.group)
            )
        except UsageError as error:
            return ReadMatrix(indexes, named, None, reason_of(error))

    if not runs:
        return None
    states = tuple(service.store.verdicts.version(run) for run in runs)
    rows = sum(run.rows for run in runs.values())
    return service.matrices.of((asked, states), read), rows


def _shared_by(system: str, index: RunIndex) -> str:
    """What the answers of several systems are to: the first input that is not judged, the question
    for example."""
    inputs = (
        name
        for judge in index.judges.values()
        for name in judge.inputs
        if name not in (*judge.judged, system)
    )
    return next(filter(index.columns().__contains__, inputs), system)


@router.get("/matrix")
def matrix(request: Request) -> Response:
    """Items by run and model, or by system; the largest spread first."""
    since, reading = time.monotonic(), _reading(request)
    if reading is None:
        return page(request, "matrix", matrix=None, problem=None, waiting=0)
    result = result_in_time(reading[0], since, reading[1])
    if result is None:
        return page(request, "matrix", refresh=True, matrix=None, problem=None, waiting=reading[1])
    indexes, asked, made, problem = result
    shown: dict[str, Any] = {
        "asked": asked,
        "criteria": criteria_of(indexes),
        "columns": indexes[0].slice_columns() if len(indexes) == 1 else (),
        "groups": indexes[0].columns(),
        "names": _names(indexes, words_of(request)),
        "problem": problem,
        "matrix": made,
        "waiting": 0,
    }
    if made is None:
        return page(request, "matrix", 422, **shown)
    turned = paged(request, range(made.total), _SIZE)
    rows = [*made.rows((turned.number - 1) * _SIZE, _SIZE)]
    end = scale_end(words_of(request), made.columns[0].grader, asked.criterion)
    return page(request, "matrix", **shown, rows=rows, paged=turned, end=end)


def _names(indexes: Sequence[RunIndex], words: Words) -> dict[str, str]:
    return {
        index.record.id: run_name(index.record, index.judges, words.about(index.judges))
        for index in indexes
    }


class _Beside(NamedTuple):
    """A cell of a row with its texts: those that are not the same in all cells."""

    column: str
    run: str
    item: str
    score: Score | None
    texts: tuple[tuple[str, ShownText], ...]
    why: ShownText | None


@router.get("/matrix/item")
def matrix_item(request: Request, name: str) -> Response:
    """One row: what all cells share, and the inputs, scores and explanations of each."""
    reading = _reading(request)
    if reading is None:
        return RedirectResponse("/matrix", 303)
    (indexes, asked, made, problem), words = reading[0].result(), words_of(request)
    if made is None:
        raise UsageError(problem or Reason("here.no_row", name=name))
    if name not in made.names:
        raise UnknownName(Reason("here.no_row", name=name))
    row = made.row(made.names.index(name))
    shared, cells = _cells(made, row, _names(indexes, words))
    title = criteria_of(indexes).get(asked.criterion, asked.criterion)
    title = f"{title} {scale_end(words, made.columns[0].grader, asked.criterion)}"
    back = f"/matrix?{asked.query()}"
    return page(
        request, "matrix_item", name=name, shared=shared, cells=cells, title=title, back=back
    )


def _cells(
    made: Matrix, row: MatrixRow, names: dict[str, str]
) -> tuple[list[tuple[str, ShownText]], list[_Beside]]:
    texts, result = PageTexts(), []
    for column, cell in zip(made.columns, row.cells, strict=True):
        entries = made.indexes[column.record.id].entries(cell.item) if cell else []
        mine = [entry for entry in entries if entry.verdict.model == column.grader.model]
        if cell and mine:
            result.append((column, cell, mine[0]))
    fields = [entry.item.fields for _, _, entry in result]
    common = {
        name: text
        for name, text in (fields[0] if fields else {}).items()
        if all(other.get(name) == text for other in fields)
    }
    beside = []
    for number, (column, cell, entry) in enumerate(result):
        score = entry.verdict.scores.get(made.criterion)
        own = (
            (name, texts.show(f"{number}/{name}", text))
            for name, text in entry.item.fields.items()
            if name not in common
        )
        said = score.explanation if score else None
        called = column.system or names[column.record.id]
        beside.append(
            _Beside(
                f"{called} · {column.grader.model}",
                column.record.id,
                cell.item,
                score,
                tuple(own),
                texts.show(f"{number}/why", said) if said else None,
            )
        )
    return [(name, texts.show(name, text)) for name, text in common.items()], beside


@router.get("/trend")
def over_time(request: Request) -> Response:
    """Every run of a judge on the same data, or with a tag; `run` names one of them."""
    service, params = service_of(request), request.query_params
    every = service.store.runs.all()
    named = params.get("run", "")
    record = service.store.runs.find(named) if named else next(iter(every), None)
    if record is None:
        return RedirectResponse("/", 303)
    result = _trend(service, record, request)
    words = words_of(request)
    return page(
        request,
        "trend",
        refresh=bool(result.waiting),
        record=record,
        trend=result,
        judges=[*record.manifest.judges],
        asked=dict(params),
        blocks=_blocks(result, words),
        renderer=_renderer(request, words),
    )


def _trend(service: Service, record: RunRecord, request: Request, wait: bool = False) -> Trend:
    params = request.query_params
    judge = params.get("judge", "") or next(iter(record.manifest.judges))
    data = "" if params.get("data") == "any" or params.get("tag") else record.manifest.data_hash
    result = runs_over_time(service.store.runs.all(), judge, data, params.get("tag", ""))
    until = time.monotonic() + _PATIENCE

    def overview(run: RunRecord) -> RunOverview | None:
        known = service.indexes.known_overview(run)
        if known is None and (wait or time.monotonic() < until):
            return service.indexes.overview(run)
        return known

    return trend_of(result, judge, params.get("criterion", ""), overview)


def _blocks(result: Trend, words: Words) -> list[Block]:
    judges = {point.record.id: judges_of(point.record) for point in result.points}
    return trend(result, judges, words)


def _renderer(request: Request, words: Words) -> PageRenderer:
    links = {"run": lambda fields: f"/runs/{fields['run']}"}
    return PageRenderer(words.say, links, "/trend/plots", dict(request.query_params))


@router.get("/trend/plots/{name}.svg")
def trend_plot(request: Request, name: str) -> Response:
    service = service_of(request)
    record = service.store.runs.find(request.query_params.get("run", "latest"))
    result = _trend(service, record, request, wait=True)
    states = [
        (point.record.id, service.store.verdicts.version(point.record.id))
        for point in result.points
    ]
    words = words_of(request)
    return plot_response(
        request, (*states, language_of(request)), lambda: _blocks(result, words), name
    )
