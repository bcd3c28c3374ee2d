"""`adjudge export`: the verdicts of a run as files."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import click

from adjudge.core.reason import Reason
from adjudge.errors import UsageError

from . import flags


@click.command("export")
@click.argument("run", default="latest")
@flags.out_option(
    "The ending picks the format: .jsonl .json .csv .parquet .md .html .xml (JUnit).",
    required=True,
)
@flags.option(
    "--by-item",
    is_flag=True,
    help="One row per item, judge and model: its samples combined, with their spread.",
)
@flags.inputs_option
@flags.store_option
def command(run: str, out: tuple[str, ...], by_item: bool, with_inputs: bool, store: str) -> None:
    """Write the verdicts of RUN (an id, a unique beginning of one, or `latest`)."""
    from adjudge.reports.files import check_path  # noqa: PLC0415
    from adjudge.reports.findings.repeats import ROW_ENDINGS  # noqa: PLC0415
    from adjudge.run_handle import open_run  # noqa: PLC0415 - keeps `adjudge --help` quick

    for path in map(Path, out):
        check_path(path)
        if by_item and path.suffix.casefold() not in ROW_ENDINGS:
            raise UsageError(Reason("output.by_item", endings=tuple(ROW_ENDINGS)).in_file(path))
    with closing(open_run(run, store=store)) as opened:
        for name in out:
            written = opened.export(name, by_item=by_item, with_inputs=with_inputs)
            click.echo(f"written: {written}")
