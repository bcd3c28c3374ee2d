"""`adjudge run`: from a file of rows to verdicts."""

from __future__ import annotations

import gc
import sys
from typing import TYPE_CHECKING, Any

import click

from adjudge.core.reason import Reason
from adjudge.errors import AdjudgeError, GateFailed

from . import flags
from .cascade import cascade_from_flags, cascade_options
from .github import tell_github
from .help_groups import GroupedCommand
from .output import echo_samples, fail_on_gates, print_json, samples_dict

if TYPE_CHECKING:
    from adjudge.run_handle import Run


@click.command("run", cls=GroupedCommand)
@click.argument("data")
@flags.judge_option(multiple=True)
@flags.model_option(multiple=True)
@flags.out_option(
    "Write the verdicts; the ending chooses the format: .jsonl .json .csv .xlsx .parquet .md .html"
    " .xml (JUnit)."
)
@flags.columns_option
@flags.inputs_option
@flags.map_option
@flags.part_options
@flags.option("-n", "--limit", type=int, metavar="N", help="First N rows only.")
@flags.option(
    "--shard",
    metavar="I/N",
    help="Judge part I of N of the rows; all parts are one run in a shared store.",
)
@flags.option(
    "--engine",
    type=click.Choice(["local", "ray"]),
    default="local",
    help="Judge in this process, or on the workers of a Ray cluster.",
)
@flags.option(
    "--ray-address",
    metavar="ADDRESS",
    help="With --engine ray: the cluster; auto is the one of this machine."
    "  [default: one is started]",
)
@flags.option(
    "--workers",
    type=int,
    metavar="N",
    help="With --engine ray: how many judge at once, each with its own -j."
    "  [default: one per processor]",
)
@flags.option("--repeat", default=1, metavar="K", help="Samples per item.")
@flags.option(
    "--stop-when-stable",
    is_flag=True,
    help="With --repeat: stop when no sample can change the majority.",
)
@cascade_options
@flags.limit_options
@flags.asking_options
@flags.budget_option("the run")
@flags.option(
    "--batch",
    is_flag=True,
    help="Use the provider's batch endpoint: half the price, answers within a day.",
)
@flags.dry_run_option
@flags.reply_options
@flags.option(
    "--keep-texts",
    type=bool,
    default=True,
    show_default=False,
    metavar="yes|no",
    help="no: the same as --keep scores.  [default: yes]",
)
@flags.option(
    "--keep",
    type=click.Choice(["all", "replies", "scores", "none"]),
    help="What the store keeps: all; replies (no inputs); scores (no texts); none (nor replies"
    " for the cache).  [default: all]",
)
@flags.restart_options
@flags.option(
    "--max-unscored", metavar="P", help="Exit code 3 if more than this share is unscored, e.g. 2%."
)
@flags.gate_option("'rating.mean>=3.2', 'accuracy.corrected>=7', 'rating.share(>=3)>=80%'")
@flags.option(
    "--baseline",
    metavar="FILE",
    help="Compare item by item with the scores in FILE; exit code 3 if a mean is lower.",
)
@flags.option("--write-baseline", metavar="FILE", help="Write the scores to FILE for --baseline.")
@flags.option(
    "--name",
    metavar="NAME",
    help="What to call the run: shown in place of its id, and a RUN in other commands.",
)
@flags.option("--tag", multiple=True, metavar="K=V", help="A note kept with the run. Repeatable.")
@flags.store_option
@flags.json_option
@flags.quiet_option("No progress, no table.")
@flags.no_progress_option
def command(  # noqa: PLR0913 - one per option
    data: str,
    *,
    out: tuple[str, ...],
    mapping: tuple[str, ...],
    tag: tuple[str, ...],
    max_unscored: str | None,
    baseline: str | None,
    write_baseline: str | None,
    dry_run: bool,
    as_json: bool,
    quiet: bool,
    no_progress: bool,
    **options: Any,
) -> None:
    """Judge every row of DATA.

    DATA is a file (.jsonl .json .csv .tsv .parquet .xlsx, text also as .gz), a folder saved by
    Hugging Face datasets, a quoted pattern ('data/*.jsonl') or standard input (-). FILE#PART
    chooses a sheet, a split or a key.

    Running the same command again continues the run: what was answered is not asked again.
    """
    from adjudge.api import run
    from adjudge.reports.findings.gates import gates
    from adjudge.reports.findings.run import run_table
    from adjudge.reports.renderers.terminal import as_text
    from adjudge.reports.words import command_line

    from .progress import ProgressLine

    # The writing threads want the interpreter for a moment only, but often; by default they would
    # wait 5 ms for it each time, and replies for them.
    sys.setswitchinterval(0.001)
    # Hardly anything of a judgment is a cycle: looking for some after every 700 new objects takes a
    # tenth of its time, and more rarely takes no more memory.
    gc.set_threshold(10_000, 20, 50)
    most_unscored = None if max_unscored is None else flags.share(max_unscored, "max-unscored")
    watcher = ProgressLine(quiet=quiet, no_progress=no_progress)
    options |= {"map": flags.pairs(mapping, "map"), **flags.replies_from(options)}
    tags = flags.pairs(tag, "tag")
    if chosen := cascade_from_flags(options):
        watcher.note(chosen)
    if dry_run:
        _print_forecast(data, options, as_json=as_json)
        return
    try:
        result = run(data, out=out, baseline=baseline, watcher=watcher, tags=tags, **options)
    finally:
        watcher.done()  # also when it was stopped: how far it came, on a line of its own
    try:
        if as_json:
            _print_json(result, out)
        elif not quiet:
            click.echo(run_table(result.record, result.summary))
            echo_samples(result)
            if result.gates:
                click.echo(as_text(gates(result.gates, command_line())))
            for path in out:
                click.echo(f"written: {path}")
        if write_baseline:
            result.write_baseline(write_baseline)
            watcher.note(f"written: {write_baseline}")
        tell_github(result)
        _check(result, most_unscored)
        _say_what_failed(result, quiet=quiet)
        fail_on_gates(result.gates)
    finally:
        result.close()


