"""Two runs side by side."""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic
from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter, Depends
from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response

from adjudge.analysis.comparison import CompareOptions, Comparison, Section
from adjudge.errors import UsageError
from adjudge.reports.document.charts import Called
from adjudge.reports.reasons import reason
from adjudge.reports.strings import strings_for
from adjudge.service.security.access import needs
from adjudge.service.state import Service, service_of
from adjudge.service.strings import strings
from adjudge.service.worked_out import AGAIN, soon
from adjudge.stores.records import RunRecord

from .compare_view import choices, facts_of, section_view
from .rendering import language_of, page

router = APIRouter(include_in_schema=False, dependencies=[Depends(needs("read"))])
_PICKS = ("judge_a", "model_a", "judge_b", "model_b")


@dataclass(frozen=True, slots=True)
class Asked:
    """What the address says; a run or a choice that is not named is ""."""

    a: str
    b: str
    column: str
    picks: dict[str, str]

    @property
    def options(self) -> CompareOptions:
        picked: dict[str, Any] = {name: value or None for name, value in self.picks.items()}
        return CompareOptions(slices=(self.column,) if self.column else (), **picked)

    @property
    def swapped(self) -> Asked:
        picks = {
            name: self.picks[name[:-1] + ("b" if name.endswith("a") else "a")] for name in _PICKS
        }
        return Asked(self.b, self.a, self.column, picks)

    @property
    def query(self) -> str:
        given = {"a": self.a, "b": self.b, "slice": self.column, **self.picks}
        return urlencode({name: value for name, value in given.items() if value})


def asked_of(params: QueryParams) -> Asked:
    picks = {name: params.get(name, "") for name in _PICKS}
    return Asked(params.get("a", ""), params.get("b", ""), params.get("slice", ""), picks)


@router.get("/compare")
def compare(request: Request) -> Response:
    """The form that chooses; where two runs are named, how they differ."""
    since = monotonic()
    service, asked = service_of(request), asked_of(request.query_params)
    a, b = (service.store.find(name) if name else None for name in (asked.a, asked.b))
    shown: dict[str, Any] = {
        "asked": asked,
        "a": a,
        "b": b,
        "choices": choices(service.store.runs(), a, b),
        "columns": service.indexes.of(a.id).slice_columns() if a and b else (),
        "found": None,
        "sections": (),
        "facts": (),
        "problem": "",
        "waiting": False,
    }
    if a and b:
        shown |= _outcome(request, asked, (a, b), since)
    answer = page(request, "compare", **shown)
    if shown["waiting"]:
        answer.headers["Refresh"] = str(AGAIN)
    return answer


def _outcome(
    request: Request, asked: Asked, runs: tuple[RunRecord, RunRecord], since: float
) -> dict[str, object]:
    service = service_of(request)
    say = strings_for(language_of(request))
    facts = facts_of(*runs, strings(language_of(request)))
    try:
        items = sum(run.rows for run in runs)
        found = soon(service.compared.of(*runs, asked.options), since, items)
    except UsageError as error:
        return {"facts": facts, "problem": reason(say, str(error))}
    if found is None:
        return {"facts": facts, "waiting": True}
    sections = [section_view(say, each, called_in(service, found, each)) for each in found.sections]
    return {"facts": facts, "found": found, "sections": sections}


def called_in(service: Service, found: Comparison, section: Section) -> Called:
    """What people call the criteria of a section: as in run A."""
    return service.indexes.of(found.run_a).judges[section.judge_a].rubric.title


def found_for(request: Request) -> tuple[tuple[object, ...], Comparison]:
    """What the plots of the page show, and the state that it is of; waits until it is there."""
    service, asked = service_of(request), asked_of(request.query_params)
    a, b = service.store.find(asked.a), service.store.find(asked.b)
    state = (a.id, service.store.mark(a.id), b.id, service.store.mark(b.id), asked.query)
    return state, service.compared.of(a, b, asked.options).result()
