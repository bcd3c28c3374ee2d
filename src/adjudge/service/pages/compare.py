"""Two runs side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode

from fastapi import APIRouter
from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from adjudge.analysis.comparison import CompareOptions, Comparison, Mover, StoredRun
from adjudge.analysis.scores.reader import judges_of
from adjudge.core.reason import reason_of
from adjudge.errors import UsageError
from adjudge.reports.blocks import Quote, Section
from adjudge.reports.findings.comparison import compared
from adjudge.reports.findings.spread import overlays
from adjudge.reports.renderers.page import PageRenderer
from adjudge.reports.words import Words
from adjudge.service.caches import result_in_time
from adjudge.service.security.access import READ
from adjudge.service.state import service_of
from adjudge.stores import RunRecord, Store, is_probe
from adjudge.strings import OptionNames, Strings

from .plots import plot_response
from .rendering import language_of, page, strings_of, words_of
from .run_files import attachment, file_stem
from .run_view import setting_name, setting_value

router = APIRouter(include_in_schema=False, dependencies=[READ])
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


def compare_query(params: QueryParams) -> CompareQuery:
    picks = {name: params.get(name, "") for name in _PICKS}
    return CompareQuery(params.get("a", ""), params.get("b", ""), params.get("slice", ""), picks)


@router.get("/compare")
def compare(request: Request) -> Response:
    """The form that chooses; where two runs are named, how they differ."""
    since = monotonic()
    ticked = request.query_params.getlist("run")
    if len(ticked) > 2:
        return RedirectResponse(f"/matrix?{urlencode([('run', run) for run in ticked])}", 303)
    if ticked:  # the earlier one is A
        runs = service_of(request).store.runs
        ids = sorted(ticked, key=lambda run: runs.find(run).started)
        return RedirectResponse(f"/compare?{urlencode(dict(zip('ab', ids, strict=False)))}", 303)
    service, asked = service_of(request), compare_query(request.query_params)
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
    return page(request, "compare", refresh=shown["waiting"], **shown)


def _outcome(
    request: Request, asked: CompareQuery, runs: tuple[RunRecord, RunRecord], since: float
) -> dict[str, object]:
    service = service_of(request)
    say = strings_of(request)
    facts = facts_of(*runs, say)
    try:
        items = sum(run.rows for run in runs)
        comparison = result_in_time(service.comparisons.of(*runs, asked.options), since, items)
    except UsageError as error:
        return {"facts": facts, "problem": say.reason(reason_of(error), _CompareFields(say))}
    if comparison is None:
        return {"facts": facts, "waiting": True}
    sections = _sections(request, comparison)
    links = {f"item_{letter}": _item_of(run) for letter, run in zip("ab", runs, strict=True)}
    renderer = PageRenderer(say, links, "/compare/plots", dict(parse_qsl(asked.query)))
    return {"facts": facts, "comparison": comparison, "sections": sections, "renderer": renderer}


class _CompareFields(OptionNames):
    """Options by the titles of their fields in the form."""

    def __init__(self, say: Strings) -> None:
        self._say = say

    def __getitem__(self, name: str) -> str:
        kind, _, letter = name.partition("-")
        if f"{kind}_{letter}" not in _PICKS:
            return super().__getitem__(name)
        return f"“{self._say(f'compare.{kind}_of', letter=letter.upper())}”"


def _item_of(run: RunRecord) -> Callable[[Mapping[str, str]], str]:
    return lambda fields: f"/runs/{run.id}/item?{urlencode(fields)}"


def _sections(request: Request, comparison: Comparison) -> list[Section]:
    indexes = service_of(request).indexes
    a, b = (indexes.of(run) for run in (comparison.run_a, comparison.run_b))
    words = words_of(request).about(a.judges)
    together = overlays({"A": a.overview(), "B": b.overview()}, words)
    texts = _texts(service_of(request).store, comparison)
    return [
        Section(
            words("report.compared.heading"),
            [*compared(section, words, at, texts)],
            f"section-{at}",
        )
        for at, section in enumerate(comparison.sections)
    ] + ([together] if together is not None else [])


_LONGEST = 400  # characters of a text; the item's page has it all


def _texts(store: Store, comparison: Comparison) -> Callable[[Mover], Iterator[Quote]]:
    """What was judged of an item that moved: once where it is the same in both runs."""
    movers = [
        mover
        for section in comparison.sections
        for result in section.criteria.values()
        for mover in result.movers
    ]
    a = store.items.get(comparison.run_a, [mover.item for mover in movers])
    b = store.items.get(comparison.run_b, [mover.item_b for mover in movers])

    def texts(mover: Mover) -> Iterator[Quote]:
        one, other = a[mover.item].fields, b[mover.item_b].fields
        for name in {**one, **other}:
            if one.get(name) == other.get(name):
                yield Quote(name, one[name], _LONGEST)
                continue
            for letter, fields in (("A", one), ("B", other)):
                if name in fields:
                    yield Quote(f"{letter}: {name}", fields[name], _LONGEST)

    return texts


@router.get("/compare/report.html")
def report(request: Request) -> Response:
    """The report on both runs as `adjudge report` writes it, in the reader's language."""
    from adjudge.reports.report import ReportOptions, as_html, gather  # noqa: PLC0415 - matplotlib

    service, asked = service_of(request), compare_query(request.query_params)
    a, b = (StoredRun(service.store.runs.find(name), service.store) for name in (asked.a, asked.b))
    options = ReportOptions(slices=(asked.column,) if asked.column else ())
    text = as_html(gather(a, options, against=b), strings_of(request))
    name = f"{file_stem(a.record)} - {file_stem(b.record)}.html"
    return Response(text, headers=attachment(name), media_type="text/html")


