"""Flags that mean the same everywhere. Each one's default can be set by `ADJUDGE_<NAME>`.

Where a flag is repeatable, its variable holds several values as a shell would take them:
`ADJUDGE_MAP='question=Frage "reference=True Answer"'`.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import click

from adjudge.errors import UsageError

F = TypeVar("F", bound=Callable[..., Any])
Decorator = Callable[[F], F]


class _Words(click.types.StringParamType):
    """A text; several of them in one variable are told apart as a shell does."""

    def split_envvar_value(self, rv: str) -> Sequence[str]:
        try:
            return shlex.split(rv)
        except ValueError as error:
            raise UsageError(f"{rv!r} in the environment cannot be taken apart: {error}.") from None


def option(*names: str, **settings: Any) -> Decorator[Any]:
    """click.option with an environment variable for its default."""
    long = next(name for name in names if name.startswith("--"))
    settings.setdefault("envvar", "ADJUDGE_" + long.strip("-").replace("-", "_").upper())
    if settings.get("multiple"):
        settings.setdefault("type", _Words())
    return click.option(*names, **settings)


def judge_option(*, multiple: bool) -> Decorator[Any]:
    return option(
        "--judge",
        "judge",
        required=True,
        multiple=multiple,
        metavar="NAME|FILE",
        help="A built-in judge or a judge file." + (" Repeatable." if multiple else ""),
    )


def model_option(*, multiple: bool) -> Decorator[Any]:
    return option(
        "-m",
        "--model",
        "model",
        multiple=multiple,
        default=("embedded",) if multiple else "embedded",
        show_default="embedded",
        metavar="MODEL",
        help="embedded, embedded/NAME, openai/NAME, anthropic/NAME, replay:FILE."
        + (" Repeatable." if multiple else ""),
    )


store_option = option(
    "--store",
    metavar="PATH",
    default=".adjudge/adjudge.db",
    show_default=True,
    help="Where runs are kept.",
)
json_option = option("--json", "as_json", is_flag=True, help="Print JSON.")
map_option = option(
    "--map",
    "mapping",
    multiple=True,
    metavar="FIELD=COLUMN",
    help="Which column feeds which input. Repeatable.",
)

_ASKING = (
    option("--base-url", metavar="URL", help="An OpenAI-compatible server."),
    option(
        "--ask",
        type=click.Choice(["together", "each"]),
        help="All criteria in one call, or one call a criterion.  [default: the judge's own]",
    ),
    option(
        "--explain-in",
        metavar="LANG",
        help="Language of the explanations: en, ko, vi, …; any switches the check off.",
    ),
    option(
        "--timeout",
        type=float,
        default=120.0,
        show_default=True,
        metavar="S",
        help="Seconds that one request may take.",
    ),
    option(
        "--temperature",
        type=float,
        metavar="T",
        help="Sampling temperature.  [default: 0, or 1 with --repeat]",
    ),
    option(
        "--max-tokens",
        type=int,
        default=4096,
        show_default=True,
        metavar="N",
        help="Most tokens of one reply, reasoning included.",
    ),
    option(
        "--price",
        metavar="in=…,out=…",
        help="USD for a million tokens, where the price is not known; cached=… may follow.",
    ),
    option("--seed", type=int, metavar="N", help="Seed for sampling, where the model takes one."),
)


def asking_options(command: F) -> F:
    """How the model is asked; the same for one item and for many."""
    for flag in reversed(_ASKING):
        command = flag(command)
    return command


def pairs(values: tuple[str, ...], flag: str) -> Mapping[str, str]:
    """("a=b", "c=d") → {"a": "b", "c": "d"}."""
    out: dict[str, str] = {}
    for value in values:
        key, sign, rest = value.partition("=")
        if not sign or not key:
            raise UsageError(f"{flag} {value}: write it as NAME=VALUE.")
        if key in out:
            raise UsageError(f"{flag} {value}: {key} is given twice.")
        out[key] = rest
    return out
