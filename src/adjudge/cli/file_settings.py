"""The settings file against the commands: what it sets, and what it says that nobody knows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import click

from adjudge.errors import UsageError
from adjudge.settings.secrets import has_password, names_a_secret
from adjudge.settings.toml_file import TomlFile

from .file_paths import key_of
from .file_values import converted, takes_a_table

# The names of a command and of those above it: ("cache", "info"). () is the top of the file.
Scope = tuple[str, ...]
# Every command with its settings.
Tree = Mapping[Scope, Sequence[click.Option]]

# Variables that are no flag of any command; docs/configuration.md says what they are for.
VARIABLES = ("ADJUDGE_CACHE", "ADJUDGE_EMBEDDED", "ADJUDGE_EMBEDDED_THREADS", "ADJUDGE_NO_DOTENV")


@dataclass(frozen=True, slots=True)
class Found:
    """A setting of the file. `place` is `adjudge.toml, line 3, timeout`."""

    value: Any
    place: str


def find(file: TomlFile, scope: Scope, option: click.Option) -> Found | None:
    """What the file says to a flag of the command `scope`; the command's own table goes first."""
    key = key_of(option)
    for depth in range(len(scope), -1, -1):
        table = _table(file.table, scope[:depth])
        for name in (key, key.replace("-", "_")):
            if name in table and not _is_a_command_s(table[name], option):
                place = file.place((*scope[:depth], name))
                try:
                    return Found(converted(option, table[name], file.path.parent), place)
                except ValueError as error:
                    told = f"--{key} of `{' '.join(scope)}` {error}"
                    raise UsageError(f"{place}: {told}.") from None
    return None


def _is_a_command_s(given: Any, option: click.Option) -> bool:
    """A table for a flag that takes none is that of the command with the same name: `export`."""
    return isinstance(given, dict) and not takes_a_table(option)


def problems(file: TomlFile, tree: Tree) -> list[str]:
    """Everything in the file that no command can use, each with its place and a remedy."""
    return [f"{file.place(keys)}: {told}" for keys, told in _check(file, tree, ())]


def _check(file: TomlFile, tree: Tree, scope: Scope) -> Iterator[tuple[Scope, str]]:
    seen: set[str] = set()
    for name, given in _table(file.table, scope).items():
        keys = (*scope, name)
        if isinstance(given, dict) and any(path[: len(keys)] == keys for path in tree):
            yield from _check(file, tree, keys)
            continue
        key = name.replace("_", "-")
        options = [each for each in _options(tree, scope) if key_of(each) == key]
        told = "given twice, with - and with _." if key in seen else None
        told = told or (_misfit(options, given, file) if options else _unknown(keys, given, tree))
        seen.add(key)
        if told:
            yield keys, told


def _table(table: Mapping[str, Any], scope: Scope) -> Mapping[str, Any]:
    for name in scope:
        below = table.get(name)
        table = below if isinstance(below, dict) else {}
    return table


def _options(tree: Tree, scope: Scope) -> list[click.Option]:
    return [
        each for path, options in tree.items() if path[: len(scope)] == scope for each in options
    ]


def _misfit(options: list[click.Option], given: Any, file: TomlFile) -> str | None:
    """Why no command takes the value; None when one does."""
    values = [*given.values()] if isinstance(given, dict) else given
    values = values if isinstance(values, list) else [values]
    if any(isinstance(each, str) and has_password(each) for each in values):
        variable = options[0].envvar
        return (
            f"a password does not belong in this file: set {variable} in the environment or .env."
        )
    wrong = None
    for option in options:
        try:
            converted(option, given, file.path.parent)
        except ValueError as error:
            wrong = wrong or f"--{key_of(option)} {error}."
        else:
            return None
    return wrong


def _unknown(keys: Scope, given: Any, tree: Tree) -> str:
    *scope, name = keys
    key = name.replace("_", "-")
    variable = f"ADJUDGE_{key.replace('-', '_').upper()}"
    if names_a_secret(name) or _holds_a_secret(given):
        return (
            "keys do not belong in this file, which others may read. Delete it here and put it in"
            " the environment or in .env, e.g. OPENAI_API_KEY=…"
        )
    if variable in VARIABLES:
        return f"this is no flag: set {variable} in the environment or in .env."
    if any(path[: len(keys)] == keys for path in tree):
        return f"this is a command: its settings stand in a table, [{'.'.join(keys)}]."
    owners = [path for path, options in tree.items() if key in map(key_of, options)]
    if owners:
        whose = ", ".join(f"[{'.'.join(path)}]" for path in owners)
        return f"`{' '.join(scope)}` has no --{key}; write it at the top, or in {whose}."
    near = _nearest(key, tree, tuple(scope))
    meant = f"did you mean {near}?" if near else "`adjudge doctor --all` lists what there is."
    return f"there is no such setting; {meant}"


def _nearest(key: str, tree: Tree, scope: Scope) -> str | None:
    """The flag or the command that may be meant."""
    from difflib import get_close_matches  # noqa: PLC0415 - only for a mistake

    depth = len(scope)
    below = {path[depth] for path in tree if path[:depth] == scope and len(path) > depth}
    known = below | {key_of(each) for each in _options(tree, scope)}
    return next(iter(get_close_matches(key, sorted(known), 1)), None)


def _holds_a_secret(given: Any) -> bool:
    return isinstance(given, dict) and any(
        names_a_secret(name) or _holds_a_secret(below) for name, below in given.items()
    )
