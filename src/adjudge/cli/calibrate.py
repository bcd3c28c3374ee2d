"""`adjudge calibrate`: a run beside what people say of the same items."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from . import flags
from .output import insist, report_paths, show_finding, write_finding


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
@flags.gate_option("'rating.spearman>=0.4', 'rating.kappa.lower>=0.3'")
@flags.out_option(
    "Write the report (.md), or each item's score as people would give it (.csv .jsonl .json)."
)
@flags.store_option
@flags.json_option
def command(run: str, out: tuple[str, ...], as_json: bool, **options: Any) -> None:
    """Measure how well the judge of RUN agrees with people, and correct its means.

    RUN is an id, a unique beginning of one, or `latest`. The result is kept:
    gates of later runs with the same judge and model can use the corrected mean.

    \b
    adjudge calibrate latest --labels people.csv --group question_id -o trust.md
    """
    from adjudge.reports.encode import encode  # noqa: PLC0415
    from adjudge.reports.findings import calibration as finding  # noqa: PLC0415
    from adjudge.reports.findings import gates  # noqa: PLC0415
    from adjudge.reports.words import command_line  # noqa: PLC0415
    from adjudge.trust import calibrate  # noqa: PLC0415 - keeps `adjudge --help` quick

    files = report_paths(out, finding.ROW_ENDINGS)
    flags.drop_settings(options, "judge", "model")
    calibration, words = calibrate(run, **options), command_line()
    page, judged = finding.calibration(calibration, words), gates.gates(calibration.gates, words)
    further = {"gates": encode(calibration.gates, gates.SHAPES), "files": list(out)}
    show_finding(calibration, finding.SHAPES, [*page, *judged], as_json=as_json, further=further)
    rows = partial(finding.calibrated_rows, calibration)
    write_finding(files, [*judged, *page], rows, quiet=as_json)
    insist(calibration.gates)
