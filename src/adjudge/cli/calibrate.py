"""`adjudge calibrate`: a run beside what people say of the same items."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from . import flags
from .output import check_report_path, gate_option, insist, print_json, write_report

if TYPE_CHECKING:
    pass


@click.command("calibrate")
@click.argument("run", default="latest")
@flags.option(
    "--labels",
    metavar="FILE",
    help="Labels by people: item, rater, and a column per criterion; or item, rater, criterion,"
    " value.  [default: the labels in the store]",
)
@flags.option(
    "--group",
    metavar="COLUMN",
    help="Rows with the same value belong together: correlations are also taken in each group, and"
    " intervals count groups.",
)
@flags.option("--judge", metavar="NAME", help="Which judge, where the run has several.")
@flags.option("-m", "--model", metavar="MODEL", help="Which model, where the run has several.")
@flags.option(
    "--width",
    type=float,
    metavar="W",
    help="Say how many more labels make the interval of the corrected mean W wide.",
)
@flags.resampling_options
@gate_option("'rating.spearman>=0.4', 'rating.kappa.lower>=0.3'")
@flags.option(
    "-o",
    "--out",
    multiple=True,
    metavar="FILE",
    help="Write the report (.md), or each item's score as people would give it (.csv .jsonl"
    " .json). Repeatable.",
)
@flags.store_option
@flags.json_option
@click.pass_context
def command(context: click.Context, /, run: str, **given: Any) -> None:
    """Measure how well the judge of RUN agrees with people, and correct its means.

    RUN is an id, a unique beginning of one, or `latest`. The result is kept:
    gates of later runs with the same judge and model can use the corrected mean.

    \b
    adjudge calibrate latest --labels people.csv --group question_id -o trust.md
    """
    from adjudge.reports.encode import encode  # noqa: PLC0415
    from adjudge.reports.findings import gates  # noqa: PLC0415
    from adjudge.reports.findings.calibration import (  # noqa: PLC0415
        ROW_ENDINGS,
        SHAPES,
        calibrated_rows,
        calibration,
    )
    from adjudge.reports.renderers.terminal import as_text  # noqa: PLC0415
    from adjudge.reports.words import command_line  # noqa: PLC0415
    from adjudge.trust import calibrate  # noqa: PLC0415 - keeps `adjudge --help` quick

    files, as_json = [Path(name) for name in given.pop("out")], given.pop("as_json")
    for path in files:
        check_report_path(path, ROW_ENDINGS)
    for name in ("judge", "model"):
        # A setting names what runs are made with; here the flag picks from what a run has.
        if context.get_parameter_source(name) is not ParameterSource.COMMANDLINE:
            given[name] = None
    found = calibrate(run, **given)
    words = command_line()
    page, judged = calibration(found, words), gates.gates(found.gates, words)
    if as_json:
        shown = {"gates": encode(found.gates, gates.SHAPES), "files": [str(path) for path in files]}
        print_json(encode(found, SHAPES) | shown)
    else:
        click.echo(as_text([*page, *judged]).lstrip("\n"))
    for path in files:
        write_report(path, [*judged, *page], lambda: calibrated_rows(found))
        if not as_json:
            click.echo(f"written: {path}")
    insist(found.gates)
