"""`adjudge label`: a person gives labels, one item at a time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

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
    show_default=True,
    help="A random sample, which can correct means; what the judge is least sure of first; or"
    " what a cascade left to people.",
)
@flags.option(
    "--criterion", "criteria", multiple=True, metavar="NAME", help="Only this one. Repeatable."
)
@flags.option("-n", "--limit", type=int, metavar="N", help="How many items.  [default: all]")
@flags.option(
    "--seed", type=int, default=0, show_default=True, metavar="N", help="Which random sample."
)
@flags.option(
    "--judge", "judges", multiple=True, metavar="NAME", help="Where the run has several judges."
)
@flags.option(
    "--import", "import_file", metavar="FILE", help="Import the labels of a file, then exit."
)
@flags.option(
    "--export",
    "export_file",
    metavar="FILE",
    help="Write the labels to .csv, .jsonl or .json, and end.",
)
@flags.option("--wide", is_flag=True, help="With --export: a column per criterion.")
@flags.store_option
@click.pass_context
def command(context: click.Context, /, run: str, store: str, **given: Any) -> None:
    """Label items of RUN (an id, a unique beginning of one, or `latest`).

    Shows one item at a time, never what the judge said of it. Each label is kept at once; the same
    command goes on where it stopped. When stdin is no terminal, one answer is read per line.
    """
    from adjudge.run_handle import open_run  # noqa: PLC0415 - keeps `adjudge --help` quick

    names, brought = given.pop("judges"), given.pop("import_file")
    file, wide = given.pop("export_file"), given.pop("wide")
    if brought and file:
        raise UsageError("--import and --export: one at a time.")
    if wide and not file:
        raise UsageError("--wide needs --export FILE.")
    opened = open_run(run, store=store)
    try:
        judge = _judge(opened, names, typed=_typed(context, "judges"))
        if brought:
            _bring_in(opened, judge, brought, given["rater"])
        elif file:
            _write(opened, judge, file, rater=given["rater"], wide=wide)
        else:
            _ask(opened, judge, given)
    finally:
        opened.close()


def _ask(run: Run, judge: str, given: Mapping[str, Any]) -> None:
    from adjudge.analysis.labelling import LabelOptions  # noqa: PLC0415

    from .label_session import ask  # noqa: PLC0415

    rater = given["rater"]
    ask(run, judge, LabelOptions(**{**given, "rater": rater or _login()}), named=bool(rater))


def _typed(context: click.Context, name: str) -> bool:
    return context.get_parameter_source(name) is ParameterSource.COMMANDLINE


def _judge(run: Run, names: tuple[str, ...], *, typed: bool) -> str:
    """The judge that the labels are for.

    What a settings file or a variable names is there for `adjudge run`, and counts here as far as
    it fits.
    """
    from adjudge.analysis.labelling import judge_of  # noqa: PLC0415

    given = [name for name in names if typed or name in run.record.manifest.judges]
    if len(given) > 1:
        raise UsageError(f"--judge: labels are for one judge; name one of {', '.join(given)}.")
    return judge_of(run.record, given[0] if given else None)


def _login() -> str:
    import getpass  # noqa: PLC0415

    try:
        return getpass.getuser()
    except (ImportError, KeyError, OSError):
        raise UsageError(
            "--rater: this system does not know your login name; say who labels: --rater NAME."
        ) from None


def _bring_in(run: Run, judge: str, file: str, rater: str | None) -> None:
    came = run.import_labels(file, judge=judge, rater=rater or "")
    click.echo(f"labels kept for {judge}: {came.labels:,}, in place of others: {came.replaced:,}")
    if came.elsewhere:
        click.echo(
            f"adjudge: labels left out: {came.elsewhere:,} (run {run.id} has not got their items)",
            err=True,
        )


def _write(run: Run, judge: str, file: str, *, rater: str | None, wide: bool) -> None:
    path = run.export_labels(file, judge=judge, rater=rater, wide=wide)
    click.echo(f"written: {path}")
    others = {each.rater for each in run.labels(judge)} - {rater}
    if rater and others:
        click.echo(
            f"adjudge: only the labels of {rater}; without --rater also those of"
            f" {', '.join(sorted(name or 'nobody named' for name in others))}.",
            err=True,
        )
