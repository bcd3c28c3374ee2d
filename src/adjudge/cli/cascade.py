"""`adjudge cascade`, and the flags of `adjudge run` that make a cascade of models."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from adjudge.core.reason import Reason
from adjudge.errors import UsageError

from . import flags
from .output import publish, report_paths

if TYPE_CHECKING:
    from adjudge.running import ChosenConfidence


@click.command("cascade")
@click.argument("run", default="latest")
@flags.option(
    "--left",
    is_flag=True,
    help="In files: only items that no model decided and that have no label.",
)
@flags.top_option("that are left to people")
@flags.items_out_option
@flags.store_option
@flags.json_option
def command(
    run: str, left: bool, top: int, out: tuple[str, ...], store: str, as_json: bool
) -> None:
    """Show what each model of a cascade decided, and what is left to people.

    RUN is an id, a name, `latest`, `latest~1` or `tag:k=v`. `adjudge run DATA --cascade
    small,large` makes such a run.
    """
    from adjudge.reports.findings import cascade as finding
    from adjudge.reports.words import command_line
    from adjudge.trust import cascade

    files = report_paths(out, finding.ROW_ENDINGS)
    cascaded = cascade(run, store=store)
    items = len(cascaded.decisions)
    page = [finding.cascade(cascaded.stages, items, command_line(), cascaded, top)]
    rows = partial(finding.cascade_rows, cascaded, left_only=left)
    publish(cascaded, finding.SHAPES, page, files, rows, as_json=as_json, files=list(out))


cascade_options = flags.option_group(
    flags.option(
        "--cascade",
        metavar="MODEL,MODEL",
        help="Models in order, the cheapest first: if one is sure, the next is not asked."
        " Replaces -m; needs --labels. Without --repeat and --method it uses token probabilities if"
        " all models are known to return them, otherwise 5 samples per item.",
    ),
    flags.labels_option("With --cascade: people's labels for some items."),
    flags.option(
        "--agree",
        default=0.9,
        metavar="A",
        help="With --cascade: the agreement with people to guarantee.",
    ),
    flags.option(
        "--delta",
        default=0.1,
        metavar="D",
        help="With --cascade: how often the guarantee may fail.",
    ),
    flags.option(
        "--within",
        type=float,
        metavar="W",
        help="With --cascade: the largest distance from people's score that counts as agreement."
        "  [default: half a level; a tenth of a scale of any numbers]",
    ),
)


def cascade_from_flags(options: dict[str, Any]) -> str | None:
    """Makes of the flags what `adjudge.run` takes: `model` and `cascade`, and where nothing says
    how sure a model is, `repeat` or `method` too. Returns what the user should know of that."""
    from adjudge.running import CascadeOptions

    models, labels = options.pop("cascade"), options.pop("labels")
    promise = {name: options.pop(name) for name in ("agree", "delta", "within")}
    if models is None:
        for name in filter(flags.is_typed, ("labels", *promise)):
            raise UsageError(Reason("cascade.belongs", flag=Reason("option", name=name)))
        return None
    if flags.is_typed("model"):
        raise UsageError(Reason("cascade.models_twice"))
    if labels is None:
        raise UsageError(Reason("cascade.no_labels"))
    options["model"] = [name.strip() for name in models.split(",") if name.strip()]
    options["cascade"] = CascadeOptions(labels=labels, **promise)
    source = click.get_current_context().get_parameter_source("repeat")
    if source is not ParameterSource.DEFAULT:
        return None
    chosen = _chosen(options)
    options.update(chosen.options if chosen else {})
    return chosen.why if chosen else None


def _chosen(options: dict[str, Any]) -> ChosenConfidence | None:
    """None where the method tells by itself, or cannot; --logprobs alone is refused later."""
    import asyncio

    from adjudge.running import RunOptions, choose_confidence, five_samples

    if options["method"] == "text":
        return five_samples("--method text gives no confidence")
    if options["method"] or options["logprobs"]:
        return None
    about = {name: options[name] for name in ("base_url", "timeout", "price")}
    return asyncio.run(choose_confidence(options["model"], RunOptions(**about).model_options))
