"""A flag that can be set beforehand: the flag, else its variable, else the settings file."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

import click
from click.core import ParameterSource

from adjudge.errors import UsageError

from . import sources
from .file_paths import key_of


class Words(click.types.StringParamType):
    """A text; several of them in one variable are told apart as a shell does."""

    def split_envvar_value(self, rv: str) -> Sequence[str]:
        return shlex.split(rv)


class Setting(click.Option):
    """What `flags.option` makes."""

    def consume_value(
        self, ctx: click.Context, opts: Mapping[str, Any]
    ) -> tuple[Any, ParameterSource]:
        if ctx.resilient_parsing:  # a shell completes words
            return super().consume_value(ctx, opts)
        # First of all: it brings .env into the environment, which click looks at next.
        known = sources.of(ctx)
        tolerant = isinstance(ctx.command, sources.Tolerant)
        if not tolerant:
            known.insist()
        value, source = super().consume_value(ctx, opts)
        if source is ParameterSource.ENVIRONMENT:
            known.origins[key_of(self)] = known.variable(self) or str(self.envvar)
        if source is not ParameterSource.DEFAULT:
            return value, source
        try:
            found = known.in_file(sources.scope_of(ctx), self)
        except UsageError:
            if tolerant:
                return value, source
            raise
        if found is None:
            return value, source
        known.origins[key_of(self)] = found.place
        return found.value, ParameterSource.DEFAULT_MAP

    def value_from_envvar(self, ctx: click.Context) -> Any:
        try:
            return super().value_from_envvar(ctx)
        except ValueError as error:
            raise UsageError(
                f"{self.envvar}: cannot be taken apart: {error}. Quote values as in a shell."
            ) from None
