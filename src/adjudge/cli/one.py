"""`adjudge one`: one item, judged at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from adjudge.core.reason import Reason
from adjudge.errors import AdjudgeError, UsageError

from . import flags
from .output import print_json

if TYPE_CHECKING:
    from .progress import OneItem


@click.command("one")
@flags.judge_option(multiple=False)
@flags.model_option(multiple=False)
@flags.set_option
@flags.asking_options
@flags.store_option
@flags.json_option
@flags.option("--quiet", is_flag=True, help="No progress.")
@flags.option("--no-progress", is_flag=True, help="The same.")
def command(
    fields: tuple[str, ...], as_json: bool, quiet: bool, no_progress: bool, **options: Any
) -> None:
    """Judge one item.

    \b
    adjudge one --judge helpfulness --set question="How tall is it?" --set answer=@reply.txt
    """
    from adjudge.api import judge  # noqa: PLC0415
    from adjudge.reports.files.rows import verdict_row  # noqa: PLC0415
    from adjudge.reports.findings.run import verdict_text  # noqa: PLC0415

    item = flags.fields_of(fields)
    if not item:
        raise UsageError(Reason("command.no_item"))
    watching = None if quiet or no_progress else _watching(options)
    verdict = judge(
        options.pop("judge"), item, heard=watching.hear if watching else None, **options
    )
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
    from adjudge.running import RunOptions, load_judge  # noqa: PLC0415

    from .progress import OneItem  # noqa: PLC0415

    return OneItem(load_judge(options["judge"], RunOptions(ask=options.get("ask"))))
