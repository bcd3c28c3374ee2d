"""`adjudge show`: a run, or everything about one item of it."""

from __future__ import annotations

from contextlib import closing
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from adjudge.core.reason import Reason
from adjudge.errors import UsageError

from . import flags
from .output import echo_samples, print_json, samples_dict

if TYPE_CHECKING:
    from adjudge.core.verdict import Call
    from adjudge.run_handle import Run
    from adjudge.stores import Entry


@click.command("show")
@click.argument("run", default="latest")
@flags.option("--item", metavar="ID", help="One item with its scores and explanations.")
@flags.option("--prompt", is_flag=True, help="The prompts sent (needs --item).")
@flags.option("--reply", is_flag=True, help="The raw replies (needs --item).")
@flags.store_option
@flags.json_option
def command(
    run: str, item: str | None, prompt: bool, reply: bool, store: str, as_json: bool
) -> None:
    """Show RUN (an id, a unique beginning of one, or `latest`)."""
    from adjudge.run_handle import open_run  # noqa: PLC0415 - keeps `adjudge --help` quick

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
    from adjudge.reports.findings.run import reasons, run_table, summary_dict  # noqa: PLC0415

    if as_json:
        print_json(summary_dict(run.record, run.summary) | samples_dict(run))
        return
    click.echo(run_table(run.record, run.summary))
    echo_samples(run)
    unscored = reasons(run.verdicts())
    if unscored:
        click.echo(unscored)


def _call(call: Call) -> dict[str, object]:
    return {
        "criterion": call.criterion,
        "order": call.order,
        "replies": call.replies,
        "questions": call.questions,
        "counted": call.counted,
        "finish": call.finish,
        "error": str(call.error) if call.error else None,
    }


def _show_item(run: Run, entries: list[Entry], *, prompt: bool, reply: bool, as_json: bool) -> None:
    from adjudge.reports.files.rows import verdict_row  # noqa: PLC0415
    from adjudge.reports.findings.repeats import item_samples  # noqa: PLC0415
    from adjudge.reports.findings.run import item_text, prompt_text, reply_text, verdict_text  # noqa: PLC0415
    from adjudge.reports.renderers.terminal import as_text  # noqa: PLC0415
    from adjudge.reports.words import command_line  # noqa: PLC0415

    if as_json:
        rows = [verdict_row(run.id, e.verdict, dict(e.item.fields)) for e in entries]
        for row, entry in zip(rows, entries, strict=True):
            if prompt:
                row["prompts"] = [asdict(made) for made in run.prompts(entry)]
            if reply:
                row["calls"] = [_call(call) for call in entry.verdict.calls]
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
