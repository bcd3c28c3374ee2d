"""`adjudge runs delete`: a run is taken out of the store, with all its texts."""

from __future__ import annotations

import sys

import click

from adjudge.errors import UsageError

from . import flags
from .output import print_json


@click.command("delete")
@click.argument("run")
# No variable: whoever deletes something says so each time.
@click.option("--yes", is_flag=True, help="Do not ask.")
@flags.store_option
@flags.json_option
def command(run: str, yes: bool, store: str, as_json: bool) -> None:
    """Delete RUN with all its texts.

    The replies in the cache that it had paid for are deleted too. Those that another run had paid
    for stay; `adjudge cache clear` forgets them. Labels stay, since they belong to the data.
    """
    from adjudge.reports.terminal import printable  # noqa: PLC0415
    from adjudge.stores.registry import open_store  # noqa: PLC0415

    opened = open_store(store, must_exist=True)
    try:
        record = opened.find(run)
        data = printable(record.manifest.data)
        if not yes and not _agreed(f"Delete run {record.id} (data {data}, rows {record.rows:,})?"):
            click.echo("nothing is deleted", err=True)
            return
        deleted = opened.delete(record.id)
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
