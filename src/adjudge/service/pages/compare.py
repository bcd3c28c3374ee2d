"""Two runs side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import monotonic
from typing import Any
from urllib.parse import parse_qsl, urlencode

from fastapi import APIRouter, Depends
from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response

from adjudge.analysis.comparison import CompareOptions, Comparison
from adjudge.core.reason import reason_of
from adjudge.errors import UsageError
from adjudge.reports.blocks import Section
from adjudge.reports.findings.comparison import compared
from adjudge.reports.renderers.page import Front
from adjudge.reports.words import Words
from adjudge.service.caches import AGAIN, result_in_time
from adjudge.service.security.access import needs
from adjudge.service.state import service_of
from adjudge.stores import RunRecord
from adjudge.strings import strings_for

from .compare_view import choices, facts_of
from .language import language_of
from .plots import drawn
from .rendering import page

router = APIRouter(include_in_schema=False, dependencies=[Depends(needs("read"))])
_PICKS = ("judge_a", "model_a", "judge_b", "model_b")


@dataclass(frozen=True, slots=True)
class CompareQuery:
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
    def swapped(self) -> CompareQuery:
        picks = {
            name: self.picks[name[:-1] + ("b" if name.endswith("a") else "a")] for name in _PICKS
        }
        return CompareQuery(self.b, self.a, self.column, picks)

    @property
    def query(self) -> str:
        fields = {"a": self.a, "b": self.b, "slice": self.column, **self.picks}
        return urlencode({name: value for name, value in fields.items() if value})


def asked_of(params: QueryParams) -> CompareQuery:
    picks = {name: params.get(name, "") for name in _PICKS}
    return CompareQuery(params.get("a", ""), params.get("b", ""), params.get("slice", ""), picks)


@router.get("/compare")
def compare(request: Request) -> Response:
    """The form that chooses; where two runs are named, how they differ."""
    since = monotonic()
    service, asked = service_of(request), asked_of(request.query_params)
    a, b = (service.store.runs.find(name) if name else None for name in (asked.a, asked.b))
    shown: dict[str, Any] = {
        "asked": asked,
        "a": a,
        "b": b,
        "choices": choices(service.store.runs.all(), a, b),
        "columns": service.indexes.of(a.id).slice_columns() if a and b else (),
        "comparison": None,
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
    request: Request, asked: CompareQuery, runs: tuple[RunRecord, RunRecord], since: float
) -> dict[str, object]:
    service = service_of(request)
    say = strings_for(language_of(request))
    facts = facts_of(*runs, say)
    try:
        items = sum(run.rows for run in runs)
        comparison = result_in_time(service.comparisons.of(*runs, asked.options), since, items)
    except UsageError as error:
        return {"facts": facts, "problem": say.reason(reason_of(error))}
    if comparison is None:
        return {"facts": facts, "waiting": True}
    sections = _sections(request, comparison)
    links = {f"item_{letter}": _item_of(run) for letter, run in zip("ab", runs, strict=True)}
    front = Front(say, links, "/compare/plots", dict(parse_qsl(asked.query)))
    return {"facts": facts, "comparison": comparison, "sections": sections, "front": front}


def _item_of(run: RunRecord) -> Callable[[Mapping[str, str]], str]:
    return lambda fields: f"/runs/{run.id}/item?{urlencode(fields)}"


def _sections(request: Request, comparison: Comparison) -> list[Section]:
    words = Words(strings_for(language_of(request)))
    judges = service_of(request).indexes.of(comparison.run_a).judges
    return [
        Section(
            words("report.compared.heading"),
            [*compared(section, words, judges[section.judge_a].rubric.title, at)],
            f"section-{at}",
        )
        for at, section in enumerate(comparison.sections)
    ]


@router.get("/compare/plots/{name}.svg")
def plot(request: Request, name: str) -> Response:
    """The plot of one judge and model, the `section`th of the comparison, from 0; waits until it is
    worked out."""
    service, asked = service_of(request), asked_of(request.query_params)
    a, b = service.store.runs.find(asked.a), service.store.runs.find(asked.b)
    comparison = service.comparisons.of(a, b, asked.options).result()
    versions = [service.store.verdicts.version(run.id) for run in (a, b)]
    key = (a.id, b.id, *versions, language_of(request))
    return drawn(request, key, lambda: _sections(request, comparison), name)
