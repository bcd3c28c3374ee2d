"""`adjudge one` and `adjudge read`: one item judged at once, one reply read step by step."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adjudge.core.reason import Reason, unread
from adjudge.errors import AdjudgeError, DataError, UsageError

from . import flags
from .help_groups import GroupedCommand
from .output import print_json

if TYPE_CHECKING:
    from .progress import OneItem


_set_option = flags.option(
    "--set",
    "fields",
    multiple=True,
    metavar="FIELD=VALUE|@FILE",
    help="A field of the item; @FILE reads a file, @- standard input. Repeatable.",
)


@click.command("one", cls=GroupedCommand)
@flags.judge_option(multiple=False)
@flags.model_option(multiple=False)
@_set_option
@flags.asking_options
@flags.reply_options
@flags.store_option
@flags.json_option
@flags.quiet_option("No progress.")
@flags.no_progress_option
def one(
    fields: tuple[str, ...], as_json: bool, quiet: bool, no_progress: bool, **options: Any
) -> None:
    """Judge one item.

    \b
    adjudge one --judge helpfulness --set question="How tall is it?" --set answer=@reply.txt
    """
    from adjudge.api import judge
    from adjudge.reports.files.rows import verdict_row
    from adjudge.reports.findings.run import verdict_text

    item = _fields_of(fields)
    options |= flags.replies_from(options)
    if not item:
        raise UsageError(Reason("command.no_item"))
    watching = None if quiet or no_progress else _watching(options)
    try:
        verdict = judge(
            options.pop("judge"), item, heard=watching.hear if watching else None, **options
        )
    finally:
        if watching:
            watching.done()
    if as_json:
        print_json(verdict_row("", verdict))
    else:
        click.echo(verdict_text(verdict))
    if verdict.outcome == "provider_error":
        why = next(score.why for score in verdict.scores.values() if score.value is None)
        raise AdjudgeError(Reason("command.no_answer", why=why))


def _watching(options: Mapping[str, Any]) -> OneItem:
    from adjudge.running import RunOptions, load_judge

    from .progress import OneItem

    loaded = load_judge(options["judge"], RunOptions(ask=options.get("ask")))
    return OneItem(loaded, options["model"])


@click.command("read")
@click.argument("replyfile", metavar="REPLYFILE|-")
@flags.judge_option(multiple=False)
@flags.option(
    "--criterion", metavar="NAME", help="Read it as the reply to a call for this criterion only."
)
@_set_option
def read(replyfile: str, judge: str, criterion: str | None, fields: tuple[str, ...]) -> None:
    """Show how the reply in REPLYFILE (- for standard input) is read. No model is asked.

    With --set it knows the texts of the item: what the reply repeats of them is not read.
    """
    from adjudge.core.reply import Reply
    from adjudge.judges import registry
    from adjudge.reading.steps import steps
    from adjudge.reports.renderers.terminal import printable

    loaded = registry.get(judge)
    known = tuple(loaded.rubric.criteria)
    if criterion is not None and criterion not in known:
        raise UsageError(Reason("run.judge_criterion", judge=judge, name=criterion, known=known))
    criteria = (criterion,) if criterion else known
    texts = tuple(_fields_of(fields).values())
    for line in steps(loaded, criteria, Reply(text=_reply(replyfile)), texts):
        click.echo(printable(line))


def _reply(replyfile: str) -> str:
    try:
        data = sys.stdin.buffer.read() if replyfile == "-" else Path(replyfile).read_bytes()
        return data.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(unread(error).in_file(replyfile)) from None


def _fields_of(assignments: tuple[str, ...]) -> Mapping[str, str]:
    """The texts by the names of their fields."""
    fields = flags.pairs(assignments, "set")
    if sum(value == "@-" for value in fields.values()) > 1:
        raise UsageError(Reason("command.two_inputs").at_option("set"))
    return {name: _text(name, value) for name, value in fields.items()}


def _text(name: str, value: str) -> str:
    try:
        if not value.startswith("@"):
            value.encode()  # bytes that are no UTF-8 arrive as half surrogates, which fail here
            return value
        data = sys.stdin.buffer.read() if value == "@-" else Path(value[1:]).read_bytes()
        return data.decode("utf-8-sig")
    except OSError as error:
        why = Reason("command.no_field_file", why=error.strerror)
        raise DataError(why.at_option("set", f"{name}={value}")) from None
    except UnicodeError:
        why = Reason("command.not_utf8")
        raise DataError(why.at_option("set", f"{name}={value[:80]}")) from None
