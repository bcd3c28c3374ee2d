"""`adjudge export` and `adjudge report`: the verdicts of a run as files, and a page about it."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import click

from adjudge.core.reason import Reason

from . import flags


@click.command("export")
@click.argument("run", default="latest")
@flags.out_option(
    "The ending chooses the format: .jsonl .json .csv .xlsx .parquet .md .html .xml (JUnit).",
    required=True,
)
@flags.option(
    "--by-item",
    is_flag=True,
    help="One row per item, judge and model: its samples combined, with their spread.",
)
@flags.option(
    "--parts",
    is_flag=True,
    help="One row per question of a checklist and per claim, with its verdict and quotation.",
)
@flags.columns_option
@flags.inputs_option
@flags.store_option
def export(run: str, out: tuple[str, ...], by_item: bool, store: str, **options: Any) -> None:
    """Write the verdicts of RUN: an id, a name, `latest`, `latest~1` or `tag:k=v`."""
    from adjudge.reports.files import check_path
    from adjudge.reports.findings.repeats import ROW_ENDINGS
    from adjudge.run_handle import open_run

    for path in map(Path, out):
        check_path(path)
        if by_item or options["parts"]:
            check_path(path, ROW_ENDINGS, Reason("output.by_item", endings=ROW_ENDINGS))
    with closing(open_run(run, store=store)) as opened:
        for name in out:
            written = opened.export(name, by_item=by_item, **options)
            click.echo(f"written: {written}")


@click.command("report")
@click.argument("run")
@click.argument("run2", required=False)
@flags.out_option(
    "One page that needs nothing else (.html), or Markdown for a pull request (.md).", required=True
)
@flags.labels_option(
    "People's labels, as in `adjudge calibrate`.  [default: the labels in the store]"
)
@flags.slices_option("Means")
@flags.option(
    "--worst",
    default=10,
    metavar="N",
    help="How many items with the lowest scores, and how many without a score, to show.",
)
@flags.option(
    "--lang", type=click.Choice(["en", "ko", "vi"]), default="en", help="Language of the report."
)
@flags.writer_options
@flags.store_option
def report(run: str, run2: str | None, out: tuple[str, ...], **options: Any) -> None:
    """Write a report on RUN: an id, a name, `latest`, `latest~1` or `tag:k=v`.

    With RUN2 it also shows what changed from RUN to RUN2. The page contains its plots and styles:
    it can be sent by mail, and loads nothing from the network.

    \b
    adjudge report latest -o report.html --slice topic
    adjudge report 3f2a latest -o change.md
    """
    from adjudge import trust

    for path in trust.report(run, out, against=run2, **options):
        click.echo(f"written: {path}")
