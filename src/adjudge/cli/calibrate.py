"""`adjudge calibrate`: a run beside what people say of the same items."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from adjudge.errors import UsageError

from . import flags
from .gates import gate_option, insist
from .output import print_json

if TYPE_CHECKING:
    from adjudge.analysis.calibration import Calibration
    from adjudge.reports.page import Block


@click.command("calibrate")
@click.argument("run", default="latest")
@flags.option(
    "--labels",
    metavar="FILE",
    help="What people say: item, rater, and a column a criterion; or item, rater, criterion,"
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
    help="How many more labels make the corrected mean's interval W wide, from end to end.",
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
    """Tell how far the judge of RUN agrees with people, and what its means are worth.

    RUN is an id, a unique beginning of one, or `latest`. What is learned is kept: gates on later
    runs of the same judge and model can demand a corrected mean.

    \b
    adjudge calibrate latest --labels people.csv --group question_id -o trust.md
    """
    from adjudge.reports.calibration import calibration_page  # noqa: PLC0415
    from adjudge.reports.calibration_dict import calibration_dict  # noqa: PLC0415
    from adjudge.reports.gates import gate_blocks, gate_dicts  # noqa: PLC0415
    from adjudge.reports.page import as_text  # noqa: PLC0415
    from adjudge.trust import calibrate  # noqa: PLC0415 - keeps `adjudge --help` quick

    files, as_json = [Path(name) for name in given.pop("out")], given.pop("as_json")
    for path in files:
        _check_file(path)
    for name in ("judge", "model"):
        # A setting names what runs are made with; here the flag picks from what a run has.
        if context.get_parameter_source(name) is not ParameterSource.COMMANDLINE:
            given[name] = None
    found = calibrate(run, **given)
    page, gates = calibration_page(found), gate_blocks(found.gates)
    if as_json:
        shown = {"gates": gate_dicts(found.gates), "files": [str(path) for path in files]}
        print_json(calibration_dict(found) | shown)
    else:
        click.echo(as_text([*page, *gates]).lstrip("\n"))
    for path in files:
        _write(path, found, [*gates, *page])
        if not as_json:
            click.echo(f"written: {path}")
    insist(found.gates)


def _check_file(path: Path) -> None:
    from adjudge.reports.calibrated_rows import ENDINGS  # noqa: PLC0415
    from adjudge.reports.formats import check_path  # noqa: PLC0415

    if path.suffix.casefold() not in (".md", *ENDINGS):
        raise UsageError(f"{path}: write the report as .md, or items as {' '.join(ENDINGS)}.")
    check_path(path)


def _write(path: Path, found: Calibration, page: list[Block]) -> None:
    from adjudge.reports.calibrated_rows import calibrated_rows  # noqa: PLC0415
    from adjudge.reports.formats import write_file  # noqa: PLC0415
    from adjudge.reports.page import write_page  # noqa: PLC0415

    if path.suffix.casefold() == ".md":
        write_page(path, page)
    else:
        write_file(path, lambda: calibrated_rows(found))
