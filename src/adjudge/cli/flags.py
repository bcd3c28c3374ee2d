"""Flags that mean the same everywhere. Each one's default can be set by `ADJUDGE_<NAME>`, and below
that by the key of its name in a settings file.

Where a flag is repeatable, its variable holds several values as a shell would take them:
`ADJUDGE_MAP='question=Frage "reference=True Answer"'`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from adjudge.errors import DataError, UsageError

from .sources import Setting, ShellWords

F = TypeVar("F", bound=Callable[..., Any])
Decorator = Callable[[F], F]


def option(*names: str, **settings: Any) -> Decorator[Any]:
    """click.option whose default a variable and the settings file can set; see `Setting`.

    `settings_file` says where relative paths in the file begin: a metavar FILE, PATH or DIR is one.
    """
    long = next(name for name in names if name.startswith("--"))
    settings.setdefault("envvar", "ADJUDGE_" + long.strip("-").replace("-", "_").upper())
    if settings.get("multiple"):
        settings.setdefault("type", ShellWords())
    return click.option(*names, cls=Setting, **settings)


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
        help="embedded, embedded/NAME, openai/NAME, anthropic/NAME, gemini/NAME, ollama/NAME,"
        " replay:FILE, …; `adjudge models` lists them." + (" Repeatable." if multiple else ""),
    )


store_option = option(
    "--store",
    metavar="PATH",
    default=".adjudge/adjudge.db",
    show_default=True,
    help="Where runs are kept.",
)
inputs_option = option(
    "--with-inputs",
    is_flag=True,
    help="Put the inputs and the other columns of the data into the files too, as data.NAME.",
)
json_option = option("--json", "as_json", is_flag=True, help="Print JSON.")
map_option = option(
    "--map",
    "mapping",
    multiple=True,
    metavar="FIELD=COLUMN",
    help="Which column, or path in it (messages[-1].content), feeds which input. Repeatable.",
)

_ASKING = (
    option("--base-url", metavar="URL", help="An OpenAI-compatible server."),
    option(
        "--ask",
        type=click.Choice(["together", "each"]),
        help="All criteria in one call, or one call per criterion.  [default: the judge's own]",
    ),
    option(
        "--explain-in",
        metavar="LANG",
        help="Language of the explanations: en, ko, vi, …; any switches the check off.",
    ),
    option(
        "--method",
        type=click.Choice(["text", "expected", "likelihood"]),
        help="Read the score from the reply, weight it by token probabilities, or measure how"
        " likely the judged text is.  [default: text]",
    ),
    option(
        "--logprobs",
        type=click.Choice(["require", "prefer", "off"]),
        help="With --method expected: where no probabilities come, fail or take samples."
        "  [default: require]",
    ),
    option(
        "--variant",
        type=click.Choice(["forward", "pmi", "back", "reference", "f", "source-f"]),
        help="With --method likelihood: which text is given and which one is measured."
        "  [default: forward]",
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
        "--shorten",
        type=click.Choice(["head-tail"]),
        help="Cut texts that are too long for the model in the middle.  [default: too_long]",
    ),
    option(
        "--price",
        metavar="in=…,out=…",
        help="USD per million tokens, where the price is not known; cached=… may follow.",
    ),
    option("--seed", type=int, metavar="N", help="Seed for sampling, where the model takes one."),
)


_RESAMPLING = (
    option(
        "--confidence",
        type=float,
        default=0.95,
        show_default=True,
        metavar="C",
        help="Confidence of the intervals.",
    ),
    option(
        "--rounds",
        type=int,
        default=1000,
        show_default=True,
        metavar="N",
        help="Rounds of resampling.",
    ),
    option(
        "--seed",
        type=int,
        default=0,
        show_default=True,
        metavar="N",
        help="Seed of the resampling.",
    ),
)


_LIMITS: tuple[Decorator[Any], ...] = (
    option(
        "-j",
        "--concurrency",
        type=int,
        default=8,
        show_default=True,
        metavar="N",
        help="Requests in flight at once; fewer when the server asks for it.",
    ),
    option("--rpm", type=int, metavar="N", help="Most requests per minute to one model."),
    option("--tpm", type=int, metavar="N", help="Most tokens per minute to one model."),
)


def limit_options(command: F) -> F:
    """How much is asked at once and per minute."""
    return _with(command, _LIMITS)


def asking_options(command: F) -> F:
    """How the model is asked; the same for one item and for many."""
    return _with(command, _ASKING)


def resampling_options(command: F) -> F:
    """How intervals are made."""
    return _with(command, _RESAMPLING)


def _with(command: F, options: Sequence[Decorator[F]]) -> F:
    for flag in reversed(options):
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


def share(text: str, flag: str) -> float:
    """0 to 1; UsageError that names the flag for anything else."""
    try:
        found = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        found = -1.0
    if not 0 <= found <= 1:
        raise UsageError(f"{flag} {text}: write a share such as 2% or 0.02.")
    return found


set_option = option(
    "--set",
    "given",
    multiple=True,
    metavar="FIELD=VALUE|@FILE",
    help="A field of the item; @FILE takes the text of a file, @- standard input. Repeatable.",
)


def fields_of(given: tuple[str, ...]) -> Mapping[str, str]:
    """The texts by the names of their fields."""
    fields = pairs(given, "--set")
    if sum(value == "@-" for value in fields.values()) > 1:
        raise UsageError("--set: only one field can be read from standard input (@-).")
    return {name: _text(name, value) for name, value in fields.items()}


def _text(name: str, value: str) -> str:
    try:
        if not value.startswith("@"):
            value.encode()  # bytes that are no UTF-8 arrive as half surrogates, which fail here
            return value
        data = sys.stdin.buffer.read() if value == "@-" else Path(value[1:]).read_bytes()
        return data.decode("utf-8-sig")
    except OSError as error:
        raise DataError(
            f"--set {name}={value}: cannot be read: {error.strerror}."
            " (A text that begins with @ can be given as a file.)"
        ) from None
    except UnicodeError:
        raise DataError(f"--set {name}={value[:80]}: not UTF-8; convert it.") from None
