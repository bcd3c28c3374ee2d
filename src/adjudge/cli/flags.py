"""Flags that mean the same everywhere. Each one's default can be set by `ADJUDGE_<NAME>`, and below
that by the key of its name in a settings file.

Where a flag is repeatable, its variable holds several values as a shell would take them:
`ADJUDGE_MAP='question=Frage "reference=True Answer"'`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from adjudge.core.reason import Reason
from adjudge.datasets.encodings import spoken
from adjudge.errors import AdjudgeError, OtherEncoding, UsageError

from .sources import Setting, ShellWords

F = TypeVar("F", bound=Callable[..., Any])
Decorator = Callable[[F], F]


def option(*names: str, **settings: Any) -> Decorator[Any]:
    """click.option whose default a variable and the settings file can set; see `Setting`. A
    default is shown.

    `settings_file` says where relative paths in the file begin: a metavar FILE, PATH or DIR is one.
    """
    long = next(name for name in names if name.startswith("--"))
    settings.setdefault("envvar", "ADJUDGE_" + long.strip("-").replace("-", "_").upper())
    if settings.get("multiple"):
        settings.setdefault("type", ShellWords())
    if settings.get("default") is not None:
        settings.setdefault("show_default", True)
    return click.option(*names, cls=Setting, **settings)


def labels_option(about: str, **settings: Any) -> Decorator[Any]:
    """What people said. A file in another encoding than UTF-8 is read after saying so."""
    return option("--labels", metavar="FILE", help=about, callback=say_encoding, **settings)


def say_encoding(_context: click.Context, _flag: click.Parameter, file: str | None) -> str | None:
    from adjudge.datasets import open_data

    with suppress(AdjudgeError):  # the reader of the file says what is wrong
        for name, encoding in (open_data(file).encodings if file else {}).items():
            click.echo(
                str(Reason("caution.labels_encoding", file=name, encoding=spoken(encoding))),
                err=True,
            )
            warnings.filterwarnings("ignore", category=OtherEncoding)  # once is enough
    return file


def option_group(*options: Decorator[Any]) -> Decorator[Any]:
    """All of the options, in this order."""

    def decorate(command: F) -> F:
        for flag in reversed(options):
            command = flag(command)
        return command

    return decorate


def judge_option(*, multiple: bool) -> Decorator[Any]:
    return option(
        "--judge",
        required=True,
        multiple=multiple,
        metavar="NAME|FILE",
        help="A built-in judge or a judge file." + (" Repeatable." if multiple else ""),
    )


def model_option(*, multiple: bool) -> Decorator[Any]:
    return option(
        "-m",
        "--model",
        multiple=multiple,
        default=("embedded",) if multiple else "embedded",
        metavar="MODEL",
        help="embedded, embedded/NAME, openai/NAME, anthropic/NAME, gemini/NAME, ollama/NAME,"
        " replay:FILE, …; `adjudge models` lists them." + (" Repeatable." if multiple else ""),
    )


def out_option(text: str, *, required: bool = False) -> Decorator[Any]:
    """The files that a command writes; the text says what the endings mean."""
    text += " Repeatable."
    return option("-o", "--out", multiple=True, required=required, metavar="FILE", help=text)


table_option = out_option("Write the page (.md), or its tables (.tex .csv .json).")


items_out_option = out_option(
    "Write the report (.md), its tables (.tex .table.csv .table.json), or a row per item (.csv"
    " .jsonl .json .parquet)."
)


def slices_option(about: str) -> Decorator[Any]:
    """`--slice`; `about` is what there is per value of the column."""
    text = f"{about} per value of this column of the data. Repeatable."
    return option("--slice", "slices", multiple=True, metavar="COLUMN", help=text)


def top_option(which: str) -> Decorator[Any]:
    """`--top`; `which` items are shown."""
    text, least = f"How many items {which} to show.", click.IntRange(min=0)
    return option("--top", type=least, default=10, metavar="N", help=text)


def budget_option(who: str) -> Decorator[Any]:
    text = f"Maximum that {who} may spend, e.g. 5usd or 2Mtok; retries count."
    return option("--budget", metavar="AMOUNT", help=text)


def quiet_option(text: str) -> Decorator[Any]:
    return option("--quiet", is_flag=True, help=text)


def measure_option(default: str) -> Decorator[Any]:
    """`--measure`, with what counts for numbers where none is given."""
    return option(
        "--measure",
        type=click.Choice(["exact", "spearman", "pearson", "kendall", "kappa"]),
        help=f"What counts as agreement.  [default: exact for names and yes or no; else {default}]",
    )


def gate_option(example: str) -> Decorator[Any]:
    """`--gate` with an example of what this command knows."""
    text = f"Exit code 3 if this does not hold, e.g. {example}. Repeatable."
    return option("--gate", multiple=True, metavar="EXPR", help=text)


store_option = option(
    "--store",
    metavar="PATH",
    default=".adjudge/adjudge.db",
    help="Where runs and replies are kept.",
)
inputs_option = option(
    "--with-inputs",
    is_flag=True,
    help="Put the inputs and the other columns of the data into the files too, as data.NAME.",
)
criteria_option = option(
    "--criterion",
    "criteria",
    multiple=True,
    metavar="NAME",
    help="Only this criterion. Repeatable.",
)
json_option = option("--json", "as_json", is_flag=True, help="Print JSON.")
# Which part of a run is meant.
grader_options = option_group(
    option("--judge", metavar="NAME", help="Which judge, if the run has several."),
    option("-m", "--model", metavar="MODEL", help="Which model, if the run has several."),
)
writer_options = option_group(
    option(
        "--writer",
        metavar="MODEL",
        help="Ask this model which clause of the rubric is unclear; it answers with questions to"
        " people.",
    ),
    option("--budget", metavar="AMOUNT", help="With --writer: maximum to spend, e.g. 1usd."),
)
no_progress_option = option("--no-progress", is_flag=True, help="No progress.")
dry_run_option = option(
    "--dry-run", is_flag=True, help="Show rows, calls, tokens and cost in advance; send nothing."
)
no_cache_option = option(
    "--no-cache", is_flag=True, help="Do not use replies that other runs have paid for."
)
# What is done with bad rows and with an earlier run of the same.
restart_options = option_group(
    option("--skip-bad-rows", is_flag=True, help="Leave out rows that cannot be used."),
    option("--fresh", is_flag=True, help="Start again instead of continuing an earlier run."),
)
map_option = option(
    "--map",
    "mapping",
    multiple=True,
    adds=True,
    metavar="FIELD=COLUMN",
    help="Read an input from this column, or a path in it (messages[-1].content). Repeatable; adds"
    " to the settings.",
)
part_options = option_group(
    option("--sheet", metavar="NAME", help="The sheet of a workbook, if it has several."),
    option(
        "--encoding",
        metavar="NAME",
        help="What a text file is written in, e.g. cp949, cp1258, shift-jis, utf-16.  [default:"
        " UTF-8, or an encoding that is clearly recognised]",
    ),
)
columns_option = option(
    "--columns",
    type=click.Choice(["full", "compact"]),
    default="full",
    help="compact: id, inputs, a column per score, its explanation and the outcome (.csv .xlsx).",
)
base_url_option = option("--base-url", metavar="URL", help="An OpenAI-compatible server.")
timeout_option = option(
    "--timeout", default=120.0, metavar="S", help="Maximum seconds for one request."
)
confidence_option = option(
    "--confidence", default=0.95, metavar="C", help="Confidence of the intervals."
)

# How the model is asked; the same for one item and for many.
asking_options = option_group(
    base_url_option,
    option(
        "--ask",
        type=click.Choice(["together", "each"]),
        help="All criteria in one call, or one call per criterion.  [default: the judge's own]",
    ),
    option(
        "--explain-in",
        metavar="LANG",
        help="Language of the explanations: en, ko, vi, …; any turns the check off.",
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
        help="With --method expected: if there are no probabilities, fail or use samples."
        "  [default: require]",
    ),
    option(
        "--variant",
        type=click.Choice(["forward", "pmi", "back", "reference", "f", "source-f"]),
        help="With --method likelihood: which text is measured, and after which one."
        "  [default: forward]",
    ),
    timeout_option,
    option(
        "--temperature",
        type=float,
        metavar="T",
        help="Sampling temperature.  [default: 0; 1 for several samples of an item]",
    ),
    option(
        "--max-tokens",
        default=4096,
        metavar="N",
        help="Maximum tokens of one reply, with reasoning.",
    ),
    option(
        "--shorten",
        type=click.Choice(["head-tail"]),
        help="Cut the middle of texts that are too long.  [default: the outcome is too_long]",
    ),
    option(
        "--price",
        metavar="in=…,out=…",
        help="USD per million tokens, if the price is not known; cached=… is optional.",
    ),
    option("--seed", type=int, metavar="N", help="Seed for sampling, if the model supports one."),
)
_CACHE_ALONE = "cache:"
# Where replies come from, and where they go.
reply_options = option_group(
    no_cache_option,
    option(
        "--record",
        metavar="FILE",
        help="Write every reply, under its exact request, to a file for --offline.",
    ),
    option(
        "--offline",
        is_flag=False,
        flag_value=_CACHE_ALONE,
        metavar="[FILE]",
        help="Ask no model: use the replies in FILE, or without FILE those in the store, and stop"
        " if one is missing.",
    ),
)


def replies_from(options: Mapping[str, Any]) -> dict[str, Any]:
    """`--offline` without a file means the store's cache."""
    return {"offline": True if options["offline"] == _CACHE_ALONE else options["offline"]}


