"""How far a judge can be trusted: a run beside people's labels, and what probing found out."""

from __future__ import annotations

import re
import shlex
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from time import monotonic
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, File, Form, UploadFile
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from adjudge.analysis.calibration import Calibration
from adjudge.analysis.probing import probed_from
from adjudge.core.reason import Reason, reason_of
from adjudge.datasets import Source, kept_rows, opened_data
from adjudge.datasets.encodings import known_codec, spoken
from adjudge.datasets.isolated import Workers
from adjudge.datasets.textfile import encoding_read
from adjudge.errors import AdjudgeError, DataError, UnknownName, UsageError
from adjudge.reports.blocks import Block, Section
from adjudge.reports.findings.calibration import calibration
from adjudge.reports.findings.probes import probes
from adjudge.reports.renderers.page import PageRenderer
from adjudge.reports.words import Words
from adjudge.run_handle import Run
from adjudge.service.caches import CalibrationQuery, result_in_time
from adjudge.service.security.access import JUDGE, READ, token_id_of
from adjudge.service.state import Service, service_of
from adjudge.settings.secrets import without_secrets
from adjudge.stats.ppi import FEWEST_LABELS
from adjudge.stores import DEFAULT, RunRecord
from adjudge.strings import Strings

from .filters import utc
from .judge_view import first_item
from .label_view import labelled_runs
from .plots import plot_response
from .rendering import language_of, page, strings_of, whole_number, words_of

router = APIRouter(include_in_schema=False, dependencies=[READ])
_RUNS = 25  # on a page
_COUNTS = (
    "labels",
    "replaced",
    "left",
    "kept",
    "removed",
)  # that an address tells after a form was sent
_ODD = re.compile(r"[^\w.\- ]+")


@router.get("/trust")
def choose(request: Request) -> Response:
    """The runs, the latest first, with the labels for each judge."""
    shown, runs = labelled_runs(request, _RUNS)
    return page(request, "trust", runs=runs, paged=shown)


@router.get("/trust/{run_id}")
def show(request: Request, run_id: str) -> Response:
    """One judge and model of the run: `judge`, `model` and `group` as in `adjudge calibrate`."""
    run = service_of(request).run(run_id)
    without = tuple(request.query_params.getlist("without"))
    return _page(request, run, query_of(run.record, dict(request.query_params), without))


@router.get("/trust/{run_id}/keep")
@router.get("/trust/{run_id}/labels")
@router.get("/trust/{run_id}/raters")
def back(request: Request, run_id: str) -> Response:
    """Who comes back to the address of a form, e.g. after a refused file, finds its page."""
    return RedirectResponse(f"/trust/{service_of(request).run(run_id).id}", 303)


@router.post("/trust/{run_id}/keep", dependencies=[JUDGE])
def keep(
    request: Request,
    run_id: str,
    judge: Annotated[str, Form()] = "",
    model: Annotated[str, Form()] = "",
    group: Annotated[str, Form()] = "",
    without: Annotated[list[str], Form()] = [],  # noqa: B006 - FastAPI copies it
) -> Response:
    """Keeps the calibration, so that gates on later runs can rest on it."""
    service = service_of(request)
    run = service.run(run_id)
    asked = query_of(run.record, {"judge": judge, "model": model, "group": group}, tuple(without))
    service.calibrations.keep(run.record, asked)
    return RedirectResponse(f"{address_of(run.record, asked)}&kept=1#keep", 303)


@router.post("/trust/{run_id}/raters", dependencies=[JUDGE])
def remove_rater(
    request: Request,
    run_id: str,
    rater: Annotated[str, Form()] = "",
    judge: Annotated[str, Form()] = "",
    model: Annotated[str, Form()] = "",
) -> Response:
    """Removes all labels of one rater for this judge and these data."""
    service = service_of(request)
    run = service.run(run_id)
    asked = query_of(run.record, {"judge": judge, "model": model})
    removed = service.store.labels.remove_rater(run.record.manifest.data_hash, asked.judge, rater)
    return RedirectResponse(f"{address_of(run.record, asked)}&removed={removed}#raters", 303)