def _print_forecast(data: str, options: dict[str, Any], *, as_json: bool) -> None:
    from adjudge.api import forecast
    from adjudge.reports.findings.run import forecast_dict, forecast_text

    foreseen = forecast(data, **options)
    if as_json:
        print_json(forecast_dict(foreseen))
    else:
        click.echo(forecast_text(foreseen))


def _print_json(result: Run, out: tuple[str, ...]) -> None:
    from adjudge.reports.encode import encode
    from adjudge.reports.findings.gates import SHAPES
    from adjudge.reports.findings.run import summary_dict

    shown = summary_dict(result.record, result.summary) | samples_dict(result)
    print_json(shown | {"files": list(out), "gates": encode(result.gates, SHAPES)})


def _say_what_failed(result: Run, *, quiet: bool) -> None:
    """The commonest cause why verdicts have no answer; an error where none has one."""
    from adjudge.reports.renderers.terminal import printable

    progress = result.progress
    failed, verdicts = progress.outcomes.get("provider_error", 0), progress.verdicts
    if not failed or (quiet and failed < verdicts):
        return
    none, some = Reason("run.no_answers", failed=failed), Reason("run.unanswered", failed=failed)
    reason = none if failed == verdicts else some
    for why, count in result.summary.tally.failures.most_common(1):
        reason = Reason("run.commonest", says=reason, count=count, failed=failed, why=why)
    if failed == verdicts:
        raise AdjudgeError(reason)
    click.echo(printable(str(reason)), err=True)


_SHORTEST_REPLY = 100  # tokens: fewer hold no verdict


def _say_nothing_was_spent(result: Run) -> None:
    """GateFailed where the budget could not pay for a single call, with what to change."""
    scores = (score for verdict in result.verdicts() for score in verdict.scores.values())
    why = next((score.reason for score in scores if score.outcome == "budget_stopped"), None)
    if why is None or why.code != "budget_one_call":
        return
    paid = why.fields["paid"]
    enough = isinstance(paid, int) and paid >= _SHORTEST_REPLY
    figures = {"why": why, "need": why.fields["need"], "paid": paid}
    if enough:
        raise GateFailed(Reason("run.budget_pays_nothing", **figures))
    raise GateFailed(Reason("run.budget_pays_no_prompt", **figures))


def _check(result: Run, most_unscored: float | None) -> None:
    if result.record.state == "stopped":
        summary = result.summary
        if not (summary.usage.input_tokens or summary.usage.output_tokens):
            _say_nothing_was_spent(result)
        left = summary.outcomes["budget_stopped"]
        raise GateFailed(Reason("run.budget_used_up", left=left, verdicts=summary.verdicts))
    progress = result.progress
    if most_unscored is None or not progress.verdicts:
        return
    share = progress.unscored / progress.verdicts
    if share > most_unscored:
        raise GateFailed(
            Reason(
                "run.many_unscored",
                unscored=progress.unscored,
                verdicts=progress.verdicts,
                share=share,
                most=most_unscored,
                run=result.id,
            )
        )
