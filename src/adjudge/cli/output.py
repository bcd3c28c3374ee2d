"""What several commands print and write: JSON, gates, reports; samples and panels of a run."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from adjudge.core.reason import Reason
from adjudge.errors import AdjudgeError, GateFailed, MissingExtra, UsageError

if TYPE_CHECKING:
    from adjudge.analysis.cascade import Cascaded
    from adjudge.analysis.gates import GateResult
    from adjudge.analysis.panel import Panel
    from adjudge.reports.blocks import Block
    from adjudge.reports.encode import Shapes
    from adjudge.run_handle import Run
    from adjudge.stores import Store

Rows = Callable[[], Iterator[dict[str, object]]]


@contextmanager
def opened_store(url: str, *, must_exist: bool = True) -> Iterator[Store]:
    from adjudge.stores import open_store

    with closing(open_store(url, must_exist=must_exist)) as store:
        yield store


def print_json(value: object) -> None:
    """Indented JSON on stdout, in UTF-8, without a character that a terminal would obey."""
    import json

    from adjudge.reports.renderers.terminal import printable_json

    # Not orjson: it refuses half surrogates, which a reply may hold and which are escaped here.
    click.echo(printable_json(json.dumps(value, ensure_ascii=False, indent=2)))


def report_paths(names: Sequence[str], row_endings: Sequence[str] = ()) -> list[Path]:
    """The files to write; UsageError unless each is for a page or its tables, or for rows where
    these are offered, in a folder that is there."""
    if not names:
        return []
    from adjudge.reports.files import check_path
    from adjudge.reports.renderers.tables import ENDINGS

    paths, refusal = [Path(name) for name in names], Reason("output.tables", endings=ENDINGS)
    if row_endings:
        refusal = Reason("output.report_or_rows", endings=tuple(row_endings))
    for path in paths:
        check_path(path, (*ENDINGS, *row_endings), refusal)
    return paths


def show_finding(
    finding: object,
    shapes: Shapes,
    page: Sequence[Block],
    *,
    as_json: bool,
    further: Mapping[str, object] | None = None,
) -> object:
    """Prints the page, or the finding as JSON with `further` entries; returns the latter."""
    from adjudge.reports.encode import encode

    content = {**encode(finding, shapes), **(further or {})}
    show_page(page, content, as_json=as_json)
    return content


def publish(
    finding: object,
    shapes: Shapes,
    page: Sequence[Block],
    paths: Sequence[Path],
    rows: Rows | None = None,
    *,
    as_json: bool,
    **further: object,
) -> None:
    """Shows a finding, or prints it as JSON with `further` entries, and writes it to files."""
    content = show_finding(finding, shapes, page, as_json=as_json, further=further)
    write_finding(paths, page, content, rows, quiet=as_json)


def show_page(page: Sequence[Block], content: object, *, as_json: bool) -> None:
    """Prints the page, or its `content` as JSON."""
    from adjudge.reports.renderers.terminal import as_text

    if as_json:
        print_json(content)
    else:
        click.echo(as_text(page).lstrip("\n"))


def write_finding(
    paths: Sequence[Path],
    page: Sequence[Block],
    content: object,
    rows: Rows | None = None,
    *,
    quiet: bool,
) -> None:
    """The page as Markdown, its tables as LaTeX or CSV, its `content` as JSON.

    Where there are `rows`, these are written instead to all but .md and .tex; a name that ends in
    `.table.csv` or `.table.json` is for the tables all the same.
    """
    from adjudge.reports.files import write_file
    from adjudge.reports.files.whole_file import write_text

    for path in paths:
        ending = path.suffix.casefold()
        tables = (
            rows is None or ending in (".md", ".tex") or path.stem.casefold().endswith(".table")
        )
        if rows is not None and not tables:
            write_file(path, rows)
        else:
            write_text(path, _written(ending, page, content))
        if not quiet:
            click.echo(f"written: {path}")


def _written(ending: str, page: Sequence[Block], content: object) -> str:
    import json

    from adjudge.reports.renderers.markdown import as_markdown
    from adjudge.reports.renderers.tables import as_csv, as_latex

    if ending == ".json":
        return json.dumps(content, ensure_ascii=False, indent=2) + "\n"
    if ending == ".csv":
        return "\ufeff" + as_csv(page)  # the mark tells spreadsheets that it is UTF-8
    return as_latex(page) if ending == ".tex" else as_markdown(page)


def fail_on_gates(judged: Sequence[GateResult]) -> None:
    """GateFailed when a gate did; to be called last, when everything has been shown."""
    from adjudge.reports.findings.gates import gate_failure

    failure = gate_failure(judged)
    if failure:
        raise GateFailed(failure)


_LEFT = 10  # items that no model was sure enough of


def echo_samples(run: Run) -> None:
    """How far samples of an item lie apart, and what several models come to together."""
    from adjudge.reports.findings.repeats import repeats
    from adjudge.reports.renderers.terminal import as_text
    from adjudge.reports.words import command_line

    words = command_line()
    if spread := run.repeats():
        click.echo(as_text([repeats(spread, words)]))
    if cascaded := _cascade(run):
        from adjudge.reports.findings.cascade import cascade

        items = len(cascaded.decisions)
        click.echo(as_text([cascade(cascaded.stages, items, words, cascaded, _LEFT)]))
    if combined := _panel(run):
        from adjudge.reports.findings.panel import panel

        click.echo(as_text([panel(combined, words, members=False, most=0)]))
        click.echo(words("report.panel.item_by_item", run=shlex.quote(run.title)))


def samples_dict(run: Run) -> dict[str, object]:
    """The same for `--json`, None for what there is not."""
    from adjudge.reports.encode import encode
    from adjudge.reports.findings import repeats

    shown = {"repeats": encode(run.repeats(), repeats.SHAPES), "panel": None, "cascade": None}
    if cascaded := _cascade(run):
        from adjudge.reports.findings import cascade

        shown["cascade"] = encode(cascaded, cascade.SHAPES)
    if combined := _panel(run):
        from adjudge.reports.findings import panel

        shown["panel"] = encode(combined, panel.SHAPES)
    return shown


def _cascade(run: Run) -> Cascaded | None:
    if "cascade" not in run.record.manifest.settings:
        return None
    from adjudge.trust import cascade

    try:
        return cascade(run)
    except UsageError:  # it has not come to its end, as the first line says
        return None


def _panel(run: Run) -> Panel | None:
    manifest = run.record.manifest
    if len(manifest.models) * len(manifest.judges) < 2 or "cascade" in manifest.settings:
        return None
    from adjudge.trust import panel

    try:
        return panel(run)
    except MissingExtra as error:
        click.echo(str(error), err=True)
        return None
    except AdjudgeError:  # there is none; `adjudge panel` says why
        return None
