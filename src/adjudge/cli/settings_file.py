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

from adjudge.core.reason import Reason, ReasonError
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


class Misfit(ReasonError):  # noqa: N818 - says what is the case
    """A flag does not take the file's value; the reason continues after the flag's name."""


def find(file: TomlFile, command: CommandPath, option: click.Option) -> FileSetting | None:
    """What the file says to a flag of `command`; the command's own table goes first."""
    key = key_of(option)
    tables = (
        some for n in range(len(command), -1, -1) for some in _tables(file.table, command[:n])
    )
    for keys, table in tables:
        for name in (key, key.replace("-", "_")):
            # A table for a flag that takes none is that of the command of that name: `export`.
            is_command = isinstance(table.get(name), dict) and not takes_a_table(option)
            if name in table and not is_command:
                place = file.place((*keys, name))
                try:
                    return FileSetting(converted(option, table[name], file.path.parent), place)
                except Misfit as misfit:
                    flag = Reason("option", name=key)
                    why = Reason(
                        "settings.misfit_of",
                        flag=flag,
                        command=" ".join(command),
                        why=misfit.reason,
                    )
                    raise UsageError(Reason("place.at", place=place, why=why)) from None
    return None


def problems(file: TomlFile, tree: Tree) -> list[Reason]:
    """Everything in the file that no command can use, each with its place and a remedy."""
    return [
        Reason("place.at", place=file.place(keys), why=why)
        for keys, why in _check(file, tree, (), (), file.table)
    ]


def _check(
    file: TomlFile,
    tree: Tree,
    command: CommandPath,
    at: tuple[str, ...],
    table: Mapping[str, Any],
) -> Iterator[tuple[tuple[str, ...], Reason]]:
    """The table of a command, which stands below the keys `at`."""
    seen: set[str] = set()
    for name, raw in table.items():
        keys, below = (*at, name), (*command, *([name] if command else name.split(" ")))
        if isinstance(raw, dict) and any(path[: len(below)] == below for path in tree):
            yield from _check(file, tree, below, keys, raw)
            continue
        key = name.replace("_", "-")
        options = [option for option in _options(tree, command) if key_of(option) == key]
        problem = Reason("settings.twice") if key in seen else None
        unknown = (*command, name)
        problem = problem or (
            _misfit(options, raw, file) if options else _unknown(unknown, raw, tree)
        )
        seen.add(key)
        if problem:
            yield keys, problem


def _tables(
    table: Mapping[str, Any], command: CommandPath
) -> Iterator[tuple[tuple[str, ...], Mapping[str, Any]]]:
    """The tables of a command with their keys: `["store check"]`, which leaves room for
    `store = …`, and `[store.check]`."""
    together = " ".join(command)
    if len(command) > 1 and isinstance(table.get(together), dict):
        yield (together,), table[together]
    below: Any = table
    for name in command:
        below = below.get(name)
        if not isinstance(below, dict):
            return
    yield command, below


def _options(tree: Tree, command: CommandPath) -> list[click.Option]:
    return [
        option
        for path, options in tree.items()
        if path[: len(command)] == command
        for option in options
    ]


def _misfit(options: list[click.Option], raw: Any, file: TomlFile) -> Reason | None:
    """Why no command takes the value; None when one does."""
    values = [*raw.values()] if isinstance(raw, dict) else raw
    values = values if isinstance(values, list) else [values]
    if any(isinstance(value, str) and has_password(value) for value in values):
        return Reason("settings.password", variable=str(options[0].envvar))
    wrong = None
    for option in options:
        try:
            converted(option, raw, file.path.parent)
        except Misfit as misfit:
            flag = Reason("option", name=key_of(option))
            wrong = wrong or Reason("settings.misfit", flag=flag, why=misfit.reason)
        else:
            return None
    return wrong


