"""What `adjudge doctor` says of models, the disk and the store. Nothing is sent or changed."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Iterator
from importlib import metadata, util
from pathlib import Path

from adjudge.core.reason import Reason
from adjudge.errors import AdjudgeError, ModelUnavailable, StoreError, UsageError
from adjudge.models import ModelOptions, embedded, llama, registry, weights
from adjudge.settings.secrets import without_secrets
from adjudge.stores import path_of
from adjudge.stores.dialects.sqlite_examine import examine
from adjudge.stores.dialects.sqlite_file import open_to_others

from .doctor_settings import Effective, Finding, State


def models(settings: list[Effective]) -> Iterator[Finding]:
    """Opens the models of `run` and `one`, as these do before anything is asked."""
    chosen = dict.fromkeys(_chosen(settings))
    for spec, base_url, origin in chosen:
        finding, name = _opened(spec, base_url, origin)
        yield finding
        if name.startswith("embedded/"):
            yield from _room_for(name.removeprefix("embedded/"))
    yield _runtime(needed=any(spec.startswith("embedded") for spec, *_ in chosen))
    for name in weights.known():
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
    elif chosen and not embedded.is_file(chosen) and chosen not in weights.known():
        wrong["ADJUDGE_EMBEDDED"] = f"there is no embedded model {chosen!r}"
    threads = os.environ.get("ADJUDGE_EMBEDDED_THREADS", "")
    if threads and not (threads.isdecimal() and int(threads)):
        wrong["ADJUDGE_EMBEDDED_THREADS"] = f"{threads!r} is no number of threads and is ignored"
    return wrong


def _chosen(settings: list[Effective]) -> Iterator[tuple[str, str | None, str | None]]:
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
        text = _existing(path) if path.exists() else _to_come(path)
    except (StoreError, UsageError) as error:
        yield Finding("store", without_secrets(str(error)), "wrong")
        return
    yield Finding("store", f"{without_secrets(url)}, {text}")
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
