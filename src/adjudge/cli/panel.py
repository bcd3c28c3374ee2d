"""`adjudge panel`: the verdicts of several models or judges made one."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from . import flags
from .output import report_paths, show_finding, write_finding


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
    metavar="N",
    help="How many of the items that members disagree on most are shown.",
)
@flags.option(
    "--sort",
    type=click.Choice(["data", "disagreement"]),
    default="data",
    help="The order of the rows in files.",
)
@flags.out_option("Write the report (.md), or a row per item (.csv .jsonl .json .parquet).")
@flags.store_option
@flags.json_option
def command(
    run: str, top: int, sort: str, out: tuple[str, ...], as_json: bool, **options: Any
) -> None:
    """Combine the verdicts of several models or judges in RUN.

    RUN is an id, a unique beginning of one, or `latest`. An item that fewer than half of the
    members scored has no value: a failure is never a number.

    \b
    adjudge run answers.csv --judge helpfulness -m openai/a -m anthropic/b -m gemini/c
    adjudge panel latest --how median -o panel.csv
    """
    from adjudge.reports.findings import panel as finding  # noqa: PLC0415
    from adjudge.reports.words import command_line  # noqa: PLC0415
    from adjudge.trust import panel  # noqa: PLC0415 - keeps `adjudge --help` quick

    files = report_paths(out, finding.ROW_ENDINGS)
    flags.drop_settings(options, "judges", "models")
    combined = panel(run, **options)
    page = [finding.panel(combined, command_line(), most=top)]
    further = {"files": list(out)}
    show_finding(combined, finding.SHAPES, page, as_json=as_json, further=further)
    rows = partial(finding.panel_rows, combined, divided_first=sort == "disagreement")
    write_finding(files, page, rows, quiet=as_json)
