"""Relative paths in a settings file begin at its folder, wherever adjudge is started. Flag by flag:

========  ==========================================================================
store     a path and `sqlite:///path`; other URLs, and `sqlite` alone, stay
judge     what ends in .yaml or .yml or has a `/`; else it is a judge's name
judges    every file and folder
model     the file of `replay:FILE` and `embedded:FILE`; names stay
out       every file
labels    the file
set       the file of `FIELD=@FILE`; `@-` stays
others    whatever the help calls FILE, PATH or DIR
========  ==========================================================================

`~` is the home folder, since no shell sees the file. A path in a variable begins at the working
directory, as in a flag.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import click

PATHS = ("FILE", "PATH", "DIR")


def key_of(option: click.Option) -> str:
    """The flag's long name, which is its key: `max-tokens`."""
    return next(name[2:] for name in option.opts if name.startswith("--"))


def anchored(option: click.Option, text: str, folder: Path) -> str:
    """The value of the flag as it must be said in the working directory."""
    anchor = ANCHORS.get(key_of(option), _file if option.metavar in PATHS else None)
    return anchor(text, folder) if anchor else text


def _file(text: str, folder: Path) -> str:
    path = Path(text).expanduser()
    # Left as written where that means the same: models and files are shown by these names.
    return str(path if folder == Path.cwd() else folder / path)


def _store(text: str, folder: Path) -> str:
    scheme, separator, rest = text.partition("://")
    if not separator:
        return text if text == "sqlite" else _file(text, folder)
    return f"sqlite:///{_file(rest.removeprefix('/'), folder)}" if scheme == "sqlite" else text


def _judge(text: str, folder: Path) -> str:
    is_file = text.endswith((".yaml", ".yml")) or "/" in text
    return _file(text, folder) if is_file else text


def _model(text: str, folder: Path) -> str:
    provider, _, rest = text.partition(":")
    is_file = provider == "replay" or (
        provider == "embedded" and (rest.endswith(".gguf") or "/" in rest)
    )
    return f"{provider}:{_file(rest, folder)}" if rest and is_file else text


def _field(text: str, folder: Path) -> str:
    name, sign, value = text.partition("=@")
    return f"{name}=@{_file(value, folder)}" if sign and value != "-" else text


ANCHORS: Mapping[str, Callable[[str, Path], str]] = {
    "store": _store,
    "judge": _judge,
    "judges": _file,
    "model": _model,
    "out": _file,
    "labels": _file,
    "set": _field,
}
