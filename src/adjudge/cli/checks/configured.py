"""The settings in effect: their values, and who has set them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import click

from adjudge.errors import UsageError
from adjudge.settings import locate
from adjudge.settings.secrets import without_secrets

from ..file_paths import key_of
from ..file_settings import VARIABLES, Scope, Tree
from ..sources import Sources
from .finding import Finding


@dataclass(frozen=True, slots=True)
class Effective:
    """What a flag of one command is when it is not given. `origin` None: the built-in default.

    `problem` says why the value cannot be used; `value` is then None.
    """

    scope: Scope
    key: str
    value: Any
    origin: str | None
    problem: str | None = None


def effective(sources: Sources, tree: Tree) -> list[Effective]:
    return [
        _effective(sources, scope, option) for scope, options in tree.items() for option in options
    ]


def _effective(sources: Sources, scope: Scope, option: click.Option) -> Effective:
    key, variable = key_of(option), sources.variable(option)
    context = click.Context(click.Command("doctor"))
    try:
        if variable:
            value = option.type_cast_value(context, option.value_from_envvar(context))
            return Effective(scope, key, value, variable)
        found = sources.in_file(scope, option)
    except (click.BadParameter, UsageError) as error:
        told = error.message if isinstance(error, click.BadParameter) else str(error)
        return Effective(scope, key, None, variable or "the settings file", told)
    if found:
        return Effective(scope, key, found.value, found.place)
    return Effective(scope, key, option.to_info_dict()["default"], None)


def files(sources: Sources) -> Iterator[Finding]:
    """The settings file and `.env`, with everything that is wrong in them."""
    start = locate.working_folder()
    path = locate.settings_file(start) if start else None
    yield Finding("settings file", locate.shown(path) if path else "none")
    if sources.env:
        count = len(sources.env.lines)
        taken = "1 variable" if count == 1 else f"{count} variables"
        yield Finding(".env", f"{locate.shown(sources.env.path)}, {taken} taken from it")
    for problem in sources.problems:
        yield Finding("settings", problem, "wrong")


def settings(sources: Sources, found: list[Effective], *, all_of_them: bool) -> Iterator[Finding]:
    """One finding a setting; where commands differ, one for those that agree."""
    for key in dict.fromkeys(each.key for each in found):
        alike: dict[tuple[str, str | None, str | None], list[str]] = {}
        for each in found:
            if each.key == key:
                shown = (_shown(each.value), each.origin, each.problem)
                alike.setdefault(shown, []).append(" ".join(each.scope))
        for (value, origin, problem), commands in alike.items():
            what = f"--{key}" + (f" of {', '.join(commands)}" if len(alike) > 1 else "")
            if problem and not sources.problems:
                yield Finding(what, problem, "wrong", origin)
            elif not problem and (origin or all_of_them):
                yield Finding(what, value, "ok", origin or "default")


def variables(sources: Sources, tree: Tree, complaints: Mapping[str, str]) -> Iterator[Finding]:
    """`ADJUDGE_…` that are no flag's; the value of one that nobody knows is not shown.

    `complaints` says of some why their value is of no use.
    """
    flags = {str(option.envvar) for options in tree.values() for option in options}
    for name in sorted(set(os.environ) - flags):
        origin = sources.env.origin(name) if sources.env else None
        if name in complaints:
            yield Finding(name, complaints[name], "note", origin or "environment")
        elif name in VARIABLES:
            yield Finding(name, without_secrets(os.environ[name]), "ok", origin or "environment")
        elif name.startswith("ADJUDGE_"):
            near = get_close_matches(name, sorted({*flags, *VARIABLES}), 1)
            meant = f"; did you mean {near[0]}?" if near else ""
            told = f"there is no such setting{meant}"
            yield Finding(name, told, "note", origin or "environment")


def _shown(value: Any) -> str:
    if value is None or value == ():
        return "not set"
    if isinstance(value, bool):
        return "on" if value else "off"
    several = value if isinstance(value, tuple | list) else [value]
    return " ".join(
        f"{each:g}" if isinstance(each, float) else without_secrets(str(each)) for each in several
    )
