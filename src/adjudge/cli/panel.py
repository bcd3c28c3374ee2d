"""`adjudge panel`: the verdicts of several models or judges made one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from adjudge.errors import UsageError

from . import flags
from .output import print_json

if TYPE_CHECKING:
    from adjudge.analysis.paneled import Panel
    from adjudge.reports.page import Block


@click.command("panel")
@click.argument("run", default="latest")
@flags.option(
    "--how",
    type=click.Choice(["mean", "median", "trimmed", "majority", "weighted"]),
    help="How values become one; weighted: by agreement with people.  [default: mean, majority"
    " for names]",
)
@flags.option(
    "--labels",
    metavar="FILE",
    help="What people say, as for calibrate.  [default: the labels in the store]",
)
@flags.option(
    "--judge", "judges", multiple=True, metavar="NAME", help="Only this judge. Repeatable."
)
@flags.option(
    "-m", "--model", "models", multiple=True, metavar="MODEL", help="Only this model. Repeatable."
)
@flags.option(
    "--top",
    type=click.IntRange(min=0),
    default=10,
    show_default=True,
    metavar="N",
    help="So many of the items that members disagree on most.",
)
@flags.option(
    "--sort",
    type=click.Choice(["data", "disagreement"]),
    default="data",
    show_default=True,
    help="The order of the rows in files.",
)
@flags.option(
    "-o",
    "--out",
    multiple=True,
    metavar="FILE",
    help="Write the report (.md), or a row an item (.csv .jsonl .json .parquet). Repeatable.",
)
@flags.store_option
@flags.json_option
@click.pass_context
def command(context: click.Context, /, run: str, **given: Any) -> None:
    """Make the verdicts of several models or judges in RUN one.

    RUN is an id, a unique beginning of one, or `latest`. An item that fewer than half of the
    members scored has no value: a failure is never a number.

    \b
    adjudge run answers.csv --judge helpfulness -m openai/a -m anthropic/b -m gemini/c
    adjudge panel latest --how median -o panel.csv
    """
    from adjudge.reports.page import as_text  # noqa: PLC0415
    from adjudge.reports.panel import panel_dict, panel_page  # noqa: PLC0415
    from adjudge.trust import panel  # noqa: PLC0415 - keeps `adjudge --help` quick

    files = [Path(name) for name in given.pop("out")]
    for path in files:
        _check_file(path)
    as_json, top, sort = given.pop("as_json"), given.pop("top"), given.pop("sort")
    for name in ("judges", "models"):
        # A setting names what runs are made with; here the flag picks from what a run has.
        if context.get_parameter_source(name) is not ParameterSource.COMMANDLINE:
            given[name] = ()
    found = panel(run, **given)
    page = panel_page(found, top)
    if as_json:
        print_json(panel_dict(found) | {"files": [str(path) for path in files]})
    else:
        click.echo(as_text(page))
    for path in files:
        _write(path, found, page, divided_first=sort == "disagreement")
        if not as_json:
            click.echo(f"written: {path}")


def _check_file(path: Path) -> None:
    from adjudge.reports.formats import check_path  # noqa: PLC0415
    from adjudge.reports.panel import ENDINGS  # noqa: PLC0415

    if path.suffix.casefold() not in (".md", *ENDINGS):
        raise UsageError(f"{path}: write the report as .md, or items as {' '.join(ENDINGS)}.")
    check_path(path)


def _write(path: Path, found: Panel, page: list[Block], *, divided_first: bool) -> None:
    from adjudge.reports.formats import write_file  # noqa: PLC0415
    from adjudge.reports.page import write_page  # noqa: PLC0415
    from adjudge.reports.panel import panel_rows  # noqa: PLC0415

    if path.suffix.casefold() == ".md":
        write_page(path, page)
    else:
        write_file(path, lambda: panel_rows(found, divided_first=divided_first))
