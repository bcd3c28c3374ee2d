"""`adjudge runs`: what is in the store."""

from __future__ import annotations

import sys

import click
from click.core import ParameterSource

from adjudge.errors import UsageError
from adjudge.settings.secrets import without_secrets

from . import flags
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
        raise UsageError(
            f"--store {without_secrets(store)}: write it behind `{context.invoked_subcommand}`."
        )


def _list(store: str, *, as_json: bool) -> None:
    from adjudge.reports.renderers.terminal import table  # noqa: PLC0415
    from adjudge.stores import open_store  # noqa: PLC0415

    opened = open_store(store, must_exist=True)
    try:
        records = opened.runs.all()
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


@command.command("delete")
@click.argument("run")
# No variable: whoever deletes something says so each time.
@click.option("--yes", is_flag=True, help="Do not ask.")
@flags.store_option
@flags.json_option
def delete(run: str, yes: bool, store: str, as_json: bool) -> None:
    """Delete RUN with all its texts.

    The replies in the cache that it had paid for are deleted too. Those that another run had paid
    for stay; `adjudge cache clear` forgets them. Labels stay, since they belong to the data.
    """
    from adjudge.reports.renderers.terminal import printable  # noqa: PLC0415
    from adjudge.stores import open_store  # noqa: PLC0415

    opened = open_store(store, must_exist=True)
    try:
        record = opened.runs.find(run)
        data = printable(record.manifest.data)
        if not yes and not _agreed(f"Delete run {record.id} (data {data}, rows {record.rows:,})?"):
            click.echo("nothing is deleted", err=True)
            return
        deleted = opened.runs.delete(record.id)
    finally:
        opened.close()
    if as_json:
        print_json(deleted._asdict())
        return
    click.echo(
        f"run {deleted.run} is deleted: items {deleted.items:,}, verdicts {deleted.verdicts:,},"
        f" kept replies {deleted.replies:,}"
    )


def _agreed(question: str) -> bool:
    if not sys.stdin.isatty():
        raise UsageError(f"{question} Nobody is there to answer; add --yes.")
    return click.confirm(question, err=True)
