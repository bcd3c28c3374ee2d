"""What `adjudge doctor` says of settings, keys, network, models, disk and store; sends nothing."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import metadata, util
from pathlib import Path
from typing import Any, Literal

import click

from adjudge import extras
from adjudge.core.reason import Reason
from adjudge.errors import AdjudgeError, ModelUnavailable, StoreError, UsageError
from adjudge.models import ModelOptions, embedded, llama, registry, weights
from adjudge.settings import locate
from adjudge.settings.dotenv import NETWORK
from adjudge.settings.secrets import without_secrets
from adjudge.stores import path_of
from adjudge.stores.dialects.sqlite_examine import examine
from adjudge.stores.dialects.sqlite_file import open_to_others

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
class EffectiveSetting:
    """What a flag of one command is when it is not given. `origin` None: the built-in default.

    `problem` says why the value cannot be used; `value` is then None.
    """

    path: CommandPath
    key: str
    value: Any
    origin: str | None
    problem: str | None = None


def effective(sources: Sources, tree: Tree) -> list[EffectiveSetting]:
    return [
        _effective(sources, path, option) for path, options in tree.items() for option in options
    ]


def _effective(sources: Sources, path: CommandPath, option: click.Option) -> EffectiveSetting:
    key, variable = key_of(option), sources.variable(option)
    context = click.Context(click.Command("doctor"))
    try:
        if variable:
            value = option.type_cast_value(context, option.value_from_envvar(context))
            return EffectiveSetting(path, key, value, variable)
        in_file = sources.in_file(path, option)
    except (click.BadParameter, UsageError) as error:
        text = error.message if isinstance(error, click.BadParameter) else str(error)
        return EffectiveSetting(path, key, None, variable or "the settings file", text)
    if in_file:
        return EffectiveSetting(path, key, in_file.value, in_file.place)
    return EffectiveSetting(path, key, option.to_info_dict()["default"], None)


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


def settings(
    sources: Sources, known: list[EffectiveSetting], *, all_of_them: bool
) -> Iterator[Finding]:
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
        origin = sources.env_origin(name) or "environment"
        if name in complaints:
            yield Finding(name, complaints[name], "note", origin)
        elif name in VARIABLES:
            yield Finding(name, without_secrets(os.environ[name]), "ok", origin)
        elif name.startswith("ADJUDGE_"):
            near = get_close_matches(name, sorted({*flags, *VARIABLES}), 1)
            meant = f"; did you mean {near[0]}?" if near else ""
            yield Finding(name, f"there is no such setting{meant}", "note", origin)


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
    origin = sources.env_origin(name) or "environment"
    shown = without_secrets(value) if name.endswith(_ADDRESSES) else "set"
    return Finding(name, shown, "ok", origin)


def network(sources: Sources) -> Iterator[Finding]:
    """Proxies and certificates, where they are set; certificates must be there."""
    for name in sorted(name for name in os.environ if name.upper() in NETWORK):
        value = os.environ[name]
        if not value:
            continue
        origin = sources.env_origin(name) or "environment"
        is_there = {"SSL_CERT_FILE": Path.is_file, "SSL_CERT_DIR": Path.is_dir}.get(name)
        if is_there and not is_there(Path(value)):
            text = f"{value} is not there: no server on the internet would be trusted"
            yield Finding(name, text, "wrong", origin)
        else:
            yield Finding(name, without_secrets(value), "ok", origin)


def models(settings: list[EffectiveSetting]) -> Iterator[Finding]:
    """Opens the models of `run` and `one`, as these do before anything is asked."""
    chosen = dict.fromkeys(_chosen(settings))
    for spec, base_url, origin in chosen:
        finding, name = _opened(spec, base_url, origin)
        yield finding
        if name.startswith("embedded/"):
            yield from _room_for(name.removeprefix("embedded/"))
    yield _runtime(needed=any(spec.startswith("embedded") for spec, *_ in chosen))
    for name in weights.known_weights():
        path = weights.find(name)
        text = str(path) if path else f"not fetched; `adjudge models pull {name}` does"
        yield Finding(f"embedded/{name}", text)
    place = weights.directory()
    yield Finding("disk for the models", f"{free_at(place) / 1e9:,.1f} GB free at {nearest(place)}")


def complaints() -> dict[str, str]:
    """Variable → why its value is of no use, of those that are about embedded models."""
    wrong = {}
    chosen = os.environ.get("ADJUDGE_EMBEDDED", "")
    if embedded.is_file(chosen) and not Path(chosen).expanduser().is_file():
        wrong["ADJUDGE_EMBEDDED"] = f"there is no model file {chosen}"
    elif chosen and not embedded.is_file(chosen) and chosen not in weights.known_weights():
        wrong["ADJUDGE_EMBEDDED"] = f"there is no embedded model {chosen!r}"
    threads = os.environ.get("ADJUDGE_EMBEDDED_THREADS", "")
    if threads and not (threads.isdecimal() and int(threads)):
        wrong["ADJUDGE_EMBEDDED_THREADS"] = f"{threads!r} is no number of threads and is ignored"
    return wrong


def _chosen(settings: list[EffectiveSetting]) -> Iterator[tuple[str, str | None, str | None]]:
    """Models with their base URL and who has set them."""
    base_urls = {setting.path: setting.value for setting in settings if setting.key == "base-url"}
    for setting in settings:
        if setting.key == "model" and setting.value and setting.path in {("run",), ("one",)}:
            for spec in [setting.value] if isinstance(setting.value, str) else setting.value:
                yield spec, base_urls.get(setting.path), setting.origin


def _opened(spec: str, base_url: str | None, origin: str | None) -> tuple[Finding, str]:
    """The finding, and the model's full name if it could be opened."""
    what = f"model {spec}" + (f" at {without_secrets(base_url)}" if base_url else "")
    try:
        model = registry.open_model(spec, ModelOptions(base_url=base_url))
        asyncio.run(model.aclose())
    except AdjudgeError as error:
        return Finding(what, str(error), "wrong", origin), ""
    file = model.name.removeprefix("embedded:")
    if file != model.name and not Path(file).expanduser().is_file():
        return Finding(what, f"there is no model file {file}", "wrong", origin), ""
    return Finding(what, f"would be asked as {model.name}", "ok", origin), model.name