@router.get("/compare/plots/{name}.svg")
def plot(request: Request, name: str) -> Response:
    """The plot of one judge and model, the `section`th of the comparison, from 0; waits until it is
    worked out."""
    service, asked = service_of(request), compare_query(request.query_params)
    a, b = service.store.runs.find(asked.a), service.store.runs.find(asked.b)
    comparison = service.comparisons.of(a, b, asked.options).result()
    versions = [service.store.verdicts.version(run.id) for run in (a, b)]
    key = (a.id, b.id, *versions, language_of(request))
    return plot_response(request, key, lambda: _sections(request, comparison), name)


_MOST = 200  # runs to choose from


class Group(NamedTuple):
    """Runs that go together in the choice; `name` is the key of its heading, "" without one."""

    name: str
    runs: tuple[RunRecord, ...]


class Fact(NamedTuple):
    """What is known of both runs. `name` is the key of its name, or a setting's name in words."""

    name: str
    a: str
    b: str
    setting: bool = False

    @property
    def differs(self) -> bool:
        return self.a != self.b


def choices(
    records: Sequence[RunRecord], a: RunRecord | None, b: RunRecord | None
) -> dict[str, Sequence[RunRecord] | list[Group]]:
    """The runs that may be A, the latest first, and those that may be B: the ones that can well be
    compared with A before the others."""
    runs = [run for run in records if not is_probe(run)][:_MOST]
    chosen = {run.id: run for run in (a, b) if run is not None}
    every = tuple({**chosen, **{run.id: run for run in runs}}.values())
    in_order = tuple(sorted(every, key=records.index))
    if a is None:
        return {"a": in_order, "b": [Group("", in_order)]}
    groups: dict[str, list[RunRecord]] = {"same_data": [], "same_judge": [], "other_judge": []}
    for run in in_order:
        groups[_kinship(a, run)].append(run)
    filled = [Group(f"compare.{name}", tuple(runs)) for name, runs in groups.items() if runs]
    return {"a": in_order, "b": filled}


def _kinship(a: RunRecord, b: RunRecord) -> str:
    if not a.manifest.judges.keys() & b.manifest.judges.keys():
        return "other_judge"
    return "same_data" if a.manifest.data_hash == b.manifest.data_hash else "same_judge"


def facts_of(a: RunRecord, b: RunRecord, say: Strings) -> list[Fact]:
    """What was asked of what; of the settings those that differ."""
    pairs = zip(_facts(a, say).items(), _facts(b, say).values(), strict=True)
    known = [Fact(name, one, other) for (name, one), other in pairs]
    first, second = a.manifest.settings, b.manifest.settings
    for name in dict.fromkeys([*first, *second]):
        values = [of.get(name) for of in (first, second)]
        one, other = ("–" if v is None else setting_value(name, v, say) for v in values)
        fact = Fact(setting_name(name, say), one, other, setting=True)
        if fact.differs:
            known.append(fact)
    return known


def _facts(record: RunRecord, say: Strings) -> dict[str, str]:
    manifest, judges = record.manifest, judges_of(record)
    named = (
        f"{name} {say('run.version', version=judges[name].version)} ({mark})"
        for name, mark in manifest.judges.items()
    )
    return {
        "common.judge": ", ".join(named),
        "common.model": ", ".join(manifest.models),
        "common.data": f"{manifest.data} ({manifest.data_hash[:12]})",
        "common.rows": Words(say).count(record.rows),
    }