def _unknown(keys: CommandPath, raw: Any, tree: Tree) -> Reason:
    *command, name = keys
    key = name.replace("_", "-")
    variable = f"ADJUDGE_{key.replace('-', '_').upper()}"
    if names_a_secret(name) or _holds_a_secret(raw):
        return Reason("settings.secret")
    if variable in VARIABLES:
        return Reason("settings.no_flag", variable=variable)
    if any(path[: len(keys)] == keys for path in tree):
        return Reason("settings.command", table=".".join(keys))
    owners = [path for path, options in tree.items() if key in map(key_of, options)]
    if owners:
        tables, flag = tuple(f"[{'.'.join(path)}]" for path in owners), Reason("option", name=key)
        return Reason("settings.elsewhere", command=" ".join(command), flag=flag, tables=tables)
    near = _nearest(key, tree, tuple(command))
    return Reason("settings.like", near=near) if near else Reason("settings.unknown")


def _nearest(key: str, tree: Tree, command: CommandPath) -> str | None:
    """The flag or the command that may be meant."""
    from difflib import get_close_matches

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
    "offline": _file,
    "set": _field,
}


def converted(option: click.Option, raw: Any, folder: Path) -> Any:
    """`raw` as the flag takes it; Misfit says what it should be.

    A repeatable flag takes a list, or one value alone; one that wants NAME=VALUE a table too. A
    flag that is not repeatable takes a list of one, so that `model = ["…"]` serves every command.
    """
    if option.multiple:
        return tuple(_one(option, value, folder) for value in _several(option, raw))
    if isinstance(raw, list):
        if len(raw) != 1:
            raise Misfit(Reason("settings.one_value", count=len(raw)))
        raw = raw[0]
    return _one(option, raw, folder)


def takes_a_table(option: click.Option) -> bool:
    """Whether it is repeatable and wants NAME=VALUE."""
    return option.multiple and "=" in (option.metavar or "")


def _several(option: click.Option, raw: Any) -> list[Any]:
    if isinstance(raw, dict):
        if not takes_a_table(option):
            raise Misfit(Reason("settings.list", raw=_shown(raw)))
        return [f"{name}={_text(value)}" for name, value in raw.items()]
    return raw if isinstance(raw, list) else [raw]


def _one(option: click.Option, raw: Any, folder: Path) -> Any:
    value = _of_kind(option, raw)
    if isinstance(value, str):
        value = anchored(option, value, folder)
    try:
        return option.type(value, option, None)
    except click.BadParameter as error:
        raise Misfit(Reason("", text=error.message.rstrip("."))) from None


def _of_kind(option: click.Option, raw: Any) -> Any:
    """TOML knows kinds, so `"8"` is no number here and `1` is not `true`."""
    if option.is_flag:
        fits, misfit = isinstance(raw, bool), Reason("settings.no_truth", raw=_shown(raw))
    elif isinstance(option.type, click.types.BoolParamType):  # as on the command line: "no"
        fits, misfit = isinstance(raw, bool | str), Reason("settings.no_truth", raw=_shown(raw))
    elif isinstance(option.type, click.types.IntParamType):
        whole = _is_number(raw) and isinstance(raw, int)
        fits, misfit = whole, Reason("settings.no_whole_number", raw=_shown(raw))
    elif isinstance(option.type, click.types.FloatParamType):
        fits, misfit = _is_number(raw), Reason("settings.no_number", raw=_shown(raw))
    else:
        return _text(raw)
    if not fits:
        raise Misfit(misfit)
    return raw


def _text(raw: Any) -> str:
    """Numbers are texts too: `max-unscored = 0.02`, `tag = {year = 2024}`."""
    if isinstance(raw, str) or _is_number(raw):
        return str(raw)
    raise Misfit(Reason("settings.no_text", raw=_shown(raw)))


def _is_number(raw: Any) -> bool:
    return isinstance(raw, int | float) and not isinstance(raw, bool)


def _shown(raw: Any) -> str | Reason:
    if isinstance(raw, dict):
        return Reason("settings.a_table")
    if isinstance(raw, list):
        return Reason("settings.a_list")
    return str(raw).lower() if isinstance(raw, bool) else repr(raw)
