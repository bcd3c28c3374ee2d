"""`adjudge runs`, `show` and `cache`: what is in the store, and deleting it."""

from __future__ import annotations

import sys
from contextlib import closing
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from adjudge.core.reason import Reason
from adjudge.errors import UsageError
from adjudge.settings.secrets import without_secrets

from . import flags
from .output import echo_samples, print_json, samples_dict

if TYPE_CHECKING:
    from adjudge.run_handle import Run
    from adjudge.stores import Entry


@click.group("runs", invoke_without_command=True)
@flags.store_option
@flags.json_option
@click.pass_context
def runs(context: click.Context, store: str, as_json: bool) -> None:
    """List the runs in the store, the latest first."""
    if context.invoked_subcommand is None:
        _list(store, as_json=as_json)
        return
    # It would be lost here, and the run of that name deleted in another store.
    if flags.is_typed("store"):
        why = Reason("command.store_behind", command=context.invoked_subcommand)
        raise UsageError(why.at_option("store", without_secrets(store)))


def _list(store: str, *, as_json: bool) -> None:
    from adjudge.reports.encode import fields, shaped
    from adjudge.reports.renderers.terminal import table
    from adjudge.stores import open_store

    with closing(open_store(store, must_exist=True)) as opened:
        records = opened.runs.all()
    if as_json:
        about = {name: f"manifest.{name}" for name in ("data", "judges", "models", "tags")}
        shape = fields("state", "started", "ended", "rows", run="id", **about)
        print_json([shaped(record, shape) for record in records])
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
        click.echo("interrupted: the same command continues where the run stopped.", err=True)


@runs.command("delete")
@click.argument("run")
# No variable: whoever deletes something says so each time.
@click.option("--yes", is_flag=True, help="Do not ask.")
@flags.store_option
@flags.json_option
def delete(run: str, yes: bool, store: str, as_json: bool) -> None:
    """Delete RUN with all its texts.

    The replies in the cache that it paid for are deleted too. Replies that another run paid for
    stay; `adjudge cache clear` deletes them. Labels stay, because they belong to the data.
    """
    from adjudge.reports.renderers.terminal import printable
    from adjudge.stores import open_store

    with closing(open_store(store, must_exist=True)) as opened:
        record = opened.runs.find(run)
        data = printable(record.manifest.data)
        if not yes and not _agreed(f"Delete run {record.id} (data {data}, rows {record.rows:,})?"):
            click.echo("nothing was deleted", err=True)
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


@click.group("cache")
def cache() -> None:
    """Show or clear the cache of replies in a store."""


@cache.command("info")
@flags.store_option
@flags.json_option
def info(store: str, as_json: bool) -> None:
    """Show how many replies are kept, and for which models."""
    from adjudge.reports.renderers.terminal import table
    from adjudge.stores import open_store

    with closing(open_store(store, must_exist=True)) as opened:
        kept = opened.replies.info()
    if as_json:
        print_json({"replies": kept.replies, "bytes": kept.bytes, "models": kept.models})
        return
    click.echo(f"{kept.replies:,} replies, {kept.bytes / 1e6:,.1f} MB, in {opened.where}")
    if kept.models:
        click.echo(table(["model", "replies"], [[m, f"{n:,}"] for m, n in kept.models.items()]))


@cache.command("clear")
@flags.store_option
@flags.json_option
def clear(store: str, as_json: bool) -> None:
    """Delete all replies from the cache. Verdicts stay, with their replies."""
    from adjudge.stores import open_store

    with closing(open_store(store, must_exist=True)) as opened:
        gone = opened.replies.clear()
    if as_json:
        print_json({"cleared": gone})
    else:
        click.echo(f"{gone:,} replies deleted; runs and verdicts have not changed")


@click.command("show")
@click.argument("run", default="latest")
@flags.option("--item", metavar="ID", help="One item with its scores and explanations.")
@flags.option("--prompt", is_flag=True, help="The prompts sent (needs --item).")
@flags.option("--reply", is_flag=True, help="The raw replies (needs --item).")
@flags.store_option
@flags.json_option
def show(run: str, item: str | None, prompt: bool, reply: bool, store: str, as_json: bool) -> None:
    """Show RUN (an id, a unique beginning of one, or `latest`)."""
    from adjudge.run_handle import open_run

    if (prompt or reply) and item is None:
        raise UsageError(Reason("command.needs_item"))
    with closing(open_run(run, store=store)) as opened:
        if item is None:
            _show_run(opened, as_json=as_json)
        else:
            entries = list(opened.entries(item))
            if not entries:
                raise UsageError(Reason("run.no_verdict", run=opened.id, item=item))
            _show_item(opened, entries, prompt=prompt, reply=reply, as_json=as_json)


def _show_run(run: Run, *, as_json: bool) -> None:
    from adjudge.reports.findings.run import reasons, run_table, summary_dict

    if as_json:
        print_json(summary_dict(run.record, run.summary) | samples_dict(run))
        return
    click.echo(run_table(run.record, run.summary))
    echo_samples(run)
    unscored = reasons(run.verdicts())
    if unscored:
        click.echo(unscored)


def _show_item(run: Run, entries: list[Entry], *, prompt: bool, reply: bool, as_json: bool) -> None:
    from adjudge.reports.encode import fields, shaped
    from adjudge.reports.files.rows import verdict_row
    from adjudge.reports.findings.repeats import item_samples
    from adjudge.reports.findings.run import item_text, prompt_text, reply_text, verdict_text
    from adjudge.reports.renderers.terminal import as_text
    from adjudge.reports.words import command_line

    if as_json:
        shape = fields("criterion", "order", "replies", "questions", "counted", "finish", "error")
        rows = [verdict_row(run.id, e.verdict, dict(e.item.fields)) for e in entries]
        for row, entry in zip(rows, entries, strict=True):
            if prompt:
                row["prompts"] = [asdict(made) for made in run.prompts(entry)]
            if reply:
                row["calls"] = [shaped(call, shape) for call in entry.verdict.calls]
        print_json(rows)
        return
    click.echo(item_text(entries[0].item))
    if samples := item_samples((entry.verdict for entry in entries), command_line()):
        click.echo(as_text([samples]))
    for entry in entries:
        click.echo(verdict_text(entry.verdict))
        if prompt:
            for made in run.prompts(entry):
                click.echo(prompt_text(made))
        if reply:
            click.echo(reply_text(entry.verdict))