@router.post("/trust/{run_id}/labels", dependencies=[JUDGE])
def upload(
    request: Request,
    run_id: str,
    file: Annotated[UploadFile, File()],
    judge: Annotated[str, Form()] = "",
    model: Annotated[str, Form()] = "",
    rater: Annotated[str, Form()] = "",
) -> Response:
    """Keeps the labels of a file; what is wrong with it is said beside the form."""
    service = service_of(request)
    run = service.run(run_id)
    asked = query_of(run.record, {"judge": judge, "model": model})
    try:
        with _rows_of(file, service.jobs.uploads.workers) as path:
            done = run.import_labels(opened_data(path), judge=asked.judge, rater=rater.strip())
            read_in = encoding_read(Source(path)) or ""
    except (DataError, UsageError) as error:
        return _page(request, run, asked, problem=reason_of(error))
    counts = {"labels": done.labels, "replaced": done.replaced, "left": done.elsewhere}
    query = urlencode({**counts, "encoding": read_in})
    return RedirectResponse(f"{address_of(run.record, asked)}&{query}#labels", 303)


def _encoding(name: str) -> Reason | None:
    """What a file of labels was read in, as people call it; None where the address names none."""
    return spoken(name) if known_codec(name) else None


@contextmanager
def _rows_of(file: UploadFile, workers: Workers) -> Iterator[Path]:
    """The rows of the file, under the name that it came with: messages name it. DataError where
    they cannot be read within the limits."""
    name = _ODD.sub("_", Path(file.filename or "").name)[-100:]
    if not name.strip("._ "):
        raise UsageError(Reason("form.no_labels"))
    with tempfile.TemporaryDirectory(prefix="adjudge-labels-") as folder:
        path = Path(folder) / name
        with path.open("wb") as copy:
            shutil.copyfileobj(file.file, copy)
        rows = path.with_name(f"{name}{kept_rows.ENDING}")
        try:
            with rows.open("wb") as out:
                workers.write_rows(path, name, out)
            yield rows
        except AdjudgeError as error:
            raise type(error)(
                reason_of(error).with_texts(
                    lambda text: text.replace(f"{folder}/", "").replace(rows.name, name)
                )
            ) from None


def query_of(
    record: RunRecord, fields: dict[str, str], without: tuple[str, ...] = ()
) -> CalibrationQuery:
    """The first judge and model where none is named; UsageError for one that the run has not."""
    judges, models = tuple(record.manifest.judges), record.manifest.models
    judge, model = fields.get("judge") or judges[0], fields.get("model") or models[0]
    if judge not in judges:
        raise UsageError(Reason("here.no_judge", run=record.id, name=judge, known=judges))
    if model not in models:
        raise UsageError(Reason("here.no_model", run=record.id, name=model, known=tuple(models)))
    return CalibrationQuery(judge, model, fields.get("group") or None, without)


def address_of(record: RunRecord, asked: CalibrationQuery) -> str:
    fields = {name: value for name, value in asdict(asked).items() if value}
    return f"/trust/{record.id}?{urlencode(fields, doseq=True)}"


def _page(
    request: Request, run: Run, asked: CalibrationQuery, *, problem: Reason | None = None
) -> Response:
    since = monotonic()
    service, record = service_of(request), run.record
    say, params = strings_of(request), request.query_params
    tally = service.store.labels.counts(record.manifest.data_hash, asked.judge)
    # Before the figures: while those are worked out, all else takes longer.
    around = {
        "judge": service.indexes.of(record.id).judges[asked.judge],
        "columns": _columns(service, record),
        "kept": service.store.calibrations.latest(asked.judge, asked.model),
        "raters": service.store.labels.raters(record.manifest.data_hash, asked.judge),
        "probe_command": _probe_command(request, service, asked),
    }
    words = Words(say)
    result, state, why, waiting = None, "", "", False
    if tally.labels:
        try:
            state, working = service.calibrations.of(record, asked)
            result = result_in_time(working, since, record.rows)
            waiting = result is None
        except (DataError, UsageError) as error:
            why = str(error)
    return page(
        request,
        "trust_run",
        422 if problem else 200,
        refresh=waiting and not problem,  # which would be gone
        run=record,
        asked=asked,
        address=lambda **new: address_of(record, replace(asked, **new)),
        tally=tally,
        part=result.graders[0] if result else None,
        sections=_sections(result, words) if result else {},
        named=list(result.graders[0].criteria) if result else [],
        probed=_probed(service, record, asked, words),
        renderer=_renderer(request, record, asked, state, say),
        why=why,
        waiting=waiting,
        problem=problem,
        fewest=FEWEST_LABELS,
        models=service.judging.models,
        done={name: whole_number(params.get(name, "")) for name in _COUNTS},
        encoding=say.reason(_encoding(params.get("encoding", ""))),
        **around,
    )


