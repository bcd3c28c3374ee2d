"""`adjudge runs`: what is in the store."""

from __future__ import annotations

import click
from click.core import ParameterSource

from adjudge.errors import UsageError

from . import flags, runs_delete
from .output import print_json


@click.group("runs", invoke_without_command=True)
@flags.store_option
@flags.json_option
@click.pass_context
def command(context: click.Context, store: str, as_json: bool) -> None:
    """List the runs in the store, the latest first."""
    if context.invoked_subcommand is None:
        _list(store, as_json=as_json)
        return
    # It would be lost here, and the run of that name deleted in another store.
    if context.get_parameter_source("store") is ParameterSource.COMMANDLINE:
        raise UsageError(f"--store {store}: write it behind `{context.invoked_subcommand}`.")


command.add_command(runs_delete.command)


def _list(store: str, *, as_json: bool) -> None:
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
    if any(record.state == "interrupted" for record in records):
        click.echo("interrupted: the same command goes on where the run stopped.", err=True)
