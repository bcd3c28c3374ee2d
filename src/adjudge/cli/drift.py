"""`adjudge drift`: whether a judge still grades as it did."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from adjudge.core.reason import Reason
from adjudge.errors import GateFailed

from . import flags
from .help_groups import GroupedCommand
from .output import report_paths, show_finding, write_finding


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
@flags.map_option
@flags.option("-n", "--limit", type=int, metavar="N", help="First N anchors only.")
@flags.option("--repeat", default=1, metavar="K", help="Samples per anchor; their mean counts.")
@flags.limit_options
@flags.asking_options
@flags.option(
    "--budget",
    metavar="AMOUNT",
    help="Maximum that the check may spend, e.g. 5usd or 2Mtok; retries count.",
)
@flags.out_option("Write the report (.md), or a row per check (.csv .jsonl .json .parquet).")
@flags.store_option
@flags.json_option
@flags.option("--quiet", is_flag=True, help="No progress.")
@flags.option("--no-progress", is_flag=True, help="No progress.")
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
    further = {"files": list(out)}
    content = show_finding(result, finding.SHAPES, page, as_json=as_json, further=further)
    write_finding(files, page, content, partial(finding.drift_rows, result), quiet=as_json)
    if result.alarm:
        raise GateFailed(Reason("drift.alarm", judge=result.judge, model=result.model))
