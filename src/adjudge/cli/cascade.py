"""`adjudge cascade`, and the flags of `adjudge run` that make a cascade of models."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from adjudge.errors import UsageError

from . import flags
from .output import check_report_path, print_json, write_report

if TYPE_CHECKING:
    from adjudge.analysis.cascade import Cascaded
    from adjudge.reports.blocks import Section
    from adjudge.running import CascadeOptions, ChosenConfidence


@click.command("cascade")
@click.argument("run", default="latest")
@flags.option(
    "--left",
    is_flag=True,
    help="In files: only the items that no model decided and nobody has labelled.",
)
@flags.option(
    "--top",
    type=click.IntRange(min=0),
    default=10,
    show_default=True,
    metavar="N",
    help="How many of the items that are left to people are shown.",
)
@flags.option(
    "-o",
    "--out",
    multiple=True,
    metavar="FILE",
    help="Write the report (.md), or a row per item (.csv .jsonl .json .parquet). Repeatable.",
)
@flags.store_option
@flags.json_option
def command(
    run: str, left: bool, top: int, out: tuple[str, ...], store: str, as_json: bool
) -> None:
    """Show what became of RUN, made by `adjudge run DATA --cascade small,large`.

    RUN is an id, a unique beginning of one, or `latest`.
    """
    from adjudge.reports.encode import encode  # noqa: PLC0415
    from adjudge.reports.findings.cascade import (  # noqa: PLC0415
        ROW_ENDINGS,
        SHAPES,
        cascade_rows,
    )
    from adjudge.reports.renderers.terminal import as_text  # noqa: PLC0415
    from adjudge.trust import cascade  # noqa: PLC0415 - keeps `adjudge --help` quick

    files = [Path(name) for name in out]
    for path in files:
        check_report_path(path, ROW_ENDINGS)
    found = cascade(run, store=store)
    if as_json:
        print_json(encode(found, SHAPES) | {"files": list(out)})
    else:
        click.echo(as_text([_section(found, top)]).lstrip("\n"))
    for path in files:
        write_report(path, [_section(found, top)], partial(cascade_rows, found, left_only=left))
        if not as_json:
            click.echo(f"written: {path}")


def _section(found: Cascaded, top: int) -> Section:
    from adjudge.reports.findings.cascade import cascade  # noqa: PLC0415
    from adjudge.reports.words import command_line  # noqa: PLC0415

    return cascade(found.stages, len(found.decisions), command_line(), found, top)


_FLAGS = (
    flags.option(
        "--cascade",
        metavar="MODEL,MODEL",
        help="Models in order, the cheapest first: where one is sure, the next is not asked."
        " Replaces -m; needs --labels. Without --repeat and --method it takes 5 samples per item,"
        " or token probabilities where all models are known to return them.",
    ),
    flags.option(
        "--labels", metavar="FILE", help="With --cascade: people's labels for some items."
    ),
    flags.option(
        "--agree",
        type=float,
        default=0.9,
        show_default=True,
        metavar="A",
        help="With --cascade: the agreement with people to guarantee.",
    ),
    flags.option(
        "--delta",
        type=float,
        default=0.1,
        show_default=True,
        metavar="D",
        help="With --cascade: how often the guarantee may fail.",
    ),
    flags.option(
        "--within",
        type=float,
        metavar="W",
        help="With --cascade: how far a score may be from people's to agree.  [default: half a"
        " level, a tenth of a scale of any numbers]",
    ),
)


def cascade_options(command: flags.F) -> flags.F:
    for flag in reversed(_FLAGS):
        command = flag(command)
    return command


def take_cascade(given: dict[str, Any]) -> str | None:
    """Makes of the flags what `adjudge.run` takes: `model` and `cascade`, and where nothing says
    how sure a model is, `repeat` or `method` too. Returns what the user should know of that."""
    context = click.get_current_context()
    models, labels = given.pop("cascade"), given.pop("labels")
    promise = {name: given.pop(name) for name in ("agree", "delta", "within")}
    if models is None:
        for name in ("labels", *promise):
            if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
                raise UsageError(f"--{name} belongs to --cascade small,large.")
        return None
    if context.get_parameter_source("model") is ParameterSource.COMMANDLINE:
        raise UsageError("--cascade names the models: leave -m out.")
    if labels is None:
        raise UsageError("--cascade needs labels to promise an agreement with people: --labels.")
    given["model"] = [name.strip() for name in models.split(",") if name.strip()]
    given["cascade"] = _options(labels, promise)
    if context.get_parameter_source("repeat") is not ParameterSource.DEFAULT:
        return None
    chosen = _chosen(given)
    given.update(chosen.options if chosen else {})
    return chosen.why if chosen else None


def _chosen(given: dict[str, Any]) -> ChosenConfidence | None:
    """None where the method tells by itself, or cannot; --logprobs alone is refused later."""
    import asyncio  # noqa: PLC0415 - keeps `adjudge --help` quick

    from adjudge.running import (  # noqa: PLC0415
        RunOptions,
        choose_confidence,
        five_samples,
    )

    if given["method"] == "text":
        return five_samples("--method text tells nothing of it")
    if given["method"] or given["logprobs"]:
        return None
    about = {name: given[name] for name in ("base_url", "timeout", "price")}
    return asyncio.run(choose_confidence(given["model"], RunOptions(**about).model_options))


def _options(labels: str, promise: dict[str, Any]) -> CascadeOptions:
    from adjudge.running import CascadeOptions  # noqa: PLC0415

    return CascadeOptions(labels=labels, **promise)
