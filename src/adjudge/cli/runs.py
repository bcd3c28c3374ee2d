"""`adjudge runs`: what is in the store."""

from __future__ import annotations

import sys
from contextlib import closing

import click

from adjudge.core.reason import Reason
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
    if flags.is_typed("store"):
        why = Reason("command.store_behind", command=context.invoked_subcommand)
        raise UsageError(why.at_option("store", without_secrets(store)))


def _list(store: str, *, as_json: bool) -> None:
    from adjudge.reports.renderers.terminal import table  # noqa: PLC0415
    from adjudge.stores import open_store  # noqa: PLC0415

    with closing(open_store(store, must_exist=True)) as opened:
        records = opened.runs.all()
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

    with closing(open_store(store, must_exist=True)) as opened:
        record = opened.runs.find(run)
        data = printable(record.manifest.data)
        if not yes and not _agreed(f"Delete run {record.id} (data {data}, rows {record.rows:,})?"):
            click.echo("nothing is deleted", err=True)
            return
        deleted = opened.runs.delete(record.id)
    if as_json:
        print_json(deleted._asdict())
        return
    click.echo(
        f"run {deleted.run} is deleted: items {deleted.items:,}, verdicts {deleted.verdicts:,},"
        f" kept replies {deleted.replies:,}"
    )


def _agreed(question: str) -> bool:
    if not sys.stdin.isatty():
        raise UsageError(Reason("command.nobody", question=question))
    return click.confirm(question, err=True)
