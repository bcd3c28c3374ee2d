"""`adjudge label`: a person gives labels, one item at a time."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from typing import TYPE_CHECKING, Any

import click

from adjudge.core.reason import Reason
from adjudge.errors import UsageError

from . import flags

if TYPE_CHECKING:
    from adjudge.run_handle import Run


_PLANNING = ("width", "against", "labels", "slice", "out", "as_json")


@click.command("label")
@click.argument("run", default="latest")
@flags.option("--rater", metavar="NAME", help="Who labels.  [default: your login name]")
@flags.option(
    "--pick",
    type=click.Choice(["random", "planned", "uncertain", "abstained"]),
    default="random",
    help="A random sample, which can correct means; the items of the latest --plan, which can too;"
    " those that the judge is least sure of; or those that a cascade left to people.",
)
@flags.criteria_option
@flags.option("-n", "--limit", type=int, metavar="N", help="How many items.  [default: all]")
@flags.option("--seed", default=0, metavar="N", help="Which random sample.")
@flags.option(
    "--judge", "judges", multiple=True, metavar="NAME", help="Which judge, if the run has several."
)
@flags.option(
    "--import",
    "import_file",
    metavar="FILE",
    help="Import the labels of a file, then exit.",
    callback=flags.say_encoding,
)
@flags.option(
    "--export",
    "export_file",
    metavar="FILE",
    help="Write the labels to .csv, .jsonl or .json, then exit.",
)
@flags.option("--wide", is_flag=True, help="With --export: a column per criterion.")
@flags.option(
    "--plan", is_flag=True, help="How many labels to give next, and of which items; then exit."
)
@flags.option(
    "--width", type=float, metavar="W", help="With --plan: how wide a corrected mean's interval is."
)
@flags.option(
    "--against",
    metavar="RUN",
    help="With --plan: to tell which of two runs on the same items is nearer to people.",
)
@flags.labels_option("With --plan: the labels there are.  [default: the store's]")
@flags.option("--slice", metavar="FIELD", help="With --plan: a column whose values count apart.")
@flags.out_option("With --plan: write the page (.md), or the items to fill in (.csv .jsonl .json).")
@flags.json_option
@flags.store_option
def command(  # noqa: PLR0913 - each is a thing that a user may say
    run: str,
    *,
    judges: tuple[str, ...],
    import_file: str | None,
    export_file: str | None,
    wide: bool,
    plan: bool,
    store: str,
    **options: Any,
) -> None:
    """Label items of RUN: an id, a name, `latest`, `latest~1` or `tag:k=v`.

    Shows one item at a time, never what the judge said about it. Each label is kept at once. The
    same command continues where it stopped. If stdin is not a terminal, give one answer per line.
    """
    from adjudge.run_handle import open_run

    planning = {name: options.pop(name) for name in _PLANNING}
    if not plan and any(planning.values()):
        raise UsageError(Reason("command.plan"))
    if import_file and export_file:
        raise UsageError(Reason("command.both_ways"))
    if wide and not export_file:
        raise UsageError(Reason("command.wide"))
    with closing(open_run(run, store=store)) as opened:
        judge, rater = _judge(opened, judges), options["rater"]
        if plan:
            _plan(opened, judge, options, {**planning, "store": store})
        elif import_file:
            _import(opened, judge, import_file, rater)
        elif export_file:
            _export(opened, judge, export_file, rater=rater, wide=wide)
        else:
            _ask(opened, judge, options)


def _ask(run: Run, judge: str, options: Mapping[str, Any]) -> None:
    from adjudge.analysis.labelling import LabelOptions

    from .label_session import ask

    rater = options["rater"]
    ask(run, judge, LabelOptions(**{**options, "rater": rater or _login()}), named=bool(rater))


def _plan(run: Run, judge: str, options: Mapping[str, Any], planning: dict[str, Any]) -> None:
    from functools import partial

    from adjudge.analysis.scores.reader import judges_of
    from adjudge.reports.findings import label_plan as finding
    from adjudge.reports.words import command_line
    from adjudge.trust import plan_labels

    from .output import publish, report_paths

    out, as_json = planning.pop("out"), planning.pop("as_json")
    files = report_paths(out, finding.ROW_ENDINGS)
    result = plan_labels(
        run, judge=judge, criteria=options["criteria"], seed=options["seed"], **planning
    )
    page = [finding.label_plan(result, command_line().about(judges_of(run.record)))]
    rows = partial(finding.plan_rows, result)
    publish(result, finding.SHAPES, page, files, rows, as_json=as_json, files=list(out))


def _judge(run: Run, names: tuple[str, ...]) -> str:
    """The judge that the labels are for.

    What a settings file or a variable names is there for `adjudge run`, and counts here as far as
    it fits.
    """
    from adjudge.analysis.labelling import judge_of

    known, typed = run.record.manifest.judges, flags.is_typed("judges")
    fitting = tuple(name for name in names if typed or name in known)
    if len(fitting) > 1:
        raise UsageError(Reason("command.one_judge", names=fitting).at_option("judge"))
    return judge_of(run.record, fitting[0] if fitting else None)


def _login() -> str:
    import getpass

    try:
        return getpass.getuser()
    except (ImportError, KeyError, OSError):
        raise UsageError(Reason("command.no_login").at_option("rater")) from None


def _import(run: Run, judge: str, file: str, rater: str | None) -> None:
    labels = run.import_labels(file, judge=judge, rater=rater or "")
    click.echo(
        f"labels kept for {judge}: {labels.labels:,}, in place of others: {labels.replaced:,}"
    )
    if labels.elsewhere:
        click.echo(
            f"adjudge: labels left out: {labels.elsewhere:,} (run {run.title} does not have their"
            " items)",
            err=True,
        )


def _export(run: Run, judge: str, file: str, *, rater: str | None, wide: bool) -> None:
    path = run.export_labels(file, judge=judge, rater=rater, wide=wide)
    click.echo(f"written: {path}")
    others = {label.rater for label in run.labels(judge)} - {rater}
    if rater and others:
        click.echo(
            f"adjudge: only the labels of {rater}; without --rater also those of"
            f" {', '.join(sorted(name or 'nobody named' for name in others))}.",
            err=True,
        )
