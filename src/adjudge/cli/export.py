"""`adjudge export`: the verdicts of a run as files."""

from __future__ import annotations

from pathlib import Path

import click

from . import flags


@click.command("export")
@click.argument("run", default="latest")
@flags.option(
    "-o",
    "--out",
    multiple=True,
    required=True,
    metavar="FILE",
    help="The ending picks the format: .jsonl .json .csv .md .html. Repeatable.",
)
@flags.store_option
def command(run: str, out: tuple[str, ...], store: str) -> None:
    """Write the verdicts of RUN (an id, a unique beginning of one, or `latest`)."""
    from adjudge.api import open_run  # noqa: PLC0415 - keeps `adjudge --help` quick
    from adjudge.reports.formats import check_path  # noqa: PLC0415

    for path in out:
        check_path(Path(path))
    opened = open_run(run, store=store)
    try:
        for path in out:
            click.echo(f"written: {opened.export(path)}")
    finally:
        opened.close()
