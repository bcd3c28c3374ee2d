"""An item given on the command line, field by field: --set FIELD=VALUE|@FILE."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from adjudge.errors import DataError, UsageError

from . import flags

set_option = flags.option(
    "--set",
    "given",
    multiple=True,
    metavar="FIELD=VALUE|@FILE",
    help="A field of the item; @FILE takes the text of a file, @- standard input. Repeatable.",
)


def fields_of(given: tuple[str, ...]) -> Mapping[str, str]:
    """The texts by the names of their fields."""
    fields = flags.pairs(given, "--set")
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
