"""A value of a settings file becomes the value of a flag."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .file_paths import anchored


def converted(option: click.Option, given: Any, folder: Path) -> Any:
    """`given` as the flag takes it; ValueError says what it should be.

    A repeatable flag takes a list, or one value alone; one that wants NAME=VALUE a table too. A
    flag that is not repeatable takes a list of one, so that `model = ["…"]` serves every command.
    """
    if option.multiple:
        return tuple(_one(option, each, folder) for each in _several(option, given))
    if isinstance(given, list):
        if len(given) != 1:
            raise ValueError(f"takes one value, and here are {len(given)}")
        given = given[0]
    return _one(option, given, folder)


def takes_a_table(option: click.Option) -> bool:
    """Whether it is repeatable and wants NAME=VALUE."""
    return option.multiple and "=" in (option.metavar or "")


def _several(option: click.Option, given: Any) -> list[Any]:
    if isinstance(given, dict):
        if not takes_a_table(option):
            raise ValueError(f"takes a list of texts, and here is {_said(given)}")
        return [f"{name}={_text(value)}" for name, value in given.items()]
    return given if isinstance(given, list) else [given]


def _one(option: click.Option, given: Any, folder: Path) -> Any:
    value = _of_kind(option, given)
    if isinstance(value, str):
        value = anchored(option, value, folder)
    try:
        return option.type(value, option, None)
    except click.BadParameter as error:
        raise ValueError(error.message.rstrip(".")) from None


def _of_kind(option: click.Option, given: Any) -> Any:
    """TOML knows kinds, so `"8"` is no number here and `1` is not `true`."""
    if option.is_flag:
        fits, wanted = isinstance(given, bool), "true or false"
    elif isinstance(option.type, click.types.BoolParamType):  # as on the command line: "no"
        fits, wanted = isinstance(given, bool | str), "true or false"
    elif isinstance(option.type, click.types.IntParamType):
        fits, wanted = _is_number(given) and isinstance(given, int), "a whole number, no quotes"
    elif isinstance(option.type, click.types.FloatParamType):
        fits, wanted = _is_number(given), "a number, no quotes"
    else:
        return _text(given)
    if not fits:
        raise ValueError(f"must be {wanted}, and here is {_said(given)}")
    return given


def _text(given: Any) -> str:
    """Numbers are texts too: `max-unscored = 0.02`, `tag = {year = 2024}`."""
    if isinstance(given, str) or _is_number(given):
        return str(given)
    raise ValueError(f"must be a text in quotes, and here is {_said(given)}")


def _is_number(given: Any) -> bool:
    return isinstance(given, int | float) and not isinstance(given, bool)


def _said(given: Any) -> str:
    if isinstance(given, dict):
        return "a table"
    if isinstance(given, list):
        return "a list"
    return str(given).lower() if isinstance(given, bool) else repr(given)
