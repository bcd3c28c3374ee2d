"""`adjudge drift`: whether a judge still grades as it did."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from adjudge.core.reason import Reason
from adjudge.errors import GateFailed

from . import flags
from .help_groups import GroupedCommand
from .output import publish, report_paths


@click.command("drift", cls=GroupedCommand)
@flags.judge_option(multiple=False)
@flags.model_option(multiple=False)
@flags.option(
    "--anchors", metavar="FILE", help="The items to ask about.  [default: built-in texts]"
)
@flags.option(
    "--alpha",
    type=float,
    default=0.05,
    metavar="P",
    help="Chance of any false alarm over all checks, future ones too.",
)
@flags.judging_options(
    samples="Samples per anchor; their mean counts.", spender="check", rows="check"
)
@flags.option("-n", "--limit", type=int, metavar="N", help="First N anchors only.")
def command(
    *,
    out: tuple[str, ...],
    mapping: tuple[str, ...],
    as_json: bool,
    quiet: bool,
    no_progress: bool,
    **options: Any,
) -> None:
    """Check whether a judge still grades as it did: ask it about the same items again.

    Every call is a check. No reply comes from the cache. All checks are compared with the first.
    The exit code is 3 if the latest check raises an alarm.

    \b
    adjudge drift --judge helpfulness -m openai/gpt-4o-mini
    adjudge drift --judge my-judge.yaml -m openai/gpt-4o-mini --anchors anchors.jsonl
    """
    from adjudge.learning import drift
    from adjudge.reports.findings import drift as finding
    from adjudge.reports.words import command_line

    from .progress import ProgressLine

    files = report_paths(out, finding.ROW_ENDINGS)
    watcher = ProgressLine(quiet=quiet, no_progress=no_progress)
    result = drift(watcher=watcher, map=flags.pairs(mapping, "map"), **options)
    page = [finding.drift(result, command_line())]
    rows = partial(finding.drift_rows, result)
    publish(result, finding.SHAPES, page, files, rows, as_json=as_json, files=list(out))
    if result.alarm:
        raise GateFailed(Reason("drift.alarm", judge=result.judge, model=result.model))
