"""The models that a run would use as things are set up, and what the embedded ones need."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from importlib import metadata, util
from pathlib import Path

from adjudge.errors import AdjudgeError, ModelUnavailable
from adjudge.models import embedded, llama, registry, weights
from adjudge.models.base import ModelOptions
from adjudge.settings.secrets import without_secrets

from .configured import Effective
from .disk import free_at, nearest
from .finding import Finding, State


def models(found: list[Effective]) -> Iterator[Finding]:
    """Opens the models of `run` and `one`, as these do before anything is asked."""
    chosen = dict.fromkeys(_chosen(found))
    for spec, base_url, origin in chosen:
        finding, name = _opened(spec, base_url, origin)
        yield finding
        if name.startswith("embedded/"):
            yield from _room_for(name.removeprefix("embedded/"))
    yield _runtime(needed=any(spec.startswith("embedded") for spec, *_ in chosen))
    for name in weights.known():
        path = weights.find(name)
        told = str(path) if path else f"not fetched; `adjudge models pull {name}` does"
        yield Finding(f"embedded/{name}", told)
    place = weights.directory()
    yield Finding("disk for the models", f"{free_at(place) / 1e9:,.1f} GB free at {nearest(place)}")


def complaints() -> dict[str, str]:
    """Variable → why its value is of no use, of those that are about embedded models."""
    found = {}
    chosen = os.environ.get("ADJUDGE_EMBEDDED", "")
    if embedded.is_file(chosen) and not Path(chosen).expanduser().is_file():
        found["ADJUDGE_EMBEDDED"] = f"there is no model file {chosen}"
    elif chosen and not embedded.is_file(chosen) and chosen not in weights.known():
        found["ADJUDGE_EMBEDDED"] = f"there is no embedded model {chosen!r}"
    threads = os.environ.get("ADJUDGE_EMBEDDED_THREADS", "")
    if threads and not (threads.isdecimal() and int(threads)):
        found["ADJUDGE_EMBEDDED_THREADS"] = f"{threads!r} is no number of threads and is ignored"
    return found


def _chosen(found: list[Effective]) -> Iterator[tuple[str, str | None, str | None]]:
    """Models with their base URL and who has set them."""
    base_urls = {each.scope: each.value for each in found if each.key == "base-url"}
    for each in found:
        if each.key == "model" and each.value and each.scope in {("run",), ("one",)}:
            for spec in [each.value] if isinstance(each.value, str) else each.value:
                yield spec, base_urls.get(each.scope), each.origin


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
    told = f"embedded/{name} is fetched by the first question: {weights.megabytes(need)} needed, "
    told += f"{weights.megabytes(free)} free in {place}"
    yield Finding("disk for the model", told, "note" if free > need else "wrong")


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