def _room_for(name: str) -> Iterator[Finding]:
    """Weights that the first question would fetch need room, twice while they are put together."""
    if weights.find(name):
        return
    entry = weights.look_up(name)
    need, place = entry.download + entry.size, weights.directory()
    free = free_at(place)
    text = f"embedded/{name} is fetched by the first question: {weights.megabytes(need)} needed, "
    text += f"{weights.megabytes(free)} free in {place}"
    yield Finding("disk for the model", text, "note" if free > need else "wrong")


def _runtime(*, needed: bool) -> Finding:
    what = "embedded runtime"
    state: State = "wrong" if needed else "note"
    if util.find_spec("xllamacpp") is None:
        return Finding(what, "not installed: pip install 'adjudge[embedded]'", state)
    try:
        llama.library()
    except ModelUnavailable as error:
        return Finding(what, str(error), state)
    return Finding(what, f"xllamacpp {metadata.version('xllamacpp')}")


def optional_parts() -> Finding:
    """Which extras are installed, and the command for one that is not."""
    here = [name for name in extras.EXTRAS if extras.missing(name) is None]
    absent = [name for name in extras.EXTRAS if name not in here]
    text = f"installed: {', '.join(here) or 'none'}"
    if absent:
        text += f"; not installed: {', '.join(absent)} ({extras.pip_command(absent[0])})"
    return Finding("extras", text)


# Below this a run could fail in the middle: a store grows by some kilobytes per verdict.
_LEAST, _COMFORTABLE = 10 << 20, 1 << 30


def free_at(path: Path) -> int:
    """Bytes that are free where the path is, or will be."""
    return shutil.disk_usage(nearest(path)).free


def nearest(path: Path) -> Path:
    """The path itself or the nearest folder above it that exists."""
    whole = path.absolute()
    return next(part for part in (whole, *whole.parents) if part.exists())


def room(what: str, path: Path) -> Finding:
    free = free_at(path)
    state: State = "wrong" if free < _LEAST else "note" if free < _COMFORTABLE else "ok"
    return Finding(what, f"{free / 1e9:,.1f} GB free at {nearest(path)}", state)


def store(url: str) -> Iterator[Finding]:
    try:
        path = path_of(url)
        if path is None:
            from adjudge.stores.checking import examine_server

            text = examine_server(url)
        else:
            text = _existing(path) if path.exists() else _to_come(path)
    except (StoreError, UsageError) as error:
        yield Finding("store", without_secrets(str(error)), "wrong")
        return
    yield Finding("store", f"{without_secrets(url)}, {text}")
    if path is None:
        return
    readable = open_to_others(path) if path.exists() else None
    if readable:
        yield Finding("store's mode", without_secrets(readable), "note")
    yield room("disk for the store", path)


def _existing(path: Path) -> str:
    text = examine(path)
    if not (os.access(path, os.W_OK) and os.access(path.absolute().parent, os.W_OK)):
        raise StoreError(Reason("store.not_writable").in_file(path))
    return f"{path.stat().st_size:,} bytes, {text}"


def _to_come(path: Path) -> str:
    above = nearest(path)
    if not above.is_dir():
        raise StoreError(Reason("store.below_file", above=str(above)).in_file(path))
    if not os.access(above, os.W_OK):
        raise StoreError(Reason("store.below_read_only", above=str(above)).in_file(path))
    return "made by the first run"
