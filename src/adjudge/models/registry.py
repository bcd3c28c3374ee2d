"""Finds the provider that a model's name begins with."""

from __future__ import annotations

import re
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoints, entry_points

from adjudge.core.prompt import PLAIN, Profile
from adjudge.core.reason import Reason
from adjudge.errors import ModelUnavailable, UsageError

from . import model_checks
from .base import Capabilities, Model, ModelOptions

_GROUP = "adjudge.models"


def providers() -> list[str]:
    """The names of all providers, those of other installed packages too; none gets imported."""
    return sorted(_openers().names)


@cache
def _openers() -> EntryPoints:
    """Once: all installed packages are looked through, which takes tens of milliseconds."""
    return entry_points(group=_GROUP)


def open_model(spec: str, options: ModelOptions) -> Model:
    """As `open_plain`, with what an earlier check found out about the model."""
    model = open_plain(spec, options)
    model_checks.apply_check(model)
    return model


def profile_of(spec: str) -> Profile:
    """How the messages to this model are made, known without opening it.

    A provider whose models are all asked in a way of their own has CAPABILITIES beside its opener.
    What a check found about a server changes the schema of a request, and none of its messages.
    """
    try:
        opener = _openers()[_split(spec)[0]]
        can = getattr(import_module(opener.module), "CAPABILITIES", None)
    except (ImportError, KeyError):
        return PLAIN
    return can.profile if isinstance(can, Capabilities) else PLAIN


def open_plain(spec: str, options: ModelOptions) -> Model:
    """The model that `PROVIDER/NAME`, `PROVIDER:NAME` or a bare `PROVIDER` stands for.

    The first of `/` and `:` ends the provider's name. With a base URL, a name that begins with no
    known provider is the name of a model there, slashes included (`meta-llama/Llama-3`); one that
    does is written after `openai/` (`openai/openai/gpt-oss-20b`).
    """
    provider, rest = _split(spec)
    openers = _openers()
    if provider not in openers.names:
        if not options.base_url or not spec:
            raise UsageError(_unknown(spec, provider, sorted(openers.names)))
        provider, rest = "openai", spec
    try:
        opener = openers[provider].load()
    except (ImportError, AttributeError) as error:
        raise ModelUnavailable(
            Reason("model.provider_broken", provider=provider, why=str(error))
        ) from error
    model: Model = opener(rest, options)
    return model


def _split(spec: str) -> tuple[str, str]:
    provider, *rest = re.split("[/:]", spec, maxsplit=1)
    return provider, rest[0] if rest else ""


def _unknown(spec: str, provider: str, known: list[str]) -> Reason:
    rest = spec[len(provider) :]
    if near := get_close_matches(provider.lower(), known, n=1, cutoff=0.75):
        return Reason("model.like_provider", model=spec, known=tuple(known), close=near[0] + rest)
    if provider and not rest:
        return Reason("model.bare_name", model=spec, known=tuple(known))
    return Reason("model.no_provider", model=spec, known=tuple(known))
