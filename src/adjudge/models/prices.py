"""What tokens cost: the providers' published prices, or the user's own."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any

from adjudge.core.reason import Reason
from adjudge.core.reply import Usage
from adjudge.errors import UsageError

_MILLION = 1_000_000
_FLAGS = {"in": "input", "out": "output", "cached": "cached_input", "batch": "batch"}
_FORM = Reason("price.form")
# What marks a snapshot: gpt-4o-2024-08-06, claude-sonnet-4-20250514, gemini-2.0-flash-001.
_SNAPSHOT = re.compile(r"-(\d{4}-\d{2}-\d{2}|\d{8}|\d{3}|latest)$")


@dataclass(frozen=True, slots=True)
class Price:
    """USD per million tokens; `batch` is the part of it that a batch costs.

    `cached_input` and `cached_write` stand for tokens read from and written to the provider's
    cache; None means that they cost what other input costs. `up_to` is the longest prompt that the
    price holds for, in tokens.
    """

    input: float
    output: float
    cached_input: float | None = None
    cached_write: float | None = None
    batch: float = 0.5
    up_to: int | None = None

    def cost(self, usage: Usage, *, batch: bool = False, written: int = 0) -> float:
        """USD for these tokens, never below 0; `written` of the input went into the cache."""
        fresh = max(0, usage.input_tokens - usage.cached_tokens - written)
        read_at = self.input if self.cached_input is None else self.cached_input
        write_at = self.input if self.cached_write is None else self.cached_write
        total = (
            fresh * self.input
            + usage.cached_tokens * read_at
            + written * write_at
            + usage.output_tokens * self.output
        )
        return total * (self.batch if batch else 1.0) / _MILLION

    @classmethod
    def parse(cls, text: str) -> Price:
        """The price that a user writes; `in` and `out` are needed."""
        values: dict[str, float] = {}
        for part in text.split(","):
            name, _, value = part.partition("=")
            field = _FLAGS.get(name.strip())
            if field is None or field in values:
                raise UsageError(
                    Reason("price.part", part=part.strip(), form=_FORM).at_option("price", text)
                )
            values[field] = _amount(text, value)
        if not {"input", "output"} <= values.keys():
            raise UsageError(Reason("price.both", form=_FORM).at_option("price", text))
        return cls(**values)  # type: ignore[arg-type] # `up_to` is none of them


FREE = Price(0.0, 0.0)


def priced(usage: Usage, price: Price | None, *, batch: bool = False, written: int = 0) -> Usage:
    """The usage with what it cost; None, never 0, where that is not known."""
    if price is None or (price.up_to is not None and usage.input_tokens > price.up_to):
        return replace(usage, cost_usd=None)
    return replace(usage, cost_usd=price.cost(usage, batch=batch, written=written))


def published_price(provider: str, model: str) -> Price | None:
    """The published price of a model by its name or that of a snapshot; None when not known."""
    models: Mapping[str, Any] = _table().get(provider, {}).get("models", {})
    entry = models.get(model) or models.get(_SNAPSHOT.sub("", model))
    return Price(**entry) if entry else None


@cache
def _table() -> Mapping[str, Any]:
    text = files(__package__).joinpath("prices.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def _amount(text: str, value: str) -> float:
    try:
        amount = float(value)
    except ValueError:
        amount = math.nan
    if not (math.isfinite(amount) and amount >= 0):
        raise UsageError(
            Reason("price.no_amount", part=value.strip(), form=_FORM).at_option("price", text)
        )
    return amount
