"""Where flags that were not given come from: a variable, `.env`, the settings file."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from adjudge.core.reason import Reason, reason_of
from adjudge.errors import UsageError
from adjudge.settings import dotenv, locate
from adjudge.strings import OptionNames, reason_words

# What reads and checks a settings file is imported where there is one.
if TYPE_CHECKING:
    from pathlib import Path

    from adjudge.settings.toml_file import TomlFile

    from .settings_file import CommandPath, FileSetting, Tree

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
    problems: list[Reason] = field(default_factory=list)
    origins: dict[str, str] = field(default_factory=dict)

    def raise_problems(self) -> None:
        if len(self.problems) > 1:
            raise UsageError(Reason("settings.several", problems=tuple(self.problems)))
        if self.problems:
            raise UsageError(self.problems[0])

    def variable(self, option: click.Option) -> str | None:
        """`ADJUDGE_TIMEOUT`, with `.env` where it came from there; None when it is not set."""
        name = str(option.envvar)
        if not os.environ.get(name):
            return None
        origin = self.env_origin(name)
        return f"{name} in {origin}" if origin else name

    def env_origin(self, name: str) -> str | None:
        """The line of `.env` that a variable came from."""
        return self.env.origin(name) if self.env else None

    def in_file(self, path: CommandPath, option: click.Option) -> FileSetting | None:
        if self.file is None:
            return None
        from .settings_file import find

        return find(self.file, path, option)

    def add_origins(self, error: UsageError) -> None:
        """Has the error say where the flags that it names were set, unless the user typed them."""
        reason, named = reason_of(error), _NamedOptions()
        message = reason_words("en", reason, named)
        for key, origin in self.origins.items():
            if key in named.keys and origin not in message:
                flag = Reason("option", name=key)
                reason = Reason("place.set_by", flag=flag, origin=origin, why=reason)
        error.said, error.args = reason, (reason,)


class _NamedOptions(OptionNames):
    """Notes which options the words of a reason name."""

    def __init__(self) -> None:
        self.keys: set[str] = set()

    def __getitem__(self, name: str) -> str:
        self.keys.add(name)
        return super().__getitem__(name)


def key_of(option: click.Option) -> str:
    """The flag's long name, which is its key: `max-tokens`."""
    return next(name[2:] for name in option.opts if name.startswith("--"))


def of(context: click.Context) -> Sources:
    """What there is, looked up once per command. `.env` is in the environment afterwards."""
    kept: Sources | None = context.meta.get(_KEPT)
    if kept is None:
        kept = context.meta[_KEPT] = _load(context.find_root().command)
    return kept


def command_path(context: click.Context) -> CommandPath:
    names: list[str] = []
    while context.parent is not None:
        names.insert(0, context.info_name or "")
        context = context.parent
    return tuple(names)


def tree(root: click.Command) -> Tree:
    """Every command with the flags that settings can set; imports all of them."""
    return {
        path: [flag for flag in command.params if isinstance(flag, click.Option) and flag.envvar]
        for path, command in _commands(root, ())
    }


def _commands(
    command: click.Command, path: CommandPath
) -> Iterator[tuple[CommandPath, click.Command]]:
    if path:
        yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            if below:
                yield from _commands(below, (*path, name))


def _load(root: click.Command) -> Sources:
    loaded = Sources()
    try:
        loaded.env = dotenv.load(_providers)
    except UsageError as error:
        loaded.problems.append(reason_of(error))
    start = locate.working_folder()
    path = locate.settings_file(start) if start else None
    if path:
        _read(path, loaded, root)
    return loaded


def _read(path: Path, loaded: Sources, root: click.Command) -> None:
    from adjudge.settings import toml_file

    from . import settings_file

    try:
        loaded.file = toml_file.read(path)
    except UsageError as error:
        loaded.problems.append(reason_of(error))
    else:
        loaded.problems += settings_file.problems(loaded.file, tree(root))


def _providers() -> list[str]:
    """As `models.registry.providers`, which would bring half of the program along."""
    from importlib.metadata import entry_points

    return sorted(entry_points(group="adjudge.models").names)


class ShellWords(click.types.StringParamType):
    """A text; several of them in one variable are split as a shell does."""

    def split_envvar_value(self, rv: str) -> Sequence[str]:
        return shlex.split(rv)


class Setting(click.Option):
    """What `flags.option` makes. `adds`: pairs that are typed stand beside those of the settings,
    and replace those of the same name."""

    def __init__(self, *args: Any, adds: bool = False, **keywords: Any) -> None:
        super().__init__(*args, **keywords)
        self.adds = adds

    def consume_value(
        self, ctx: click.Context, opts: Mapping[str, Any]
    ) -> tuple[Any, ParameterSource]:
        if ctx.resilient_parsing:  # a shell completes words
            return super().consume_value(ctx, opts)
        # First of all: it brings .env into the environment, which click looks at next.
        known = of(ctx)
        tolerant = isinstance(ctx.command, Tolerant)
        if not tolerant:
            known.raise_problems()
        value, source = super().consume_value(ctx, opts)
        if source is ParameterSource.ENVIRONMENT:
            known.origins[key_of(self)] = known.variable(self) or str(self.envvar)
        if source is ParameterSource.COMMANDLINE and self.adds:
            return self._added(ctx, known, value), source
        if source is not ParameterSource.DEFAULT:
            return value, source
        try:
            setting = known.in_file(command_path(ctx), self)
        except UsageError:
            if tolerant:
                return value, source
            raise
        if setting is None:
            return value, source
        known.origins[key_of(self)] = setting.place
        return setting.value, ParameterSource.DEFAULT_MAP

    def _added(self, ctx: click.Context, known: Sources, typed: Sequence[str]) -> Sequence[str]:
        """With the pairs of the variable, or else of the file, whose names were not typed; says
        which were replaced."""
        origin, lower = known.variable(self), self.value_from_envvar(ctx)
        if not lower:
            setting = known.in_file(command_path(ctx), self)
            origin, lower = (setting.place, setting.value) if setting else ("", ())
        names = {pair.partition("=")[0] for pair in typed}
        for pair in lower:
            name, _, value = pair.partition("=")
            if name in names and pair not in typed:
                flag = Reason("option", name=key_of(self))
                said = Reason("settings.replaced", flag=flag, name=name, old=value, origin=origin)
                click.echo(str(said), err=True)
        return [*(pair for pair in lower if pair.partition("=")[0] not in names), *typed]

    def value_from_envvar(self, ctx: click.Context) -> Any:
        try:
            return super().value_from_envvar(ctx)
        except ValueError as error:
            why = Reason("settings.shell_words", why=str(error))
            raise UsageError(Reason("place.at", place=str(self.envvar), why=why)) from None
