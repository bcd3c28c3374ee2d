"""`adjudge panel`: the verdicts of several models or judges made one."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from . import flags
from .output import check_report_path, print_json, write_report

if TYPE_CHECKING:
    from adjudge.reports.blocks import Block


@click.command("panel")
@click.argument("run", default="latest")
@flags.option(
    "--how",
    type=click.Choice(["mean", "median", "trimmed", "majority", "weighted"]),
    help="How values are combined; weighted: by agreement with people.  [default: mean, majority"
    " for names]",
)
@flags.option(
    "--labels",
    metavar="FILE",
    help="Labels by people, as for calibrate.  [default: the labels in the store]",
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
    help="How many of the items that members disagree on most are shown.",
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
    help="Write the report (.md), or a row per item (.csv .jsonl .json .parquet). Repeatable.",
)
@flags.store_option
@flags.json_option
@click.pass_context
def command(context: click.Context, /, run: str, **given: Any) -> None:
    """Combine the verdicts of several models or judges in RUN.

    RUN is an id, a unique beginning of one, or `latest`. An item that fewer than half of the
    members scored has no value: a failure is never a number.

    \b
    adjudge run answers.csv --judge helpfulness -m openai/a -m anthropic/b -m gemini/c
    adjudge panel latest --how median -o panel.csv
    """
    from adjudge.reports.encode import encode  # noqa: PLC0415
    from adjudge.reports.findings import panel as finding  # noqa: PLC0415
    from adjudge.reports.renderers.terminal import as_text  # noqa: PLC0415
    from adjudge.reports.words import command_line  # noqa: PLC0415
    from adjudge.trust import panel  # noqa: PLC0415 - keeps `adjudge --help` quick

    files = [Path(name) for name in given.pop("out")]
    for path in files:
        check_report_path(path, finding.ROW_ENDINGS)
    as_json, top, sort = given.pop("as_json"), given.pop("top"), given.pop("sort")
    for name in ("judges", "models"):
        # A setting names what runs are made with; here the flag picks from what a run has.
        if context.get_parameter_source(name) is not ParameterSource.COMMANDLINE:
            given[name] = ()
    found = panel(run, **given)
    page: list[Block] = [finding.panel(found, command_line(), most=top)]
    if as_json:
        print_json(encode(found, finding.SHAPES) | {"files": [str(path) for path in files]})
    else:
        click.echo(as_text(page).lstrip("\n"))
    rows = partial(finding.panel_rows, found, divided_first=sort == "disagreement")
    for path in files:
        write_report(path, page, rows)
        if not as_json:
            click.echo(f"written: {path}")
