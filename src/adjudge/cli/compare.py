"""`adjudge compare`: two runs on the same items."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from . import flags
from .output import gate_option, insist, print_json


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
@flags.option(
    "--movers", type=int, default=5, show_default=True, metavar="N", help="Items shown in full."
)
@flags.resampling_options
@gate_option("'rating.lower>=-0.1', 'rating.losses<=3', 'winner.changed<=10%'")
@flags.option("-o", "--out", metavar="FILE", help="Write the comparison as Markdown (.md).")
@flags.store_option
@flags.json_option
def command(run_a: str, run_b: str, **given: Any) -> None:
    """Compare RUN_B with RUN_A, item by item: differences are B minus A.

    \b
    adjudge compare 3f2a latest --slice topic
    adjudge compare latest latest --model-a openai/gpt-4o --model-b openai/gpt-4o-mini
    """
    from adjudge.analysis.comparison.gates import comparison_gates, judge_comparison  # noqa: PLC0415
    from adjudge.reports.encode import encode  # noqa: PLC0415
    from adjudge.reports.files.pages import check_page_path, write_page  # noqa: PLC0415
    from adjudge.reports.findings import comparison, gates  # noqa: PLC0415
    from adjudge.reports.renderers.terminal import as_text  # noqa: PLC0415
    from adjudge.reports.words import command_line  # noqa: PLC0415
    from adjudge.trust import compare  # noqa: PLC0415 - keeps `adjudge --help` quick

    out, as_json = given.pop("out"), given.pop("as_json")
    if out:
        check_page_path(Path(out))
    conditions = comparison_gates(given.pop("gate"))
    found = compare(run_a, run_b, **given)
    judged = judge_comparison(conditions, found)
    words = command_line()
    page = [*comparison.comparison(found, words), *gates.gates(judged, words)]
    if as_json:
        shown = encode(found, comparison.SHAPES) | {"gates": encode(judged, gates.SHAPES)}
        print_json(shown)
    else:
        click.echo(as_text(page).lstrip("\n"))
    if out:
        write_page(Path(out), page)
        if not as_json:
            click.echo(f"written: {out}")
    insist(judged)
