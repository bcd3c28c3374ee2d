"""The settings file against the commands: what it sets, and what it says that nobody knows.

Relative paths in the file begin at its folder, wherever adjudge is started. Flag by flag:

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

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from adjudge.errors import UsageError
from adjudge.settings.secrets import has_password, names_a_secret
from adjudge.settings.toml_file import TomlFile

from .sources import key_of

# The names of a command and of those above it: ("cache", "info"). () is the top of the file.
CommandPath = tuple[str, ...]
# Every command with its settings.
Tree = Mapping[CommandPath, Sequence[click.Option]]

# Variables that are no flag of any command; docs/configuration.md says what they are for.
VARIABLES = ("ADJUDGE_CACHE", "ADJUDGE_EMBEDDED", "ADJUDGE_EMBEDDED_THREADS", "ADJUDGE_NO_DOTENV")


@dataclass(frozen=True, slots=True)
class FileSetting:
    """A setting of the file. `place` is `adjudge.toml, line 3, timeout`."""

    value: Any
    place: str


def find(file: TomlFile, command: CommandPath, option: click.Option) -> FileSetting | None:
    """What the file says to a flag of `command`; the command's own table goes first."""
    key = key_of(option)
    for depth in range(len(command), -1, -1):
        table = _table(file.table, command[:depth])
        for name in (key, key.replace("-", "_")):
            if name in table and not _is_a_command_s(table[name], option):
                place = file.place((*command[:depth], name))
                try:
                    return FileSetting(converted(option, table[name], file.path.parent), place)
                except ValueError as error:
                    problem = f"--{key} of `{' '.join(command)}` {error}"
                    raise UsageError(f"{place}: {problem}.") from None
    return None


def _is_a_command_s(raw: Any, option: click.Option) -> bool:
    """A table for a flag that takes none is that of the command with the same name: `export`."""
    return isinstance(raw, dict) and not takes_a_table(option)


def problems(file: TomlFile, tree: Tree) -> list[str]:
    """Everything in the file that no command can use, each with its place and a remedy."""
    return [f"{file.place(keys)}: {problem}" for keys, problem in _check(file, tree, ())]


def _check(file: TomlFile, tree: Tree, command: CommandPath) -> Iterator[tuple[CommandPath, str]]:
    seen: set[str] = set()
    for name, raw in _table(file.table, command).items():
        keys = (*command, name)
        if isinstance(raw, dict) and any(path[: len(keys)] == keys for path in tree):
            yield from _check(file, tree, keys)
            continue
        key = name.replace("_", "-")
        options = [option for option in _options(tree, command) if key_of(option) == key]
        problem = "given twice, with - and with _." if key in seen else None
        problem = problem or (_misfit(options, raw, file) if options else _unknown(keys, raw, tree))
        seen.add(key)
        if problem:
            yield keys, problem


def _table(table: Mapping[str, Any], command: CommandPath) -> Mapping[str, Any]:
    for name in command:
        below = table.get(name)
        table = below if isinstance(below, dict) else {}
    return table


def _options(tree: Tree, command: CommandPath) -> list[click.Option]:
    return [
        option
        for path, options in tree.items()
        if path[: len(command)] == command
        for option in options
    ]


def _misfit(options: list[click.Option], raw: Any, file: TomlFile) -> str | None:
    """Why no command takes the value; None when one does."""
    values = [*raw.values()] if isinstance(raw, dict) else raw
    values = values if isinstance(values, list) else [values]
    if any(isinstance(value, str) and has_password(value) for value in values):
        variable = options[0].envvar
        return (
            f"a password does not belong in this file: set {variable} in the environment or .env."
        )
    wrong = None
    for option in options:
        try:
            converted(option, raw, file.path.parent)
        except ValueError as error:
            wrong = wrong or f"--{key_of(option)} {error}."
        else:
            return None
    return wrong


