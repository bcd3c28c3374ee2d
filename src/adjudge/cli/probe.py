"""`adjudge probe`: how far a judge can be trusted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adjudge.errors import GateFailed

from . import flags
from .flags import share
from .output import print_json

if TYPE_CHECKING:
    from adjudge.analysis.probing import Probed
    from adjudge.analysis.probing.probe import ProbeForecast
    from adjudge.cli.progress import ProgressLine

_LIMITS = {
    "flip": ("10%", "items whose value changes"),
    "gain": ("5%", "rise of the score by a trick, of the scale"),
    "shift": ("10%", "move of the score in another language, of the scale"),
    "accepted": ("5%", "empty answers in the upper half of the scale"),
    "unnoticed": ("50%", "items that do not fall when they should"),
    "preference": ("5%", "more for a model's own texts, of the scale"),
}


def _limit_options(command: Any) -> Any:
    for name, (usual, what) in reversed(_LIMITS.items()):
        command = flags.option(
            f"--max-{name}",
            metavar="P",
            default=usual,
            show_default=True,
            help=f"Limit: {what}.",
        )(command)
    return command


@click.command("probe")
@click.argument("data", required=False)
@flags.judge_option(multiple=False)
@flags.model_option(multiple=True)
@flags.option(
    "--only", multiple=True, metavar="PROBE", help="This probe only, e.g. padding. Repeatable."
)
@flags.option(
    "--language",
    metavar="LANG",
    help="Of the texts: en, ko, vi.  [default: found out]",
)
@flags.option(
    "--author",
    metavar="COLUMN",
    help="Which model wrote the judged text; for self-preference, with several -m.",
)
@flags.option(
    "--samples", type=int, default=3, show_default=True, metavar="K", help="Samples for `repeat`."
)
@_limit_options
@flags.option(
    "--confidence",
    type=float,
    default=0.95,
    show_default=True,
    metavar="C",
    help="Confidence of the intervals.",
)
@flags.map_option
@flags.option(
    "-n",
    "--limit",
    type=int,
    metavar="N",
    help="First N rows only.  [default: 30 of DATA, all built-in ones]",
)
@flags.limit_options
@flags.asking_options
@flags.option(
    "--budget",
    metavar="AMOUNT",
    help="The most that all runs together may spend, e.g. 5usd or 2Mtok; retries count.",
)
@flags.option(
    "--dry-run", is_flag=True, help="Show calls, tokens and cost in advance; send nothing."
)
@flags.option("--no-cache", is_flag=True, help="Do not use replies that other runs have paid for.")
@flags.option("--skip-bad-rows", is_flag=True, help="Go on without rows that cannot be used.")
@flags.option("--fresh", is_flag=True, help="Start again instead of continuing earlier runs.")
@flags.option("-o", "--out", metavar="FILE", help="Write the findings as Markdown (.md).")
@flags.store_option
@flags.json_option
@flags.option("--quiet", is_flag=True, help="No progress, no table.")
@flags.option("--no-progress", is_flag=True, help="No progress.")
def command(data: str | None, **given: Any) -> None:
    """Find out how far a judge can be trusted: ask it about texts and about changed copies of them.

    Without DATA the built-in texts are used. Exit 3 when a probe is clearly beyond its limit, when
    all probes are unclear, and when the budget is used up.

    \b
    adjudge probe --judge helpfulness -m openai/gpt-4o-mini
    adjudge probe answers.csv --judge my-judge.yaml --only padding --only repeat
    """
    from adjudge.api import forecast_probe, probe  # noqa: PLC0415 - keeps `adjudge --help` quick
    from adjudge.reports.files.pages import check_page_path  # noqa: PLC0415

    out = Path(path) if (path := given.pop("out")) else None
    if out:
        check_page_path(out)
    as_json, quiet = given.pop("as_json"), given.pop("quiet")
    no_progress = given.pop("no_progress")
    given["limits"] = {n: share(given.pop(f"max_{n}"), f"--max-{n}") for n in _LIMITS}
    given["repeats"] = given.pop("samples")
    given["map"] = flags.pairs(given.pop("mapping"), "--map")
    if given.pop("dry_run"):
        _print_forecast(forecast_probe(data=data, **given), as_json=as_json)
        return
    watching = _Watching(quiet=quiet or no_progress)
    try:
        found = probe(data=data, watch=watching.next, **given)
    finally:
        watching.done()
    _show(found, out, as_json=as_json, quiet=quiet)
    if found.stopped:
        raise GateFailed("The budget is used up. The same command with a higher --budget goes on.")
    if all(each.rating == "unclear" for each in found.findings):
        raise GateFailed("All probes are unclear: too few verdicts are scored, or too few items.")
    if found.bad:
        names = ", ".join(dict.fromkeys(each.probe for each in found.bad))
        raise GateFailed(f"{found.judge} is surely beyond the limit of: {names}.")


class _Watching:
    """A progress line for each run."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._now: ProgressLine | None = None

    def next(self, says: str) -> ProgressLine:
        from .progress import ProgressLine  # noqa: PLC0415

        self.done()
        self._now = ProgressLine(quiet=self._quiet)
        self._now.note(f"asking about {says}")
        return self._now

    def done(self) -> None:
        if self._now:
            self._now.done()
            self._now = None


def _print_forecast(foreseen: ProbeForecast, *, as_json: bool) -> None:
    from adjudge.reports.findings.forecast import forecast_dict, forecast_text  # noqa: PLC0415

    if as_json:
        runs = [forecast_dict(each) for each in foreseen.runs]
        print_json(
            {
                "dry_run": True,
                "runs": runs,
                "not_run": {name: str(why) for name, why in foreseen.not_run.items()},
            }
        )
        return
    click.echo("\n\n".join(forecast_text(each) for each in foreseen.runs))
    if foreseen.not_run:
        whys = (f"{name}: {why}." for name, why in foreseen.not_run.items())
        click.echo("\n".join(["", "Would not be run", *whys]))


def _show(found: Probed, out: Path | None, *, as_json: bool, quiet: bool) -> None:
    from adjudge.reports.encode import encode  # noqa: PLC0415
    from adjudge.reports.files.pages import write_page  # noqa: PLC0415
    from adjudge.reports.findings.probes import SHAPES, probes  # noqa: PLC0415
    from adjudge.reports.renderers.terminal import as_text  # noqa: PLC0415
    from adjudge.reports.words import command_line  # noqa: PLC0415

    page = [probes(found, command_line())]
    if as_json:
        print_json(encode(found, SHAPES))
    elif not quiet:
        click.echo(as_text(page).lstrip("\n"))
    if out:
        write_page(out, page)
        if not quiet and not as_json:
            click.echo(f"written: {out}")
