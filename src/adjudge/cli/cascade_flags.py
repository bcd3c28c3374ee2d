"""The flags of `adjudge run` that make a cascade of models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from adjudge.errors import UsageError

from . import flags

if TYPE_CHECKING:
    from adjudge.running.cascade_default import Chosen
    from adjudge.running.cascade_options import CascadeOptions

_FLAGS = (
    flags.option(
        "--cascade",
        metavar="MODEL,MODEL",
        help="Models in order, the cheapest first: where one is sure, the next is not asked. In"
        " place of -m; needs --labels. Without --repeat and --method it takes 5 samples an item, or"
        " probabilities where all models are known to tell them.",
    ),
    flags.option("--labels", metavar="FILE", help="With --cascade: what people say of some items."),
    flags.option(
        "--agree",
        type=float,
        default=0.9,
        show_default=True,
        metavar="A",
        help="With --cascade: the agreement with people that is promised.",
    ),
    flags.option(
        "--delta",
        type=float,
        default=0.1,
        show_default=True,
        metavar="D",
        help="With --cascade: how often the promise may fail.",
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


def _chosen(given: dict[str, Any]) -> Chosen | None:
    """None where the method tells by itself, or cannot; --logprobs alone is refused later."""
    import asyncio  # noqa: PLC0415 - keeps `adjudge --help` quick

    from adjudge.running.cascade_default import choose_confidence, five_samples  # noqa: PLC0415
    from adjudge.running.options import RunOptions  # noqa: PLC0415

    if given["method"] == "text":
        return five_samples("--method text tells nothing of it")
    if given["method"] or given["logprobs"]:
        return None
    about = {name: given[name] for name in ("base_url", "timeout", "price")}
    return asyncio.run(choose_confidence(given["model"], RunOptions(**about).model_options))


def _options(labels: str, promise: dict[str, Any]) -> CascadeOptions:
    from adjudge.running.cascade_options import CascadeOptions  # noqa: PLC0415

    return CascadeOptions(labels=labels, **promise)