def _unknown(keys: CommandPath, raw: Any, tree: Tree) -> str:
    *command, name = keys
    key = name.replace("_", "-")
    variable = f"ADJUDGE_{key.replace('-', '_').upper()}"
    if names_a_secret(name) or _holds_a_secret(raw):
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
        return f"`{' '.join(command)}` has no --{key}; write it at the top, or in {whose}."
    near = _nearest(key, tree, tuple(command))
    meant = f"did you mean {near}?" if near else "`adjudge doctor --all` lists what there is."
    return f"there is no such setting; {meant}"


def _nearest(key: str, tree: Tree, command: CommandPath) -> str | None:
    """The flag or the command that may be meant."""
    from difflib import get_close_matches  # noqa: PLC0415 - only for a mistake

    depth = len(command)
    below = {path[depth] for path in tree if path[:depth] == command and len(path) > depth}
    known = below | {key_of(option) for option in _options(tree, command)}
    return next(iter(get_close_matches(key, sorted(known), 1)), None)


def _holds_a_secret(raw: Any) -> bool:
    return isinstance(raw, dict) and any(
        names_a_secret(name) or _holds_a_secret(below) for name, below in raw.items()
    )


PATHS = ("FILE", "PATH", "DIR")


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


def converted(option: click.Option, raw: Any, folder: Path) -> Any:
    """`raw` as the flag takes it; ValueError says what it should be.

    A repeatable flag takes a list, or one value alone; one that wants NAME=VALUE a table too. A
    flag that is not repeatable takes a list of one, so that `model = ["…"]` serves every command.
    """
    if option.multiple:
        return tuple(_one(option, each, folder) for each in _several(option, raw))
    if isinstance(raw, list):
        if len(raw) != 1:
            raise ValueError(f"takes one value, and here are {len(raw)}")
        raw = raw[0]
    return _one(option, raw, folder)


def takes_a_table(option: click.Option) -> bool:
    """Whether it is repeatable and wants NAME=VALUE."""
    return option.multiple and "=" in (option.metavar or "")


def _several(option: click.Option, raw: Any) -> list[Any]:
    if isinstance(raw, dict):
        if not takes_a_table(option):
            raise ValueError(f"takes a list of texts, and here is {_said(raw)}")
        return [f"{name}={_text(value)}" for name, value in raw.items()]
    return raw if isinstance(raw, list) else [raw]


def _one(option: click.Option, raw: Any, folder: Path) -> Any:
    value = _of_kind(option, raw)
    if isinstance(value, str):
        value = anchored(option, value, folder)
    try:
        return option.type(value, option, None)
    except click.BadParameter as error:
        raise ValueError(error.message.rstrip(".")) from None


def _of_kind(option: click.Option, raw: Any) -> Any:
    """TOML knows kinds, so `"8"` is no number here and `1` is not `true`."""
    if option.is_flag:
        fits, wanted = isinstance(raw, bool), "true or false"
    elif isinstance(option.type, click.types.BoolParamType):  # as on the command line: "no"
        fits, wanted = isinstance(raw, bool | str), "true or false"
    elif isinstance(option.type, click.types.IntParamType):
        fits, wanted = _is_number(raw) and isinstance(raw, int), "a whole number, no quotes"
    elif isinstance(option.type, click.types.FloatParamType):
        fits, wanted = _is_number(raw), "a number, no quotes"
    else:
        return _text(raw)
    if not fits:
        raise ValueError(f"must be {wanted}, and here is {_said(raw)}")
    return raw


def _text(raw: Any) -> str:
    """Numbers are texts too: `max-unscored = 0.02`, `tag = {year = 2024}`."""
    if isinstance(raw, str) or _is_number(raw):
        return str(raw)
    raise ValueError(f"must be a text in quotes, and here is {_said(raw)}")


def _is_number(raw: Any) -> bool:
    return isinstance(raw, int | float) and not isinstance(raw, bool)


def _said(raw: Any) -> str:
    if isinstance(raw, dict):
        return "a table"
    if isinstance(raw, list):
        return "a list"
    return str(raw).lower() if isinstance(raw, bool) else repr(raw)
