"""The flags of `adjudge run` that make a cascade of models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from adjudge.errors import UsageError

from . import flags

if TYPE_CHECKING:
    from adjudge.running.cascade_options import CascadeOptions

_FLAGS = (
    flags.option(
        "--cascade",
        metavar="MODEL,MODEL",
        help="Models in order, the cheapest first: where one is sure, the next is not asked. In"
        " place of -m; needs --labels, and --repeat or --method expected.",
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


def take_cascade(given: dict[str, Any]) -> None:
    """Makes of the flags what `adjudge.run` takes: `model` and `cascade`."""
    context = click.get_current_context()
    models, labels = given.pop("cascade"), given.pop("labels")
    promise = {name: given.pop(name) for name in ("agree", "delta", "within")}
    if models is None:
        for name in ("labels", *promise):
            if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
                raise UsageError(f"--{name} belongs to --cascade small,large.")
        return
    if context.get_parameter_source("model") is ParameterSource.COMMANDLINE:
        raise UsageError("--cascade names the models: leave -m out.")
    if labels is None:
        raise UsageError("--cascade needs labels to promise an agreement with people: --labels.")
    given["model"] = [name.strip() for name in models.split(",") if name.strip()]
    given["cascade"] = _options(labels, promise)


def _options(labels: str, promise: dict[str, Any]) -> CascadeOptions:
    from adjudge.running.cascade_options import CascadeOptions  # noqa: PLC0415

    return CascadeOptions(labels=labels, **promise)
