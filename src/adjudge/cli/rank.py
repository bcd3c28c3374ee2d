"""`adjudge rank`: which system is the strongest."""

from __future__ import annotations

from typing import Any

import click

from . import flags
from .output import report_paths, show_finding, write_finding


@click.command("rank")
@click.argument("run")
@flags.option("--a", metavar="COLUMN", help="Names the system of the first answer.")
@flags.option("--b", metavar="COLUMN", help="Names the system of the second answer.")
@flags.option(
    "--system",
    metavar="COLUMN",
    help="Names the system of a row, for judges that score answers one by one.",
)
@flags.option(
    "--group",
    metavar="COLUMN",
    help="Rows with the same value belong to one question.  [pairs: the same question text]",
)
@flags.option(
    "--by",
    multiple=True,
    metavar="COLUMN",
    help="A ranking for each value of a column of the data. Repeatable.",
)
@flags.option(
    "--baseline",
    metavar="SYSTEM",
    help="Win rates at equal length are against this one.  [default: the one in every pair]",
)
@flags.option(
    "--variant",
    "variants",
    multiple=True,
    metavar="SYSTEM",
    help="The baseline itself, made to write longer or shorter. Repeatable.",
)
@flags.option("--judge", metavar="NAME", help="Which judge, where RUN has several.")
@flags.option("-m", "--model", metavar="MODEL", help="Which model, where RUN has several.")
@flags.option(
    "--criterion", "criteria", multiple=True, metavar="NAME", help="This one only. Repeatable."
)
@flags.resampling_options
@flags.out_option("Write the ranking as Markdown.", multiple=False, metavar="FILE.md")
@flags.store_option
@flags.json_option
def command(run: str, out: str | None, as_json: bool, **options: Any) -> None:
    """Rank the systems that RUN judged, by Bradley and Terry's strengths.

    \b
    adjudge rank latest --a model_a --b model_b
    adjudge rank latest --system model --group question_id
    """
    from adjudge.reports.findings import ranking as finding  # noqa: PLC0415
    from adjudge.reports.words import command_line  # noqa: PLC0415
    from adjudge.trust import rank  # noqa: PLC0415 - keeps `adjudge --help` quick

    files = report_paths([out] if out else [])
    ranking = rank(run, **options)
    page = [finding.ranking(ranking, command_line())]
    show_finding(ranking, finding.SHAPES, page, as_json=as_json)
    write_finding(files, page, quiet=as_json)
