"""Opens a model of any provider that speaks chat completions, from its dialect."""

from __future__ import annotations

import os

from adjudge.errors import ModelUnavailable, UsageError

from .base import ModelOptions
from .openai_dialect import Dialect
from .openai_model import OpenAIModel
from .prices import FREE, Price, known
from .wire import Endpoint, Remedies


def opened(dialect: Dialect, rest: str, options: ModelOptions) -> OpenAIModel:
    """The model NAME of `PROVIDER/NAME`.

    It is at the base URL of the options, else at that of the environment, else at the provider's.
    """
    name = f"{dialect.provider}/{rest}"
    if not rest:
        raise UsageError(f"{dialect.provider} needs the name of a model: write {name}NAME")
    base = base_of(dialect, options)
    if not base:
        raise ModelUnavailable(f"{name} needs an address: set {dialect.base} ({dialect.address})")
    hosted = not dialect.own and base == dialect.default_base
    key = _key(dialect, name, needed=hosted or not dialect.default_base)
    headers = {dialect.key_field: dialect.key_form.format(key)} if key else {}
    remedies = Remedies(
        key=f"check that {dialect.key} holds a valid key for it",
        address=_address_remedy(dialect, options),
        name=dialect.model_name,
        start=dialect.start,
    )
    root = dialect.root(base, rest)
    endpoint = Endpoint(root, dialect.chat, headers, key, options.timeout, remedies)
    price = options.price or _price(dialect, rest, hosted)
    return OpenAIModel(rest, dialect, endpoint, price)


def base_of(dialect: Dialect, options: ModelOptions) -> str:
    """The base URL that is asked; empty when there is none."""
    told = options.base_url or os.environ.get(dialect.base, "").strip() or dialect.default_base
    return told.rstrip("/")


def _address_remedy(dialect: Dialect, options: ModelOptions) -> str:
    """What the user can change about the address."""
    hint = f" ({dialect.address})" if dialect.address else ""
    if options.base_url:
        return f"--base-url{hint}"
    if os.environ.get(dialect.base, "").strip():
        return f"{dialect.base}{hint}"
    return (
        f"--base-url or {dialect.base}" if dialect.own else "--base-url, if you mean another server"
    )


def _key(dialect: Dialect, name: str, *, needed: bool) -> str:
    key = os.environ.get(dialect.key, "").strip()
    if needed and not key:
        other = ", or name your own server with --base-url" if dialect.default_base else ""
        raise ModelUnavailable(f"{name} needs a key: set {dialect.key}{other}")
    if not (key.isascii() and key.isprintable()):
        raise ModelUnavailable(f"{dialect.key} holds characters that no key has: set it again")
    return key


def _price(dialect: Dialect, model: str, hosted: bool) -> Price | None:
    if dialect.own:
        return FREE
    # Another server may give the same name to something else, at another price.
    return known(dialect.provider, model) if hosted else None
