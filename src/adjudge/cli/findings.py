"""What runs tell: `adjudge calibrate`, `disagreements`, `compare`, `rank` and `panel`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from adjudge.core.reason import Reason
from adjudge.errors import UsageError

from . import flags
from .help_groups import GroupedCommand
from .output import fail_on_gates, publish, report_paths, show_finding, write_finding

if TYPE_CHECKING:
    from adjudge.analysis.comparison import Comparison
    from adjudge.analysis.comparison.unpaired import UnpairedComparison
    from adjudge.reports.blocks import Block


@click.command("calibrate")
@click.argument("run", default="latest")
@flags.labels_option(
    "People's labels: item, rater, and a column per criterion; or item, rater, criterion,"
    " value.  [default: the labels in the store]"
)
@flags.option(
    "--group",
    metavar="COLUMN",
    help="Rows with the same value belong together: intervals count groups, and correlations are"
    " also computed in each group.",
)
@flags.option(
    "--system",
    metavar="COLUMN",
    help="Who wrote a text: system means are correlated with people's, and with --group also the"
    " systems within each document.",
)
@flags.option(
    "--slice",
    "slices",
    multiple=True,
    metavar="COLUMN",
    help="Agreement and means per value of this column of the data; the intervals hold for all"
    " slices at once. Repeatable.",
)
@flags.grader_options
@flags.option(
    "--width",
    type=float,
    metavar="W",
    help="Estimate how many more labels make the interval of the corrected mean W wide.",
)
@flags.option(
    "--epsilon",
    default=0.1,
    metavar="E",
    help="Margin of the test whether the judge can replace a rater: 0.1 for crowd workers, 0.15 for"
    " trained people, 0.2 for experts.",
)
@flags.resampling_options
@flags.gate_option("'rating.spearman>=0.4', 'rating.kappa.lower>=0.3'")
@flags.out_option(
    "Write the report (.md), its tables (.tex .table.csv .table.json), or each item's score as"
    " people would give it (.csv .jsonl .json)."
)
@flags.store_option
@flags.json_option
def calibrate(run: str, out: tuple[str, ...], as_json: bool, **options: Any) -> None:
    """Measure how well the judge of RUN agrees with people, and correct its means.

    RUN is an id, a name, `latest`, `latest~1` or `tag:k=v`. The result is kept: gates of
    later runs with the same judge and model can use the corrected mean.

    \b
    adjudge calibrate latest --labels people.csv --group question_id -o trust.md
    adjudge calibrate latest --labels people.csv --system model --group document -o table.tex
    """
    from adjudge.reports.encode import encode
    from adjudge.reports.findings import calibration as finding
    from adjudge.reports.findings import gates
    from adjudge.reports.words import command_line
    from adjudge.trust import calibrate

    files = report_paths(out, finding.ROW_ENDINGS)
    flags.drop_settings(options, "judge", "model")
    calibration, words = calibrate(run, **options), command_line()
    page, judged = finding.calibration(calibration, words), gates.gates(calibration.gates, words)
    further = {"gates": encode(calibration.gates, gates.SHAPES), "files": list(out)}
    shown = [*page, *judged]
    content = show_finding(calibration, finding.SHAPES, shown, as_json=as_json, further=further)
    rows = partial(finding.calibrated_rows, calibration)
    write_finding(files, [*judged, *page], content, rows, quiet=as_json)
    fail_on_gates(calibration.gates)


@click.command("disagreements")
@click.argument("run", default="latest")
@flags.labels_option(
    "People's labels, as in `adjudge calibrate`; a column `comment` is shown.  [default: the"
    " labels in the store]"
)
@flags.grader_options
@flags.criteria_option
@flags.option(
    "--top",
    type=click.IntRange(min=0),
    default=10,
    metavar="N",
    help="How many items to show per criterion; files have all.",
)
@flags.writer_options
@flags.base_url_option
@flags.reply_options
@flags.out_option("Write the report (.md), or a row per item (.csv .jsonl .json .parquet).")
@flags.store_option
@flags.json_option
def disagreements(run: str, top: int, out: tuple[str, ...], as_json: bool, **options: Any) -> None:
    """Show where the judge of RUN and people differ, worst first.

    Also shows what these items have in common (columns, rules, words), and labels that are
    likely slips because other raters and judges say something else.

    \b
    adjudge disagreements latest --labels people.csv -o disagreements.csv
    adjudge disagreements latest --labels people.csv --writer openai/gpt-4o --budget 1usd
    """
    from adjudge.learning import disagreements
    from adjudge.reports.findings import disagreements as finding
    from adjudge.reports.words import command_line

    files = report_paths(out, finding.ROW_ENDINGS)
    flags.drop_settings(options, "judge", "model")
    options |= flags.replies_from(options)
    differences = disagreements(run, **options)
    page = finding.disagreements(differences, command_line(), most=top)
    rows = partial(finding.disagreement_rows, differences)
    publish(differences, finding.SHAPES, page, files, rows, as_json=as_json, files=list(out))


@click.command("compare", cls=GroupedCommand)
@click.argument("run_a")
@click.argument("run_b")
@flags.option(
    "--criterion",
    "criteria",
    multiple=True,
    metavar="NAME|A=B",
    help="Only this criterion; A=B if its name differs between the runs. Repeatable.",
)
@flags.slices_option("Differences")
@flags.option(
    "--group",
    metavar="COLUMN",
    help="Rows with the same value belong together: they are resampled together.",
)
@flags.option(
    "--match",
    multiple=True,
    metavar="COLUMN",
    help="Pair items that have the same value in this column, in place of the same id. Repeatable.",
)
@flags.option(
    "--unpaired",
    is_flag=True,
    help="Compare the means of two separate sets of items, by Welch's t test.",
)
@flags.option("--judge-a", metavar="NAME", help="Which judge, if RUN_A has several.")
@flags.option("--model-a", metavar="MODEL", help="Which model, if RUN_A has several.")
@flags.option("--judge-b", metavar="NAME", help="Which judge, if RUN_B has several.")
@flags.option("--model-b", metavar="MODEL", help="Which model, if RUN_B has several.")
@flags.option(
    "--detect",
    type=float,
    metavar="D",
    help="Estimate how many pairs are needed to see a difference of D on the scale.",
)
@flags.option("--movers", default=5, metavar="N", help="How many items that changed most to show.")
@flags.resampling_options
@flags.gate_option("'rating.lower>=-0.1', 'rating.losses<=3', 'winner.changed<=10%'")
@flags.table_option
@flags.store_option
@flags.json_option
def compare(
    run_a: str,
    run_b: str,
    gate: tuple[str, ...],
    out: tuple[str, ...],
    as_json: bool,
    **options: Any,
) -> None:
    """Compare RUN_B with RUN_A, item by item: differences are B minus A.

    Items are paired by their ids, or by --match. With --unpaired their means are compared, whatever
    the items are.

    \b
    adjudge compare 3f2a latest --slice topic
    adjudge compare latest latest --model-a openai/gpt-4o --model-b openai/gpt-4o-mini
    """
    from adjudge import trust
    from adjudge.analysis.comparison.gates import comparison_gates, judge_comparison
    from adjudge.reports.encode import Shapes, encode
    from adjudge.reports.findings import comparison, gates, unpaired
    from adjudge.reports.words import command_line

    files, conditions, words = report_paths(out), comparison_gates(gate), command_line()
    compared: Comparison | UnpairedComparison
    page: Sequence[Block]
    shapes: Shapes
    if options.pop("unpaired"):
        _drop_paired(options)
        compared = trust.compare_unpaired(run_a, run_b, **options)
        page, shapes = unpaired.unpaired(compared, words), unpaired.SHAPES
    else:
        compared = trust.compare(run_a, run_b, **options)
        page, shapes = comparison.comparison(compared, words), comparison.SHAPES
    judged = judge_comparison(conditions, compared)
    further = {"gates": encode(judged, gates.SHAPES)}
    page = [*page, *gates.gates(judged, words)]
    publish(compared, shapes, page, files, as_json=as_json, **further)
    fail_on_gates(judged)


def _drop_paired(options: dict[str, Any]) -> None:
    """Leaves out what is about pairs; UsageError where the user asked for it."""
    for name in ("match", "slices", "detect"):
        if options.pop(name):
            flag = Reason("option", name="slice" if name == "slices" else name)
            raise UsageError(Reason("compared.paired_only", flag=flag))
    for name in ("movers", "rounds", "seed"):
        options.pop(name)


@click.command("rank")
@click.argument("run")
@flags.option("--a", metavar="COLUMN", help="Column with the system of the first answer.")
@flags.option("--b", metavar="COLUMN", help="Column with the system of the second answer.")
@flags.option(
    "--system",
    metavar="COLUMN",
    help="Column with the system of a row, for judges that score one answer at a time.",
)
@flags.option(
    "--group",
    metavar="COLUMN",
    help="Rows with the same value belong to one question.  [default for pairs: the same text]",
)
@flags.option(
    "--slice",
    "--by",
    "slices",
    multiple=True,
    metavar="COLUMN",
    help="One ranking per value of this column of the data; --by is its earlier name. Repeatable.",
)
@flags.option(
    "--baseline",
    metavar="SYSTEM",
    help="Win rates at equal length are against this system.  [default: the one in every pair]",
)
@flags.option(
    "--variant",
    "variants",
    multiple=True,
    metavar="SYSTEM",
    help="The baseline, content to write longer or shorter answers. Repeatable.",
)
@flags.grader_options
@flags.criteria_option
@flags.resampling_options
@flags.table_option
@flags.store_option
@flags.json_option
def rank(run: str, out: tuple[str, ...], as_json: bool, **options: Any) -> None:
    """Rank the systems that RUN judged, by Bradley-Terry strengths.

    \b
    adjudge rank latest --a model_a --b model_b
    adjudge rank latest --system model --group question_id
    """
    from adjudge.reports.findings import ranking as finding
    from adjudge.reports.words import command_line
    from adjudge.trust import rank

    files = report_paths(out)
    flags.drop_settings(options, "judge", "model")
    ranking = rank(run, **options)
    page = [finding.ranking(ranking, command_line())]
    publish(ranking, finding.SHAPES, page, files, as_json=as_json)


@click.command("panel")
@click.argument("run", default="latest")
@flags.option(
    "--how",
    type=click.Choice(["mean", "median", "trimmed", "majority", "weighted"]),
    help="How values are combined; weighted: by agreement with people.  [default: mean;"
    " majority for categories]",
)
@flags.labels_option(
    "People's labels, as in `adjudge calibrate`.  [default: the labels in the store]"
)
@flags.option(
    "--judge", "judges", multiple=True, metavar="NAME", help="Only this judge. Repeatable."
)
@flags.option(
    "-m", "--model", "models", multiple=True, metavar="MODEL", help="Only this model. Repeatable."
)
@flags.top_option("with the most disagreement")
@flags.option(
    "--sort",
    type=click.Choice(["data", "disagreement"]),
    default="data",
    help="The order of the rows in files.",
)
@flags.items_out_option
@flags.store_option
@flags.json_option
def panel(
    run: str, top: int, sort: str, out: tuple[str, ...], as_json: bool, **options: Any
) -> None:
    """Combine the verdicts of several models or judges in RUN.

    RUN is an id, a name, `latest`, `latest~1` or `tag:k=v`. If fewer than half of the members
    scored an item, it has no value: a failure is never a number. With labels it says whether the
    panel is better than its best member, and which smaller panel would do.

    \b
    adjudge run answers.csv --judge helpfulness -m openai/a -m anthropic/b -m gemini/c
    adjudge panel latest --how median -o panel.csv
    adjudge panel latest --labels people.csv
    """
    from adjudge.reports.findings import panel as finding
    from adjudge.reports.words import command_line
    from adjudge.trust import panel

    files = report_paths(out, finding.ROW_ENDINGS)
    flags.drop_settings(options, "judges", "models")
    combined = panel(run, **options)
    page = [finding.panel(combined, command_line(), most=top)]
    rows = partial(finding.panel_rows, combined, divided_first=sort == "disagreement")
    publish(combined, finding.SHAPES, page, files, rows, as_json=as_json, files=list(out))
