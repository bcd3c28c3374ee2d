"""`adjudge one`: one item, judged at once."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from adjudge.errors import DataError, UsageError

from . import flags


@click.command("one")
@flags.judge_option(multiple=False)
@flags.model_option(multiple=False)
@click.option(
    "--set",
    "given",
    multiple=True,
    metavar="FIELD=VALUE|@FILE",
    help="A field of the item; @FILE takes the text of a file, @- standard input. Repeatable.",
)
@flags.asking_options
@flags.store_option
@flags.json_option
def command(given: tuple[str, ...], as_json: bool, **options: Any) -> None:
    """Judge one item.

    \b
    adjudge one --judge helpfulness --set question="How tall is it?" --set answer=@reply.txt
    """
    import orjson  # noqa: PLC0415 - keeps `adjudge --help` quick

    from adjudge.api import judge  # noqa: PLC0415
    from adjudge.reports.rows import verdict_row  # noqa: PLC0415
    from adjudge.reports.text import verdict_text  # noqa: PLC0415

    item = {name: _text(name, value) for name, value in flags.pairs(given, "--set").items()}
    if not item:
        raise UsageError("Nothing to judge: give the fields, e.g. --set question=… --set answer=…")
    verdict = judge(options.pop("judge"), item, **options)
    if as_json:
        row = verdict_row("", verdict)
        click.echo(orjson.dumps(row, option=orjson.OPT_INDENT_2).decode())
    else:
        click.echo(verdict_text(verdict))


def _text(name: str, value: str) -> str:
    if not value.startswith("@"):
        return value
    try:
        data = sys.stdin.buffer.read() if value == "@-" else Path(value[1:]).read_bytes()
        return data.decode("utf-8-sig")
    except OSError as error:
        raise DataError(
            f"--set {name}={value}: cannot be read: {error.strerror}."
            " (A text that begins with @ can be given as a file.)"
        ) from None
    except UnicodeDecodeError as error:
        raise DataError(
            f"--set {name}={value}: not UTF-8 (byte {error.start}); convert it."
        ) from None
