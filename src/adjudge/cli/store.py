"""`adjudge store`: the store itself, whatever database it is."""

from __future__ import annotations

import click

from adjudge.core.reason import Reason
from adjudge.errors import StoreError
from adjudge.settings.secrets import without_secrets

from . import flags
from .output import opened_store, print_json


@click.group("store")
def command() -> None:
    """Make, check, copy, add to and compact stores."""


@command.command("migrate")
@flags.store_option
def migrate(store: str) -> None:
    """Make the tables, or bring those of an older version to this one.

    Every command does so by itself; here it is done ahead of time, e.g. by a user who may change
    tables where others may not.
    """
    from adjudge.stores.tables import REVISION

    with opened_store(store, must_exist=False) as opened:
        click.echo(f"{opened.where} is at revision {REVISION}")


@command.command("check")
@flags.store_option
@flags.json_option
def check(store: str, as_json: bool) -> None:
    """Compare what the store counts with what is there, run by run. Nothing is changed."""
    from adjudge.stores.checking import differences

    with opened_store(store) as opened:
        runs, size = len(opened.runs.all()), opened.database.size()
        problems = differences(opened)
    if as_json:
        reasons = [{"reason": reason.code, "why": str(reason)} for reason in problems]
        print_json({"runs": runs, "bytes": size, "problems": reasons})
    else:
        click.echo(f"{opened.where}: runs {runs:,}, {size:,} bytes, problems {len(problems):,}")
    if problems:
        why = Reason("store.check_failed", problems=tuple(problems))
        raise StoreError(why.in_file(opened.where))


@command.command("copy")
@click.argument("source", metavar="SRC")
@click.argument("destination", metavar="DST")
@flags.json_option
def copy(source: str, destination: str, as_json: bool) -> None:
    """Copy all runs, replies and labels of the store SRC to the store DST.

    Both may be files or servers. What DST has stays, and parts of one run become one run. The
    same command continues an interrupted copy. If it is repeated, it changes nothing.
    """
    from adjudge.reports.renderers.terminal import table
    from adjudge.stores.copying import copy_store

    def say(run: str) -> None:
        click.echo(f"run {run}", err=True)

    with (
        opened_store(source) as opened,
        opened_store(destination, must_exist=False) as target,
    ):
        counts = copy_store(opened, target, say)
    if as_json:
        print_json({count.table: count._asdict() for count in counts})
        return
    columns = ["table", without_secrets(source), without_secrets(destination)]
    rows = [[name, f"{before:,}", f"{after:,}"] for name, before, after in counts]
    click.echo(table(columns, rows))


@command.command("add")
@click.argument("folder", metavar="DIR")
@flags.store_option
@flags.json_option
def add(folder: str, store: str, as_json: bool) -> None:
    """Make the runs that `adjudge run --store parquet:DIR` has left in DIR runs of the store.

    If it is repeated, it adds what is new.
    """
    from adjudge.reports.renderers.terminal import table
    from adjudge.stores.adding import add_files

    with opened_store(store, must_exist=False) as opened:
        added = add_files(folder, opened, lambda run: click.echo(f"run {run}", err=True))
    if as_json:
        print_json([run._asdict() for run in added])
        return
    rows = [[run, f"{count:,}", f"{there:,}"] for run, count, there in added]
    click.echo(table(["run", "verdicts in DIR", "in the store"], rows))


@command.command("vacuum")
@flags.store_option
@flags.json_option
def vacuum(store: str, as_json: bool) -> None:
    """Rewrite the store, so that deleted data takes no room.

    Meanwhile it needs the same room once more, and other processes wait until it is done.
    """
    with opened_store(store) as opened:
        before = opened.database.size()
        opened.database.vacuum()
        after = opened.database.size()
    if as_json:
        print_json({"bytes_before": before, "bytes": after})
    else:
        click.echo(f"{opened.where}: {before:,} bytes before, {after:,} now")
