"""`adjudge improve`: a better judge from people's labels."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adjudge.core.reason import Reason
from adjudge.errors import GateFailed, UsageError

from . import flags
from .help_groups import GroupedCommand
from .output import report_paths, show_finding, write_finding

if TYPE_CHECKING:
    from adjudge.analysis.improvement import Candidate

_JUDGE_ENDINGS = (".yaml", ".yml")


@click.command("improve", cls=GroupedCommand)
@click.argument("judge")
@click.argument("data")
@flags.labels_option(
    "People's labels, as in `adjudge calibrate`. Only rows with a label are judged.", required=True
)
@flags.model_option(multiple=False)
@flags.option(
    "--writer", metavar="MODEL", help="The model that writes guides.  [default: the judge's model]"
)
@flags.option(
    "--way",
    multiple=True,
    type=click.Choice(["variants", "rewrite", "examples", "map"]),
    help="Only in this way: choose among the guides of other files, rewrite guides and steps, show"
    " graded examples, move scores by a rising map. Repeatable.  [default: all]",
)
@flags.option(
    "--try-judge",
    "variants",
    multiple=True,
    metavar="FILE",
    help="Another judge file whose guides, steps and examples are tried. Repeatable.",
)
@flags.option(
    "--criterion",
    "criteria",
    multiple=True,
    metavar="NAME",
    help="Only this criterion. Repeatable.  [default: all that have labels]",
)
@flags.option(
    "--group",
    metavar="COLUMN",
    help="Rows with the same value stay on one side of the split.  [default: rows that share all"
    " texts but the judged ones]",
)
@flags.measure_option("kappa")
@flags.option(
    "--held-out",
    default="50%",
    metavar="P",
    help="Share of the labels that the search never sees.",
)
@flags.option("--tries", default=12, metavar="N", help="Maximum number of guides to write.")
@flags.option("--shots", default=4, metavar="N", help="Maximum number of examples to show.")
@flags.option("--split-seed", default=0, metavar="N", help="Seed of the split and of the search.")
@flags.confidence_option
@flags.map_option
@flags.limit_options
@flags.asking_options
@flags.reply_options
@flags.option(
    "--budget",
    metavar="AMOUNT",
    help="Maximum to spend on judge and writer together, e.g. 5usd or 2Mtok; retries count.",
)
@flags.dry_run_option
@flags.out_option(
    "The new judge (.yaml), written only if it is shown to be better; the report (.md), or a row"
    " per candidate (.csv .jsonl .json .parquet)."
)
@flags.store_option
@flags.json_option
@flags.quiet_option("No progress.")
def command(  # noqa: PLR0913 - each is a flag
    judge: str,
    data: str,
    *,
    out: tuple[str, ...],
    mapping: tuple[str, ...],
    held_out: str,
    dry_run: bool,
    as_json: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Make JUDGE agree better with people's labels of DATA.

    The labels are split once. Candidates are searched for on one part: guides that a model
    writes from disagreements, graded examples, a map of scores. The best one is compared with
    the old judge on the other part, item by item. If it is not shown to be better, the old judge
    stays and the exit code is 3. Scales, rules, inputs and the form of the reply never change.

    \b
    adjudge improve helpful.yaml answers.csv --labels people.csv -m openai/gpt-4o-mini \\
        --writer openai/gpt-4o -o better.yaml --budget 5usd
    """
    from adjudge.learning import forecast_improve, improve
    from adjudge.reports.findings import improvement as finding
    from adjudge.reports.renderers.terminal import printable
    from adjudge.reports.words import command_line

    from .progress import ProgressLine

    files = [Path(path) for path in out if Path(path).suffix.casefold() in _JUDGE_ENDINGS]
    if len(files) > 1:
        raise UsageError(Reason("improve.one_file").at_option("out", str(files[1])))
    if files and Path(judge).is_file() and files[0].resolve() == Path(judge).resolve():
        raise UsageError(Reason("improve.same_file").at_option("out", str(files[0])))
    others = tuple(path for path in out if Path(path) not in files)
    reports = report_paths(others, finding.ROW_ENDINGS)
    words = command_line()
    options |= {"map": flags.pairs(mapping, "map"), "held_out": flags.share(held_out, "held-out")}
    options |= flags.replies_from(options)
    if dry_run:
        forecast = forecast_improve(judge, data, **options)
        show_finding(forecast, {}, finding.foreseen(forecast, words), as_json=as_json)
        return

    def heard(candidate: Candidate) -> None:
        if not quiet:
            click.echo(printable(finding.candidate_line(candidate, words)), err=True)

    new = files[0] if files else None
    stopping = ProgressLine(quiet=quiet).stopping
    result = improve(judge, data, out=new, heard=heard, stopping=stopping, **options)
    page = finding.improvement(result, words)
    written = [str(new)] if new is not None and result.better else []
    further = {"files": [*written, *others]}
    content = show_finding(result, finding.SHAPES, page, as_json=as_json, further=further)
    if new is not None:
        from adjudge.analysis.improvement import candidates_path

        kept = candidates_path(new)
        write_finding([kept], page, content, quiet=as_json)
        if result.better and not as_json:
            click.echo(f"written: {new}")
    write_finding(reports, page, content, partial(finding.candidate_rows, result), quiet=as_json)
    if not result.better:
        raise GateFailed(Reason("improve.kept", why=result.why))