# How intervals are made.
resampling_options = option_group(
    confidence_option,
    option("--rounds", default=1000, metavar="N", help="Rounds of resampling."),
    option("--seed", default=0, metavar="N", help="Seed of the resampling."),
)
# How much is asked at once and per minute.
limit_options = option_group(
    option(
        "-j",
        "--concurrency",
        default=8,
        metavar="N",
        help="Requests in flight at once; fewer if the server asks for it.",
    ),
    option("--rpm", type=int, metavar="N", help="Maximum requests per minute to one model."),
    option("--tpm", type=int, metavar="N", help="Maximum tokens per minute to one model."),
)


def judging_options(*, samples: str, spender: str, rows: str) -> Decorator[Any]:
    """What a command takes that judges and then says what it found: what its samples are good for,
    who spends the budget, and what its files have a row for."""
    return option_group(
        map_option,
        option("--repeat", default=1, metavar="K", help=samples),
        limit_options,
        asking_options,
        budget_option(f"the {spender}"),
        out_option(f"Write the report (.md), or a row per {rows} (.csv .jsonl .json .parquet)."),
        store_option,
        json_option,
        quiet_option("No progress."),
        no_progress_option,
    )


def is_typed(name: str) -> bool:
    """Whether the user has typed the flag; else it is from a variable, a file, or the default."""
    source = click.get_current_context().get_parameter_source(name)
    return source is ParameterSource.COMMANDLINE


def drop_settings(options: dict[str, Any], *names: str) -> None:
    """Leaves out the flags that were not typed. A setting names what runs are made with; here the
    flag picks from what a run has."""
    for name in names:
        if not is_typed(name):
            del options[name]


def pairs(values: tuple[str, ...], flag: str) -> Mapping[str, str]:
    """("a=b", "c=d") → {"a": "b", "c": "d"}."""
    out: dict[str, str] = {}
    for value in values:
        key, sign, rest = value.partition("=")
        if not sign or not key:
            raise UsageError(Reason("command.pair").at_option(flag, value))
        if key in out:
            raise UsageError(Reason("command.twice", key=key).at_option(flag, value))
        out[key] = rest
    return out


def share(text: str, flag: str) -> float:
    """0 to 1; UsageError that names the flag for anything else."""
    try:
        number = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        raise UsageError(Reason("command.share").at_option(flag, text))
    return number
