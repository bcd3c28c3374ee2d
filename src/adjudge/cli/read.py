"""`adjudge read`: how one reply is read, step by step."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from adjudge.core.reason import Reason
from adjudge.errors import DataError, UsageError

from . import flags


@click.command("read")
@click.argument("replyfile", metavar="REPLYFILE|-")
@flags.judge_option(multiple=False)
@flags.option("--criterion", metavar="NAME", help="As the reply to a call for this one alone.")
@flags.set_option
def command(replyfile: str, judge: str, criterion: str | None, fields: tuple[str, ...]) -> None:
    """Show how the reply in REPLYFILE (- for standard input) is read. No model is asked.

    With the fields of the item that the reply is about, what it repeats of them is not read.
    """
    from adjudge.core.reply import Reply  # noqa: PLC0415 - keeps `adjudge --help` quick
    from adjudge.judges import registry  # noqa: PLC0415
    from adjudge.reading.steps import steps  # noqa: PLC0415
    from adjudge.reports.renderers.terminal import printable  # noqa: PLC0415

    loaded = registry.get(judge)
    known = tuple(loaded.rubric.criteria)
    if criterion is not None and criterion not in known:
        raise UsageError(Reason("run.judge_criterion", judge=judge, name=criterion, known=known))
    criteria = (criterion,) if criterion else known
    texts = tuple(flags.fields_of(fields).values())
    for line in steps(loaded, criteria, Reply(text=_text(replyfile)), texts):
        click.echo(printable(line))


def _text(replyfile: str) -> str:
    try:
        data = sys.stdin.buffer.read() if replyfile == "-" else Path(replyfile).read_bytes()
        return data.decode("utf-8-sig")
    except OSError as error:
        why = Reason("command.unreadable", why=error.strerror)
        raise DataError(why.in_file(replyfile)) from None
    except UnicodeDecodeError as error:
        why = Reason("command.not_utf8_at", byte=error.start)
        raise DataError(why.in_file(replyfile)) from None
