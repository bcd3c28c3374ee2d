"""Where flags that were not given come from: a variable, `.env`, the settings file."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import click

from adjudge.errors import UsageError
from adjudge.settings import dotenv, locate

# What reads and checks a settings file is imported where there is one.
if TYPE_CHECKING:
    from pathlib import Path

    from adjudge.settings.toml_file import TomlFile

    from .file_settings import Found, Scope, Tree

_KEPT = "adjudge.sources"


class Tolerant(click.Command):
    """A command that works with broken sources too: it is there to show what is wrong."""


@dataclass(slots=True)
class Sources:
    """`problems` are of the files, not of variables. `origins`: flag → where its value came from,
    of this command's flags that the user did not give.
    """

    env: dotenv.DotEnv | None = None
    file: TomlFile | None = None
    problems: list[str] = field(default_factory=list)
    origins: dict[str, str] = field(default_factory=dict)

    def insist(self) -> None:
        if self.problems:
            raise UsageError("\n".join(self.problems))

    def variable(self, option: click.Option) -> str | None:
        """`ADJUDGE_TIMEOUT`, with `.env` where it came from there; None when it is not set."""
        name = str(option.envvar)
        if not os.environ.get(name):
            return None
        origin = self.env.origin(name) if self.env else None
        return f"{name} in {origin}" if origin else name

    def in_file(self, scope: Scope, option: click.Option) -> Found | None:
        if self.file is None:
            return None
        from .file_settings import find  # noqa: PLC0415

        return find(self.file, scope, option)

    def places(self, message: str) -> str:
        """Where the flags that the message names were set, unless the user has typed them."""
        told = [
            f" (--{key} is set by {origin}.)"
            for key, origin in self.origins.items()
            if re.search(rf"--{key}(?![\w-])", message) and origin not in message
        ]
        return "".join(told)


def of(context: click.Context) -> Sources:
    """What there is, looked up once a command. `.env` is in the environment afterwards."""
    kept: Sources | None = context.meta.get(_KEPT)
    if kept is None:
        kept = context.meta[_KEPT] = _load(context.find_root().command)
    return kept


def scope_of(context: click.Context) -> Scope:
    names: list[str] = []
    while context.parent is not None:
        names.insert(0, context.info_name or "")
        context = context.parent
    return tuple(names)


def tree(root: click.Command) -> Tree:
    """Every command with the flags that can be set beforehand; imports all of them."""
    return {
        scope: [each for each in command.params if isinstance(each, click.Option) and each.envvar]
        for scope, command in _commands(root, ())
    }


def _commands(command: click.Command, scope: Scope) -> Iterator[tuple[Scope, click.Command]]:
    if scope:
        yield scope, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            if below:
                yield from _commands(below, (*scope, name))


def _load(root: click.Command) -> Sources:
    found = Sources()
    try:
        found.env = dotenv.load(_providers)
    except UsageError as error:
        found.problems.append(str(error))
    start = locate.working_folder()
    path = locate.settings_file(start) if start else None
    if path:
        _read(path, found, root)
    return found


def _read(path: Path, found: Sources, root: click.Command) -> None:
    from adjudge.settings import toml_file  # noqa: PLC0415

    from . import file_settings  # noqa: PLC0415

    try:
        found.file = toml_file.read(path)
    except UsageError as error:
        found.problems.append(str(error))
    else:
        found.problems += file_settings.problems(found.file, tree(root))


def _providers() -> list[str]:
    """As `models.registry.providers`, which would bring half of the program along."""
    from importlib.metadata import entry_points  # noqa: PLC0415 - only where there is a .env

    return sorted(entry_points(group="adjudge.models").names)
