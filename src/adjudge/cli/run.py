"""`adjudge run`: from a file of rows to verdicts."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adjudge.errors import AdjudgeError, GateFailed
from adjudge.reports.terminal import printable

from . import flags
from .cascade_flags import cascade_options, take_cascade
from .gates import gate_option, insist
from .output import print_json
from .samples import echo_samples, samples_dict
from .shares import share

if TYPE_CHECKING:
    from adjudge.kept_run import Run


@click.command("run")
@click.argument("data")
@flags.judge_option(multiple=True)
@flags.model_option(multiple=True)
@flags.option(
    "-o",
    "--out",
    multiple=True,
    metavar="FILE",
    help="Where verdicts go; the ending picks the format: .jsonl .json .csv .parquet .md .html"
    " .xml (JUnit). Repeatable.",
)
@flags.inputs_option
@flags.map_option
@flags.option("-n", "--limit", type=int, metavar="N", help="First N rows only.")
@flags.option(
    "--repeat", type=int, default=1, show_default=True, metavar="K", help="Samples an item."
)
@flags.option(
    "--stop-when-stable",
    is_flag=True,
    help="With --repeat: take no sample that cannot change what most of them say.",
)
@cascade_options
@flags.option(
    "-j",
    "--concurrency",
    type=int,
    default=8,
    show_default=True,
    metavar="N",
    help="Requests in flight at once; fewer when the server asks for it.",
)
@flags.option("--rpm", type=int, metavar="N", help="Most requests a minute to one model.")
@flags.option("--tpm", type=int, metavar="N", help="Most tokens a minute to one model.")
@flags.asking_options
@flags.option(
    "--budget",
    metavar="AMOUNT",
    help="Hard cap on what the run may spend, e.g. 5usd or 2Mtok; retries count.",
)
@flags.option(
    "--batch",
    is_flag=True,
    help="Use the provider's batch endpoint: half the price, answers within a day.",
)
@flags.option(
    "--dry-run", is_flag=True, help="Rows, calls, tokens and cost foreseen; send nothing."
)
@flags.option("--no-cache", is_flag=True, help="Do not use replies that other runs have paid for.")
@flags.option(
    "--keep-texts",
    type=bool,
    default=True,
    metavar="yes|no",
    help="Whether the store keeps the texts: inputs, replies, explanations.  [default: yes]",
)
@flags.option("--skip-bad-rows", is_flag=True, help="Go on without rows that cannot be used.")
@flags.option("--fresh", is_flag=True, help="Start anew instead of going on with an earlier run.")
@flags.option(
    "--max-unscored", metavar="P", help="Exit 3 when more than this share is unscored, e.g. 2%."
)
@gate_option("'rating.mean>=3.2', 'accuracy.corrected>=7', 'rating.share(>=3)>=80%'")
@flags.option("--tag", multiple=True, metavar="K=V", help="A note kept with the run. Repeatable.")
@flags.store_option
@flags.json_option
@flags.option("--quiet", is_flag=True, help="No progress, no table.")
@flags.option("--no-progress", is_flag=True, help="No progress.")
def command(data: str, **given: Any) -> None:
    """Judge every row of DATA.

    DATA is a file (.jsonl .json .csv .tsv .parquet .xlsx, text also as .gz), a folder saved by
    Hugging Face datasets, a quoted pattern ('data/*.jsonl') or standard input (-). FILE#PART picks
    a sheet, a split or a key.

    Running the same command again goes on where it stopped: what was answered is not asked again.
    """
    from adjudge.api import run  # noqa: PLC0415 - keeps `adjudge --help` quick
    from adjudge.reports.gates import gate_blocks  # noqa: PLC0415
    from adjudge.reports.page import as_text  # noqa: PLC0415
    from adjudge.reports.text import run_table  # noqa: PLC0415

    from .progress import Progress  # noqa: PLC0415

    # The writing threads want the interpreter for a moment only, but often; by default they would
    # wait 5 ms for it each time, and replies for them.
    sys.setswitchinterval(0.001)
    allowed = given.pop("max_unscored")
    most_unscored = share(allowed, "--max-unscored") if allowed is not None else None
    quiet, as_json = given.pop("quiet"), given.pop("as_json")
    no_progress = given.pop("no_progress")
    watcher = Progress(quiet=quiet, no_progress=no_progress)
    out = [Path(path) for path in given.pop("out")]
    mapping, tags = (
        flags.pairs(given.pop("mapping"), "--map"),
        flags.pairs(given.pop("tag"), "--tag"),
    )
    if chosen := take_cascade(given):
        watcher.note(chosen)
    if given.pop("dry_run"):
        _print_forecast(data, {**given, "map": mapping}, as_json=as_json)
        return
    try:
        result = run(data, out=out, watcher=watcher, map=mapping, tags=tags, **given)
    finally:
        watcher.done()  # also when it was stopped: how far it came, on a line of its own
    try:
        if as_json:
            _print_json(result, out)
        elif not quiet:
            click.echo(run_table(result.record, result.summary))
            echo_samples(result)
            if result.gates:
                click.echo(as_text(gate_blocks(result.gates)))
            for path in out:
                click.echo(f"written: {path}")
        _check(result, most_unscored)
        _say_what_failed(result, quiet=quiet)
        insist(result.gates)
    finally:
        result.close()


def _print_forecast(data: str, given: dict[str, Any], *, as_json: bool) -> None:
    from adjudge.api import foresee  # noqa: PLC0415
    from adjudge.reports.forecast import forecast_dict, forecast_text  # noqa: PLC0415

    forecast = foresee(data, **given)
    if as_json:
        print_json(forecast_dict(forecast))
    else:
        click.echo(forecast_text(forecast))


def _print_json(result: Run, out: list[Path]) -> None:
    from adjudge.reports.gates import gate_dicts  # noqa: PLC0415
    from adjudge.reports.text import summary_dict  # noqa: PLC0415

    shown = summary_dict(result.record, result.summary) | samples_dict(result)
    written: dict[str, object] = {"files": [str(path) for path in out]}
    print_json(shown | written | {"gates": gate_dicts(result.gates)})


def _say_what_failed(result: Run, *, quiet: bool) -> None:
    """Calls without an answer get their commonest cause; without any answer the run has failed."""
    failed = result.summary.outcomes["provider_error"]
    if not failed or (quiet and failed < result.summary.verdicts):
        return
    why = result.summary.failure
    if failed == result.summary.verdicts:
        raise AdjudgeError(f"No answer came for any of {failed} verdicts: {why}")
    click.echo(f"{failed} verdicts have no answer, e.g.: {printable(str(why))}", err=True)


def _check(result: Run, most_unscored: float | None) -> None:
    summary = result.summary
    if result.record.state == "stopped":
        left = summary.outcomes["budget_stopped"]
        raise GateFailed(
            f"The budget is used up: {left} of {summary.verdicts} verdicts were not asked for."
            " The same command with a higher --budget goes on."
        )
    if most_unscored is None or not summary.verdicts:
        return
    share = summary.unscored / summary.verdicts
    if share > most_unscored:
        raise GateFailed(
            f"{summary.unscored} of {summary.verdicts} verdicts ({share:.1%}) are unscored, more"
            f" than --max-unscored {most_unscored:.1%}. `adjudge show {result.id}` says why."
        )
