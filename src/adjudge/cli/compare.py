"""`adjudge compare`: two runs on the same items."""

from __future__ import annotations

from typing import Any

import click

from . import flags
from .output import insist, report_paths, show_finding, write_finding


@click.command("compare")
@click.argument("run_a")
@click.argument("run_b")
@flags.option(
    "--criterion",
    "criteria",
    multiple=True,
    metavar="NAME|A=B",
    help="This criterion only; A=B where the runs call it differently. Repeatable.",
)
@flags.option(
    "--slice",
    "slices",
    multiple=True,
    metavar="COLUMN",
    help="The difference for each value of a column of the data. Repeatable.",
)
@flags.option(
    "--group",
    metavar="COLUMN",
    help="Rows with the same value belong together: they are resampled together.",
)
@flags.option("--judge-a", metavar="NAME", help="Which judge, where RUN_A has several.")
@flags.option("--model-a", metavar="MODEL", help="Which model, where RUN_A has several.")
@flags.option("--judge-b", metavar="NAME", help="Which judge, where RUN_B has several.")
@flags.option("--model-b", metavar="MODEL", help="Which model, where RUN_B has several.")
@flags.option(
    "--detect",
    type=float,
    metavar="D",
    help="How many pairs it takes to see a difference of D on the scale.",
)
@flags.option("--movers", default=5, metavar="N", help="Items shown in full.")
@flags.resampling_options
@flags.gate_option("'rating.lower>=-0.1', 'rating.losses<=3', 'winner.changed<=10%'")
@flags.out_option("Write the comparison as Markdown (.md).", multiple=False)
@flags.store_option
@flags.json_option
def command(
    run_a: str,
    run_b: str,
    gate: tuple[str, ...],
    out: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Compare RUN_B with RUN_A, item by item: differences are B minus A.

    \b
    adjudge compare 3f2a latest --slice topic
    adjudge compare latest latest --model-a openai/gpt-4o --model-b openai/gpt-4o-mini
    """
    from adjudge.analysis.comparison.gates import comparison_gates, judge_comparison  # noqa: PLC0415
    from adjudge.reports.encode import encode  # noqa: PLC0415
    from adjudge.reports.findings import comparison as finding  # noqa: PLC0415
    from adjudge.reports.findings import gates  # noqa: PLC0415
    from adjudge.reports.words import command_line  # noqa: PLC0415
    from adjudge.trust import compare  # noqa: PLC0415 - keeps `adjudge --help` quick

    files = report_paths([out] if out else [])
    conditions = comparison_gates(gate)
    comparison, words = compare(run_a, run_b, **options), command_line()
    judged = judge_comparison(conditions, comparison)
    page = [*finding.comparison(comparison, words), *gates.gates(judged, words)]
    further = {"gates": encode(judged, gates.SHAPES)}
    show_finding(comparison, finding.SHAPES, page, as_json=as_json, further=further)
    write_finding(files, page, quiet=as_json)
    insist(judged)
