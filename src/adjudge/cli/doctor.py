"""`adjudge doctor`: what is there and what is missing on this machine. Sends nothing anywhere."""

from __future__ import annotations

import os
import platform
import re
from importlib import metadata, util

import click

from . import flags
from .output import print_json

_KEYS = ("OPENAI_API_KEY", "OPENAI_BASE_URL")


@click.command("doctor")
@flags.store_option
@flags.json_option
def command(store: str, as_json: bool) -> None:
    """Show what adjudge finds on this machine."""
    from adjudge.reports.text import table  # noqa: PLC0415

    findings = _findings(store)
    if as_json:
        shown = [{"what": w, "found": f, "ok": ok} for w, f, ok in findings]
        print_json(shown)
        return
    click.echo(table(["", "what", "found"], [["ok" if ok else "!", w, f] for w, f, ok in findings]))


def _findings(store: str) -> list[tuple[str, str, bool]]:
    """What was looked at, what was found, and whether that is as it should be."""
    from adjudge.models import registry, weights  # noqa: PLC0415

    found = [
        ("adjudge", metadata.version("adjudge"), True),
        ("Python", f"{platform.python_version()} on {platform.system()}", True),
        ("providers", " ".join(registry.providers()), True),
        _runtime(),
    ]
    for name in weights.known():
        path = weights.find(name)
        text = str(path) if path else f"not fetched; `adjudge models pull {name}` does"
        found.append((f"embedded/{name}", text, True))
    # Whether they are set, never what they hold.
    found += [(key, "set" if os.environ.get(key) else "not set", True) for key in _KEYS]
    found += [
        (name, _without_password(value), True)
        for name, value in sorted(os.environ.items())
        if name.startswith("ADJUDGE_")
    ]
    found.append(_store(store))
    return found


def _runtime() -> tuple[str, str, bool]:
    from adjudge.errors import ModelUnavailable  # noqa: PLC0415

    if util.find_spec("xllamacpp") is None:
        return "embedded runtime", "not installed: pip install 'adjudge[embedded]'", False
    from adjudge.models import llama  # noqa: PLC0415

    try:
        llama.library()
    except ModelUnavailable as error:
        return "embedded runtime", str(error), False
    return "embedded runtime", f"xllamacpp {metadata.version('xllamacpp')}", True


def _without_password(value: str) -> str:
    """A URL may carry one before its host."""
    return re.sub(r"//[^/@\s]*@", "//…@", value)


def _store(store: str) -> tuple[str, str, bool]:
    from adjudge.errors import UsageError  # noqa: PLC0415
    from adjudge.stores.registry import path_of  # noqa: PLC0415

    try:
        path = path_of(store)
    except UsageError as error:
        return "store", str(error), False
    if path.exists():
        ok = os.access(path, os.W_OK)
        return (
            "store",
            f"{store}, {path.stat().st_size:,} bytes" + ("" if ok else ", read-only"),
            ok,
        )
    folder = next(parent for parent in path.absolute().parents if parent.exists())
    ok = os.access(folder, os.W_OK)
    return "store", f"{store}, made by the first run" if ok else f"{folder} is read-only", ok
