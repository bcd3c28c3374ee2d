"""`adjudge runs`: what is in the store."""

from __future__ import annotations

import click

from . import flags
from .output import print_json


@click.command("runs")
@flags.store_option
@flags.json_option
def command(store: str, as_json: bool) -> None:
    """List the runs in the store, the latest first."""
    from adjudge.reports.text import table  # noqa: PLC0415
    from adjudge.stores.registry import open_store  # noqa: PLC0415

    opened = open_store(store, must_exist=True)
    try:
        records = opened.runs()
    finally:
        opened.close()
    if as_json:
        shown = [
            {
                "run": record.id,
                "state": record.state,
                "started": record.started,
                "ended": record.ended,
                "rows": record.rows,
                "data": record.manifest.data,
                "judges": record.manifest.judges,
                "models": record.manifest.models,
                "tags": record.manifest.tags,
            }
            for record in records
        ]
        print_json(shown)
        return
    rows = [
        [
            record.id,
            record.state,
            record.started[:19].replace("T", " "),
            str(record.rows),
            " ".join(record.manifest.judges),
            " ".join(record.manifest.models),
            record.manifest.data,
        ]
        for record in records
    ]
    click.echo(table(["run", "state", "started (UTC)", "rows", "judge", "model", "data"], rows))
