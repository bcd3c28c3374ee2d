"""`adjudge runs`, `show` and `cache`: what is in the store, and deleting it."""

from __future__ import annotations

import sys
from contextlib import closing
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from adjudge.core.reason import Reason
from adjudge.errors import UsageError
from adjudge.settings.secrets import without_secrets

from . import flags
from .output import (
    echo_samples,
    opened_store,
    print_json,
    report_paths,
    samples_dict,
    show_page,
    write_finding,
)

if TYPE_CHECKING:
    from adjudge.reports.blocks import Block
    from adjudge.run_handle import Run
    from adjudge.stores import Entry


@click.group("runs", invoke_without_command=True)
@flags.option(
    "--tag", "tags", multiple=True, metavar="K=V", help="Only runs with this tag. Repeatable."
)
@flags.option(
    "--judge", "judges", multiple=True, metavar="NAME", help="Only runs of this judge. Repeatable."
)
@flags.option(
    "-m", "--model", "models", multiple=True, metavar="MODEL", help="Only runs of this model."
)
@flags.option(
    "--sort",
    "order",
    type=click.Choice(["latest", "started", "name", "rows", "cost", "judge", "model"]),
    default="latest",
    help="The order of the list.",
)
@flags.table_option
@flags.store_option
@flags.json_option
@click.pass_context
def runs(context: click.Context, /, store: str, as_json: bool, **options: Any) -> None:
    """List the runs in the store, the latest first.

    \b
    adjudge runs --tag bot=v2 --judge chatbot
    """
    if context.invoked_subcommand is None:
        _list(store, options, as_json=as_json)
        return
    # It would be lost here, and the run of that name deleted in another store.
    if flags.is_typed("store"):
        why = Reason("command.store_behind", command=context.invoked_subcommand)
        raise UsageError(why.at_option("store", without_secrets(store)))


def _list(store: str, options: dict[str, Any], *, as_json: bool) -> None:
    from adjudge.stores import RunFilter

    out = report_paths(options.pop("out"))
    # Settings name the judge and model that runs are made with; here the flags pick some.
    flags.drop_settings(options, "tags", "judges", "models")
    wanted = RunFilter(
        tags=flags.pairs(options.get("tags", ()), "tag"),
        judges=tuple(options.get("judges", ())),
        models=tuple(options.get("models", ())),
        order=options["order"],
    )
    with opened_store(store) as opened:
        every = opened.runs.all()
    records = wanted.apply(every)
    if not records and not as_json:
        click.echo(str(Reason("run.none_matches", n=len(every))), err=True)
    from adjudge.reports.encode import fields, shaped
    from adjudge.reports.findings.run import runs_table

    page = [runs_table(records)]
    about = {name: f"manifest.{name}" for name in ("name", "data", "judges", "models", "tags")}
    shape = fields("state", "started", "ended", "rows", "tokens", "cost_usd", run="id", **about)
    content = [shaped(record, shape) for record in records]
    show_page(page, content, as_json=as_json)
    write_finding(out, page, content, quiet=as_json)
    if not as_json and any(record.state == "interrupted" for record in records):
        click.echo("interrupted: the same command continues where the run stopped.", err=True)


@runs.command("delete")
@click.argument("run")
# No variable: a user who deletes something says so each time.
@click.option("--yes", is_flag=True, help="Do not ask.")
@flags.store_option
@flags.json_option
def delete(run: str, yes: bool, store: str, as_json: bool) -> None:
    """Delete RUN with all its texts.

    The replies in the cache that it paid for are deleted too. Replies that another run paid for
    stay; `adjudge cache clear` deletes them. Labels stay, because they belong to the data.
    """
    from adjudge.reports.renderers.terminal import printable

    with opened_store(store) as opened:
        record = opened.runs.find(run)
        data = printable(record.manifest.data)
        if not yes and not _agreed(
            f"Delete run {record.title} (data {data}, rows {record.rows:,})?"
        ):
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

    with opened_store(store) as opened:
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
    with opened_store(store) as opened:
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
@flags.option(
    "--worst",
    type=click.IntRange(min=1),
    metavar="N",
    help="The N items with the lowest scores, in full; then up to N without a score.",
)
@flags.slices_option("Means")
@flags.table_option
@flags.store_option
@flags.json_option
def show(run: str, store: str, as_json: bool, **options: Any) -> None:
    """Show RUN: an id or its beginning, a name, `latest`, `latest~1` or `tag:k=v`.

    \b
    adjudge show latest --worst 20
    adjudge show week-46 --slice topic -o topics.tex
    """
    from adjudge.run_handle import open_run

    item, prompt, reply = (options.pop(name) for name in ("item", "prompt", "reply"))
    out = report_paths(options.pop("out"))
    if (prompt or reply) and item is None:
        raise UsageError(Reason("command.needs_item"))
    if item is not None and (out or any(options.values())):
        raise UsageError(Reason("command.item_alone"))
    with closing(open_run(run, store=store)) as opened:
        if item is None:
            page, content = _run_page(opened, **options)
            _show_run(opened, page, content, as_json=as_json)
            write_finding(out, page, content, quiet=as_json)
            return
        entries = list(opened.entries(item))
        if not entries:
            raise UsageError(Reason("run.no_verdict", run=opened.title, item=item))
        _show_item(opened, entries, prompt=prompt, reply=reply, as_json=as_json)


def _run_page(
    run: Run, *, worst: int | None, slices: tuple[str, ...]
) -> tuple[list[Block], dict[str, Any]]:
    """The run's table, and what was asked for beside it."""
    from adjudge.reports.blocks import Section
    from adjudge.reports.findings.run import criteria_table, run_title, summary_dict

    page: list[Block] = [Section(run_title(run.record), [criteria_table(run.record, run.summary)])]
    content = summary_dict(run.record, run.summary) | samples_dict(run)
    if worst or slices:
        from adjudge.analysis.comparison import StoredRun
        from adjudge.reports.findings.items import run_details
        from adjudge.reports.words import command_line

        source = StoredRun(run.record, run._store)
        further, details = run_details(source, command_line(), slices, worst or 0)
        page += further
        content |= details
    return page, content


def _show_run(run: Run, page: list[Block], content: dict[str, Any], *, as_json: bool) -> None:
    from adjudge.reports.findings.run import reasons, run_table
    from adjudge.reports.renderers.terminal import as_text

    if as_json:
        print_json(content)
        return
    click.echo(run_table(run.record, run.summary))
    echo_samples(run)
    if unscored := reasons(run.verdicts()):
        click.echo(unscored)
    if page[1:]:
        click.echo(as_text(page[1:]))


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
