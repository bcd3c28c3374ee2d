"""`adjudge one`: one item, judged at once."""

from __future__ import annotations

from typing import Any

import click

from adjudge.errors import AdjudgeError, UsageError

from . import flags, item
from .output import print_json


@click.command("one")
@flags.judge_option(multiple=False)
@flags.model_option(multiple=False)
@item.set_option
@flags.asking_options
@flags.store_option
@flags.json_option
def command(given: tuple[str, ...], as_json: bool, **options: Any) -> None:
    """Judge one item.

    \b
    adjudge one --judge helpfulness --set question="How tall is it?" --set answer=@reply.txt
    """
    from adjudge.api import judge  # noqa: PLC0415
    from adjudge.reports.rows import verdict_row  # noqa: PLC0415
    from adjudge.reports.text import verdict_text  # noqa: PLC0415

    fields = item.fields_of(given)
    if not fields:
        raise UsageError("Nothing to judge: give the fields, e.g. --set question=… --set answer=…")
    verdict = judge(options.pop("judge"), fields, **options)
    if as_json:
        row = verdict_row("", verdict)
        print_json(row)
    else:
        click.echo(verdict_text(verdict))
    if verdict.outcome == "provider_error":
        why = next(score.why for score in verdict.scores.values() if score.value is None)
        raise AdjudgeError(f"no answer came from the model: {why}")
