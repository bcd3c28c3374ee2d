"""The token counts that a provider reports, checked: the one place where such figures come in.

A count that is missing, or that cannot be true, is 0 here and a doubt; the caller, who knows the
prompt and the reply, replaces it by an estimate. Nothing here raises, whatever a provider sends.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from adjudge.core.reason import Reason
from adjudge.core.reply import Usage

from .prices import Price, priced

# Above any context that models have: what says more is no count. Sums of many stay small.
MOST_TOKENS = 2**24
_MOST_USD = 10_000.0  # for one reply
_SHOWN = 40  # characters of a value that is shown
_LACKING = {
    "input_tokens": Reason("usage.from_prompt"),
    "output_tokens": Reason("usage.from_reply"),
    "cost_usd": Reason("usage.not_known"),
}


class ReportedUsage(NamedTuple):
    """The figures as they came, of any type; None for one that is missing.

    `thought_tokens` come on top of the output. `cached_apart`: tokens that were read from a cache
    and written to it are not among the input tokens. `costs` are in USD, to be summed up.
    """

    input_tokens: object = None
    output_tokens: object = None
    cached_tokens: object = None
    written_tokens: object = None
    thought_tokens: object = None
    cached_apart: bool = False
    costs: tuple[object, ...] = ()


def usage_from_report(
    reported: ReportedUsage, price: Price | None, *, batch: bool = False
) -> Usage:
    """Tokens and what they cost: by the price, else as the provider reports."""
    doubts: list[Reason] = []
    cached = _count("cached_tokens", reported.cached_tokens, doubts)
    written = _count("written_tokens", reported.written_tokens, doubts)
    thoughts = _count("thought_tokens", reported.thought_tokens, doubts)
    apart = cached + written if reported.cached_apart else 0
    tokens_in = _count("input_tokens", reported.input_tokens, doubts, 0 if apart else 1) + apart
    tokens_out = _count("output_tokens", reported.output_tokens, doubts) + thoughts
    if cached + written > tokens_in:
        doubts.append(Reason("usage.cached_too_many", cached=cached + written, sent=tokens_in))
        cached = written = 0
    usage = Usage(
        input_tokens=tokens_in,
        output_tokens=tokens_out,
        cached_tokens=cached,
        cost_usd=None,
        doubts=tuple(doubts),
    )
    if price is None:
        return _with_cost(usage, reported.costs) if reported.costs else usage
    return priced(usage, price, batch=batch, written=written)


def with_estimates(usage: Usage, price: Price | None, tokens_in: int, tokens_out: int) -> Usage:
    """With these estimates instead of the counts in doubt; `tokens_out` is 0 without a text.

    Counts of 0 that nobody doubts stay: a user's own model need not count.
    """
    lacks_in = bool(usage.doubts) and not usage.input_tokens
    lacks_out = not usage.output_tokens and tokens_out > 0
    if not lacks_in and not (lacks_out and (usage.input_tokens or usage.doubts)):
        return usage
    doubts = usage.doubts
    if lacks_out and not any(doubt.fields.get("count") == "output_tokens" for doubt in doubts):
        doubts = (*doubts, _doubt("output_tokens", None))
    completed = replace(
        usage,
        input_tokens=tokens_in if lacks_in else usage.input_tokens,
        output_tokens=tokens_out if lacks_out else usage.output_tokens,
        doubts=doubts,
    )
    return priced(completed, price) if price else completed


def plausible_usage(usage: Usage, price: Price | None) -> Usage:
    """The usage itself where it can be true, as it mostly is; for models that count themselves."""
    if (
        type(usage.input_tokens) is int
        and type(usage.output_tokens) is int
        and type(usage.cached_tokens) is int
        and 0 <= usage.cached_tokens <= usage.input_tokens <= MOST_TOKENS
        and 0 <= usage.output_tokens <= MOST_TOKENS
        and (usage.cost_usd is None or _cost(usage.cost_usd) is not None)
    ):
        return usage
    reported = ReportedUsage(
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cached_tokens=usage.cached_tokens,
        costs=() if usage.cost_usd is None else (usage.cost_usd,),
    )
    plausible = usage_from_report(reported, price)
    return replace(plausible, doubts=(*usage.doubts, *plausible.doubts))


def _count(name: str, value: object, doubts: list[Reason], least: int = 0) -> int:
    """The count; 0 for what is none, which is then among the doubts."""
    if type(value) is int and least <= value <= MOST_TOKENS:  # as nearly always
        return value
    if value is None and least == 0:
        return 0
    count = _number(value)
    if count is not None and least <= count <= MOST_TOKENS and count == int(count):
        return int(count)
    doubts.append(_doubt(name, value))
    return 0


def _number(value: object) -> float | None:
    """Of any size, NaN among them; digits in a text count, and True does not."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 20:
        return int(value)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _doubt(name: str, value: object) -> Reason:
    instead = _LACKING.get(name, Reason("usage.none"))
    if value is None:
        return Reason("usage.untold", count=name, instead=instead)
    return Reason("usage.odd", count=name, value=_shown(value), instead=instead)


def _shown(value: object) -> str:
    """Of an object only its kind: what it holds may be of any length."""
    if isinstance(value, Mapping | list):
        return "a list" if isinstance(value, list) else "an object"
    text = repr(value)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"


def _with_cost(usage: Usage, costs: tuple[object, ...]) -> Usage:
    total = 0.0
    for value in costs:
        cost = _cost(value)
        if cost is None:
            return replace(usage, cost_usd=None, doubts=(*usage.doubts, _doubt("cost_usd", value)))
        total += cost
    return replace(usage, cost_usd=total)


def _cost(value: object) -> float | None:
    """None for what is no cost: below 0, far too much, NaN, no number at all."""
    cost = _number(value)
    return float(cost) if cost is not None and 0.0 <= cost <= _MOST_USD else None
