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


@click.command("label")
@click.argument("run", default="latest")
@flags.option("--rater", metavar="NAME", help="Who labels.  [default: your login name]")
@flags.option(
    "--pick",
    type=click.Choice(["random", "uncertain", "abstained"]),
    default="random",
    help="A random sample, which can correct means; the items that the judge is least sure of; or"
    " the items that a cascade left to people.",
)
@flags.option(
    "--criterion",
    "criteria",
    multiple=True,
    metavar="NAME",
    help="Only this criterion. Repeatable.",
)
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
@flags.store_option
def command(
    run: str,
    *,
    judges: tuple[str, ...],
    import_file: str | None,
    export_file: str | None,
    wide: bool,
    store: str,
    **options: Any,
) -> None:
    """Label items of RUN: an id, a name, `latest`, `latest~1` or `tag:k=v`.

    Shows one item at a time, never what the judge said about it. Each label is kept at once. The
    same command continues where it stopped. If stdin is not a terminal, give one answer per line.
    """
    from adjudge.run_handle import open_run

    if import_file and export_file:
        raise UsageError(Reason("command.both_ways"))
    if wide and not export_file:
        raise UsageError(Reason("command.wide"))
    with closing(open_run(run, store=store)) as opened:
        judge, rater = _judge(opened, judges), options["rater"]
        if import_file:
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
