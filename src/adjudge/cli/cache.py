"""`adjudge cache`: the replies that are kept so that no request is paid for twice."""

from __future__ import annotations

from contextlib import closing

import click

from . import flags
from .output import print_json


@click.group("cache")
def command() -> None:
    """Show or clear the reply cache of a store."""


@command.command("info")
@flags.store_option
@flags.json_option
def info(store: str, as_json: bool) -> None:
    """How many replies are kept, for which models."""
    from adjudge.reports.renderers.terminal import table  # noqa: PLC0415
    from adjudge.stores import open_store  # noqa: PLC0415

    with closing(open_store(store, must_exist=True)) as opened:
        kept = opened.replies.info()
    if as_json:
        print_json({"replies": kept.replies, "bytes": kept.bytes, "models": kept.models})
        return
    click.echo(f"{kept.replies:,} replies, {kept.bytes / 1e6:,.1f} MB, in {opened.where}")
    if kept.models:
        click.echo(table(["model", "replies"], [[m, f"{n:,}"] for m, n in kept.models.items()]))


@command.command("clear")
@flags.store_option
@flags.json_option
def clear(store: str, as_json: bool) -> None:
    """Forget all kept replies. Verdicts stay, with the replies that they were read from."""
    from adjudge.stores import open_store  # noqa: PLC0415

    with closing(open_store(store, must_exist=True)) as opened:
        gone = opened.replies.clear()
    if as_json:
        print_json({"cleared": gone})
    else:
        click.echo(f"{gone:,} replies forgotten; runs and verdicts are as they were")
