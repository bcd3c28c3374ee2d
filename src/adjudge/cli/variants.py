"""`adjudge variants`: several judges and models on the same labelled items."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from . import flags
from .help_groups import GroupedCommand
from .output import publish, report_paths


@click.command("variants", cls=GroupedCommand)
@click.argument("data")
@flags.judge_option(multiple=True)
@flags.model_option(multiple=True)
@flags.labels_option(
    "People's labels, as in `adjudge calibrate`. Only rows with a label are judged.", required=True
)
@flags.measure_option("spearman")
@flags.judging_options(
    samples="Samples per item; gives the flip rate.", spender="run", rows="variant"
)
def command(
    data: str,
    *,
    out: tuple[str, ...],
    mapping: tuple[str, ...],
    as_json: bool,
    quiet: bool,
    no_progress: bool,
    **options: Any,
) -> None:
    """Find the judge and model that agrees best with people's labels of DATA.

    Every judge is asked with every model, in one run. What the best one shows is corrected for
    its being chosen: the best of many on few labels is partly luck.

    \b
    adjudge variants answers.csv --judge strict.yaml --judge kind.yaml \\
        -m openai/gpt-4o -m openai/gpt-4o-mini --labels people.csv
    """
    from adjudge.learning import variants
    from adjudge.reports.findings import variants as finding
    from adjudge.reports.words import command_line

    from .progress import ProgressLine

    files = report_paths(out, finding.ROW_ENDINGS)
    watcher = ProgressLine(quiet=quiet, no_progress=no_progress)
    result = variants(data, watcher=watcher, map=flags.pairs(mapping, "map"), **options)
    page = finding.variants(result, command_line())
    rows = partial(finding.variant_rows, result)
    publish(result, finding.SHAPES, page, files, rows, as_json=as_json, files=list(out))
