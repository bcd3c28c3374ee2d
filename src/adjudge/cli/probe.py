"""`adjudge probe`: how far a judge can be trusted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from adjudge.core.reason import Reason
from adjudge.errors import GateFailed

from . import flags
from .help_groups import GroupedCommand
from .output import print_json, report_paths, show_page, write_finding

if TYPE_CHECKING:
    from adjudge.analysis.probing.probe import ProbeForecast
    from adjudge.cli.progress import ProgressLine

_LIMITS = {
    "flip": ("10%", "share of items whose value changes"),
    "gain": ("5%", "how much a trick raises the score, as a share of the scale"),
    "shift": ("10%", "how much another language moves the score, as a share of the scale"),
    "accepted": ("5%", "share of empty answers in the upper half of the scale"),
    "unnoticed": ("50%", "share of items whose score does not fall when it should"),
    "preference": ("5%", "how much more a model gives its own texts, as a share of the scale"),
}


@click.command("probe", cls=GroupedCommand)
@click.argument("data", required=False)
@flags.judge_option(multiple=False)
@flags.model_option(multiple=True)
@flags.option(
    "--only", multiple=True, metavar="PROBE", help="Only this probe, e.g. padding. Repeatable."
)
@flags.option(
    "--language", metavar="LANG", help="Language of the texts: en, ko, vi.  [default: detected]"
)
@flags.option(
    "--author",
    metavar="COLUMN",
    help="The column with the model that wrote the text; for self-preference, with several -m.",
)
@flags.option("--samples", "repeats", default=3, metavar="K", help="Samples for `repeat`.")
@flags.option_group(
    *(
        flags.option(f"--max-{name}", metavar="P", default=usual, help=f"Limit: {what}.")
        for name, (usual, what) in _LIMITS.items()
    )
)
@flags.confidence_option
@flags.map_option
@flags.part_options
@flags.option(
    "-n",
    "--limit",
    type=int,
    metavar="N",
    help="First N rows only.  [default: 30 of DATA, or all built-in texts]",
)
@flags.limit_options
@flags.asking_options
@flags.budget_option("all runs together")
@flags.dry_run_option
@flags.no_cache_option
@flags.restart_options
@flags.table_option
@flags.store_option
@flags.json_option
@flags.quiet_option("No progress, no table.")
@flags.no_progress_option
def command(  # noqa: PLR0913 - one per option
    data: str | None,
    *,
    mapping: tuple[str, ...],
    out: tuple[str, ...],
    as_json: bool,
    dry_run: bool,
    quiet: bool,
    no_progress: bool,
    **options: Any,
) -> None:
    """Find out how far a judge can be trusted: ask it about texts and about changed copies of them.

    Without DATA the built-in texts are used. The exit code is 3 if a probe is clearly beyond its
    limit, if all probes are unclear, or if the budget is used up.

    \b
    adjudge probe --judge helpfulness -m openai/gpt-4o-mini
    adjudge probe answers.csv --judge my-judge.yaml --only padding --only repeat
    """
    from adjudge.api import forecast_probe, probe
    from adjudge.reports.encode import encode
    from adjudge.reports.findings import probes as finding
    from adjudge.reports.words import command_line

    files = report_paths(out)
    limits = {name: (options.pop(f"max_{name}"), f"max-{name}") for name in _LIMITS}
    options["limits"] = {name: flags.share(*limit) for name, limit in limits.items()}
    options["map"] = flags.pairs(mapping, "map")
    if dry_run:
        _print_forecast(forecast_probe(data=data, **options), as_json=as_json)
        return
    watching = _Watching(quiet=quiet or no_progress)
    try:
        probed = probe(data=data, watch=watching.next, **options)
    finally:
        watching.done()
    page = [finding.probes(probed, command_line())]
    content = encode(probed, finding.SHAPES)
    if as_json or not quiet:
        show_page(page, content, as_json=as_json)
    write_finding(files, page, content, quiet=quiet or as_json)
    if probed.stopped:
        raise GateFailed(Reason("probes.stopped"))
    if all(measure.rating == "unclear" for measure in probed.findings):
        raise GateFailed(Reason("probes.unclear"))
    if probed.bad:
        names = tuple(dict.fromkeys(measure.probe for measure in probed.bad))
        raise GateFailed(Reason("probes.beyond", judge=probed.judge, names=names))


class _Watching:
    """A progress line for each run."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._now: ProgressLine | None = None

    def next(self, says: str) -> ProgressLine:
        from .progress import ProgressLine

        self.done()
        self._now = ProgressLine(quiet=self._quiet)
        self._now.note(f"asking about {says}")
        return self._now

    def done(self) -> None:
        if self._now:
            self._now.done()
            self._now = None


def _print_forecast(foreseen: ProbeForecast, *, as_json: bool) -> None:
    from adjudge.reports.findings.run import forecast_dict, forecast_text

    if as_json:
        runs = [forecast_dict(run) for run in foreseen.runs]
        print_json(
            {
                "dry_run": True,
                "runs": runs,
                "not_run": {name: str(why) for name, why in foreseen.not_run.items()},
            }
        )
        return
    click.echo("\n\n".join(forecast_text(run) for run in foreseen.runs))
    if foreseen.not_run:
        whys = (f"{name}: {why}." for name, why in foreseen.not_run.items())
        click.echo("\n".join(["", "Would not be run", *whys]))
