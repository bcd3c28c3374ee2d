"""What is chosen for a new run, as the form and the address have it, and the job that it makes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.datastructures import FormData, QueryParams

from adjudge.core.reason import Reason
from adjudge.datasets.base import ENCODING
from adjudge.errors import UsageError
from adjudge.service.jobs import JobSpec
from adjudge.service.state import Service

from .rendering import whole_number

_TEXTS = ("data", "title", "table", "encoding", "limit", "repeat", "explain_in", "budget", "map")
COLUMN = "column."  # begins the name of the field that has the column of an input
WORDING = "wording."  # begins the one that has the wording of a judge


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """What was filled in, as texts. `data` is the name that `Uploads.keep_sent` gave, "" before a
    file was sent; `columns` are those chosen by input, `id` among them."""

    judges: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    data: str = ""
    title: str = ""
    table: str = ""
    encoding: str = ""
    limit: str = ""
    repeat: str = ""
    explain_in: str = ""
    budget: str = ""
    map: str = ""
    skip_bad_rows: bool = False
    no_texts: bool = False
    columns: Mapping[str, str] = field(default_factory=dict)

    @property
    def part(self) -> str:
        """Of the file: see `Source`."""
        return self.table or (f"{ENCODING}{self.encoding}" if self.encoding else "")


def form_of(fields: FormData | QueryParams) -> Form:
    def text(name: str) -> str:
        value = fields.get(name)
        return value if isinstance(value, str) else ""

    def texts(name: str) -> tuple[str, ...]:
        values = (value for value in fields.getlist(name) if isinstance(value, str) and value)
        return tuple(dict.fromkeys(values))

    columns = {name.removeprefix(COLUMN): text(name) for name in fields if name.startswith(COLUMN)}
    return Form(
        judges=tuple(text(f"{WORDING}{name}") or name for name in texts("judge")),
        models=texts("model"),
        skip_bad_rows=bool(text("skip_bad_rows")),
        no_texts=bool(text("no_texts")),
        columns={name: column for name, column in columns.items() if column},
        **{name: text(name) for name in _TEXTS},
    )


def job_of(form: Form, service: Service, rows: str) -> JobSpec:
    """UsageError for what cannot be meant; `rows` is where those of the data are kept."""
    if not form.judges:
        raise UsageError(Reason("form.no_judge"))
    return JobSpec(
        data=rows,
        title=form.title,
        judges=tuple(_fixed(service, name) for name in form.judges),
        models=form.models or service.judging.models[:1],
        options=_options(form),
    )


def _fixed(service: Service, name: str) -> str:
    """The judge as it is now, where it can be edited here: whoever resumes the run has it too."""
    catalog = service.judges
    if name in catalog.judges and catalog.may_save(name):
        return service.jobs.uploads.keep_judge(catalog.text(name))
    return name


def _options(form: Form) -> dict[str, Any]:
    """Fields of RunOptions; what was left empty stays as the command line has it."""
    options: dict[str, Any] = {}
    for name, text in (("limit", form.limit), ("repeat", form.repeat)):
        if text.strip():
            options[name] = whole_number(text)
            if options[name] is None:
                flag = Reason("option", name=name)
                raise UsageError(Reason("form.whole_number", flag=flag, text=text))
    for name, text in (("explain_in", form.explain_in), ("budget", form.budget)):
        if text.strip():
            options[name] = text.strip()
    if mapping := {**form.columns, **paths_of(form)}:
        options["map"] = mapping
    if form.skip_bad_rows:
        options["skip_bad_rows"] = True
    if form.no_texts:
        options["keep"] = "scores"
    return options


def paths_of(form: Form) -> dict[str, str]:
    """Lines like answer=column; quotes around one are those of a message, and do not count."""
    mapping: dict[str, str] = {}
    for line in filter(None, map(str.strip, form.map.splitlines())):
        bare = line[1:-1] if line[0] == line[-1] == "'" and len(line) > 1 else line
        name, is_there, column = bare.partition("=")
        if not (is_there and name.strip() and column.strip()):
            raise UsageError(Reason("form.map", text=line))
        mapping[name.strip()] = column.strip()
    return mapping