def _sections(result: Calibration, words: Words) -> dict[str, Section]:
    """What there is to tell, by name; the title of the page says who is beside people."""
    sections = {section.name: section for section in calibration(result, words)}
    first = sections["agreement"]
    sections["agreement"] = replace(first, title=words("report.people.heading"))
    return sections


def _probed(
    service: Service, record: RunRecord, asked: CalibrationQuery, words: Words
) -> list[Block] | None:
    """What the latest probe of the judge and model found; None where there is none."""
    kept = service.store.probes.latest(asked.judge, asked.model)
    if kept is None:
        return None
    words = words.about(service.indexes.of(record.id).judges)
    changed = kept.fingerprint != record.manifest.judges[asked.judge]
    when, result = utc(kept.created), probed_from(kept.content)
    section = probes(result, words, when=when, changed=changed, model=asked.model)
    return list(section.blocks)


def _renderer(
    request: Request, record: RunRecord, asked: CalibrationQuery, state: object, say: Strings
) -> PageRenderer:
    run = f"/runs/{record.id}"
    chosen = urlencode({"outcome": "unscored", "judge": asked.judge, "model": asked.model})
    links: dict[str, str] = {"unscored": f"{run}?{chosen}#items", "items": f"{run}#items"}
    if request.state.access.allows("judge"):
        label = urlencode({"judge": asked.judge, "pick": "random"})
        links |= {"label": f"/label/{record.id}?{label}", "keep": "#keep"}
    query = {"judge": asked.judge, "model": asked.model, "s": str(state)}
    query |= {"group": asked.group} if asked.group else {}
    query |= {"without": "\n".join(asked.without)} if asked.without else {}
    return PageRenderer(say, links, f"/trust/{record.id}/plots", query, f"/runs/{record.id}")


def _probe_command(request: Request, service: Service, asked: CalibrationQuery) -> str:
    """What to type; where the store lies is nothing that others need to know."""
    words = ["adjudge", "probe", "--judge", asked.judge, "-m", asked.model]
    if asked.judge in service.judges.judges:
        words[3] = service.judges.source(asked.judge)
    if service.options.store != DEFAULT and not token_id_of(request):
        words += ["--store", without_secrets(service.options.store)]
    return shlex.join(words)


@router.get("/trust/{run_id}/plots/{name}.svg")
def plot(  # noqa: PLR0913 - what an address may name
    request: Request,
    run_id: str,
    name: str,
    *,
    judge: str,
    model: str,
    criterion: str = "",
    group: str = "",
    without: str = "",
) -> Response:
    """A plot of the page by its name; `criterion` where there is one for each."""
    service, language = service_of(request), language_of(request)
    record, words = service.run(run_id).record, words_of(request)
    asked = CalibrationQuery(judge, model, group or None, tuple(filter(None, without.split("\n"))))
    if name == "probes":
        blocks = _probed(service, record, asked, words)
        if blocks is None:
            raise UnknownName(Reason("here.not_probed", judge=judge, model=model))
        kept = service.store.probes.latest(judge, model)
        return plot_response(request, (kept and kept.created, language), lambda: blocks, name)
    state, working = service.calibrations.of(record, asked)
    result = working.result()
    if criterion and criterion not in result.graders[0].criteria:
        raise UnknownName(Reason("here.no_criterion_labels", judge=judge, criterion=criterion))
    return plot_response(request, (state, language), lambda: calibration(result, words), name)


def _columns(service: Service, record: RunRecord) -> list[str]:
    """What items may be grouped by."""
    item = first_item(service, record.id)
    return [] if item is None else [*item.extra, *item.fields]
