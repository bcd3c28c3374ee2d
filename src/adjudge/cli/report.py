"""`adjudge report`: what there is to tell about a run, or about two, as one page."""

from __future__ import annotations

from typing import Any

import click

from . import flags


@click.command("report")
@click.argument("run")
@click.argument("run2", required=False)
@flags.out_option(
    "One page that needs nothing else (.html), or Markdown for a pull request (.md).",
    required=True,
)
@flags.option(
    "--labels",
    metavar="FILE",
    help="Labels by people, as in `adjudge calibrate`.  [default: the labels in the store]",
)
@flags.option(
    "--slice",
    "slices",
    multiple=True,
    metavar="COLUMN",
    help="The means for each value of a column of the data. Repeatable.",
)
@flags.option(
    "--worst",
    default=10,
    metavar="N",
    help="Items with the lowest scores, and as many without one, shown in full.",
)
@flags.option(
    "--lang",
    type=click.Choice(["en", "ko", "vi"]),
    default="en",
    help="Language of the report.",
)
@flags.store_option
def command(run: str, run2: str | None, out: tuple[str, ...], **options: Any) -> None:
    """Write a report on RUN (an id, a unique beginning of one, or `latest`).

    With RUN2 it also shows what changed from RUN to RUN2. The page holds its plots and its styles:
    it can be sent by mail, and loads nothing from the network.

    \b
    adjudge report latest -o report.html --slice topic
    adjudge report 3f2a latest -o change.md
    """
    from adjudge.trust import report  # noqa: PLC0415 - keeps `adjudge --help` quick

    for path in report(run, out, against=run2, **options):
        click.echo(f"written: {path}")
