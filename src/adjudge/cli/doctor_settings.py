"""What `adjudge doctor` says of settings, keys and the network. Nothing is sent."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal

import click

from adjudge.errors import UsageError
from adjudge.settings import locate
from adjudge.settings.dotenv import NETWORK
from adjudge.settings.secrets import without_secrets

from .settings_file import VARIABLES, CommandPath, Tree
from .sources import Sources, key_of

State = Literal["ok", "note", "wrong"]


@dataclass(frozen=True, slots=True)
class Finding:
    """`note`: worth a look, but runs work. `wrong`: it would stop a run, as things are set up.

    `origin` is where a setting was made, None where that says nothing.
    """

    what: str
    says: str
    state: State = "ok"
    origin: str | None = None


@dataclass(frozen=True, slots=True)
class Effective:
    """What a flag of one command is when it is not given. `origin` None: the built-in default.

    `problem` says why the value cannot be used; `value` is then None.
    """

    path: CommandPath
    key: str
    value: Any
    origin: str | None
    problem: str | None = None


def effective(sources: Sources, tree: Tree) -> list[Effective]:
    return [
        _effective(sources, path, option) for path, options in tree.items() for option in options
    ]


def _effective(sources: Sources, path: CommandPath, option: click.Option) -> Effective:
    key, variable = key_of(option), sources.variable(option)
    context = click.Context(click.Command("doctor"))
    try:
        if variable:
            value = option.type_cast_value(context, option.value_from_envvar(context))
            return Effective(path, key, value, variable)
        in_file = sources.in_file(path, option)
    except (click.BadParameter, UsageError) as error:
        text = error.message if isinstance(error, click.BadParameter) else str(error)
        return Effective(path, key, None, variable or "the settings file", text)
    if in_file:
        return Effective(path, key, in_file.value, in_file.place)
    return Effective(path, key, option.to_info_dict()["default"], None)


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
        yield Finding("settings", str(problem), "wrong")


def settings(sources: Sources, known: list[Effective], *, all_of_them: bool) -> Iterator[Finding]:
    """One finding per setting; where commands differ, one for those that agree."""
    for key in dict.fromkeys(setting.key for setting in known):
        alike: dict[tuple[str, str | None, str | None], list[str]] = {}
        for setting in known:
            if setting.key == key:
                shown = (_shown(setting.value), setting.origin, setting.problem)
                alike.setdefault(shown, []).append(" ".join(setting.path))
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
            text = f"there is no such setting{meant}"
            yield Finding(name, text, "note", origin or "environment")


def _shown(value: Any) -> str:
    if value is None or value == ():
        return "not set"
    if isinstance(value, bool):
        return "on" if value else "off"
    several = value if isinstance(value, tuple | list) else [value]
    return " ".join(
        f"{one:g}" if isinstance(one, float) else without_secrets(str(one)) for one in several
    )


# The variables that each provider reads. Declared here, since asking the providers would import
# them all; a test holds the list against their files.
PROVIDER_VARIABLES: Mapping[str, tuple[str, ...]] = {
    "anthropic": ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"),
    "azure": ("AZURE_OPENAI_API_KEY", "AZURE_OPENAI_ENDPOINT", "OPENAI_API_VERSION"),
    "deepseek": ("DEEPSEEK_API_KEY", "DEEPSEEK_BASE_URL"),
    "gemini": ("GEMINI_API_KEY", "GEMINI_BASE_URL"),
    "llamacpp": ("LLAMACPP_API_KEY", "LLAMACPP_BASE_URL"),
    "ollama": ("OLLAMA_HOST", "OLLAMA_API_KEY", "OLLAMA_MODELS"),
    "openai": ("OPENAI_API_KEY", "OPENAI_BASE_URL"),
    "openrouter": ("OPENROUTER_API_KEY", "OPENROUTER_BASE_URL"),
    "together": ("TOGETHER_API_KEY", "TOGETHER_BASE_URL"),
    "vllm": ("VLLM_API_KEY", "VLLM_BASE_URL"),
}
# Servers of one's own: most have no key.
_OWN = ("llamacpp", "ollama", "vllm")
_ADDRESSES = ("_URL", "_HOST", "_ENDPOINT", "_VERSION")


def keys(sources: Sources, providers: list[str], *, all_of_them: bool) -> Iterator[Finding]:
    """Whether keys are set, never what they hold; where the providers are reached."""
    for provider in providers:
        known = PROVIDER_VARIABLES.get(provider, ())
        # A provider of another package: whatever begins with its name.
        prefix = f"{provider.upper().replace('-', '_')}_"
        others = () if known else sorted(name for name in os.environ if name.startswith(prefix))
        for name in (*known, *others):
            wanted = name.endswith("_API_KEY") and provider not in _OWN
            if os.environ.get(name) or wanted or all_of_them:
                yield _variable(sources, name)


def _variable(sources: Sources, name: str) -> Finding:
    value = os.environ.get(name)
    if not value:
        return Finding(name, "not set")
    origin = (sources.env.origin(name) if sources.env else None) or "environment"
    shown = without_secrets(value) if name.endswith(_ADDRESSES) else "set"
    return Finding(name, shown, "ok", origin)


def ways_out(sources: Sources) -> Iterator[Finding]:
    """Proxies and certificates, where they are set; certificates must be there."""
    for name in sorted(name for name in os.environ if name.upper() in NETWORK):
        value = os.environ[name]
        if not value:
            continue
        origin = (sources.env.origin(name) if sources.env else None) or "environment"
        is_there = {"SSL_CERT_FILE": Path.is_file, "SSL_CERT_DIR": Path.is_dir}.get(name)
        if is_there and not is_there(Path(value)):
            text = f"{value} is not there: no server on the internet would be trusted"
            yield Finding(name, text, "wrong", origin)
        else:
            yield Finding(name, without_secrets(value), "ok", origin)
