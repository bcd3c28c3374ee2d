"""`adjudge export`: the verdicts of a run as files."""

from __future__ import annotations

from pathlib import Path

import click

from adjudge.errors import UsageError

from . import flags


@click.command("export")
@click.argument("run", default="latest")
@flags.option(
    "-o",
    "--out",
    multiple=True,
    required=True,
    metavar="FILE",
    help="The ending picks the format: .jsonl .json .csv .parquet .md .html .xml (JUnit)."
    " Repeatable.",
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
    from adjudge.run_handle import open_run  # noqa: PLC0415 - keeps `adjudge --help` quick

    for path in out:
        check_path(Path(path))
        if by_item:
            _check_ending(Path(path))
    opened = open_run(run, store=store)
    try:
        for path in out:
            written = opened.export(path, by_item=by_item, with_inputs=with_inputs)
            click.echo(f"written: {written}")
    finally:
        opened.close()


def _check_ending(path: Path) -> None:
    from adjudge.reports.findings.repeats import ROW_ENDINGS  # noqa: PLC0415

    if path.suffix.casefold() not in ROW_ENDINGS:
        raise UsageError(f"{path}: with --by-item the ending is one of: {', '.join(ROW_ENDINGS)}.")
