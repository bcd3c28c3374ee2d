"""What a cascade took, and what the last of its models did not have to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from adjudge.core.reason import Reason
from adjudge.core.reply import NO_USAGE, Usage
from adjudge.core.verdict import Verdict


@dataclass(slots=True)
class Spent:
    """What a model's verdicts took: `calls` questions about `items` items. Of the `verdicts`, one a
    sample, `paid` ones were not there already; the usage is theirs alone."""

    items: int = 0
    verdicts: int = 0
    paid: int = 0
    calls: int = 0
    usage: Usage = NO_USAGE

    def add(self, verdicts: Sequence[Verdict]) -> None:
        """The samples of one item."""
        self.items += bool(verdicts)
        self.verdicts += len(verdicts)
        self.paid += sum(verdict.attempts > 0 for verdict in verdicts)
        self.calls += sum(len(verdict.calls) for verdict in verdicts)
        self.usage += sum((verdict.usage for verdict in verdicts), start=NO_USAGE)

    @property
    def tokens(self) -> int:
        return self.usage.input_tokens + self.usage.output_tokens

    def tokens_for(self, items: int) -> float | None:
        """What it takes for so many items; None where nothing was paid for, or nothing counted."""
        return self._for(items, self.tokens or None)

    def usd_for(self, items: int) -> float | None:
        """None where the price is not known, or nothing was paid for."""
        return self._for(items, self.usage.cost_usd)

    def _for(self, items: int, paid: float | None) -> float | None:
        if paid is None or not self.paid:
            return None
        return paid / self.paid * self.verdicts / self.items * items


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """`items` did not reach the last model, and so `calls` were not made, for which it would have
    taken some `tokens`. `usd` is what it alone would have cost for all, less what all models cost;
    replies that were there already count in full.

    None is what cannot be known: `why` then says so, by `tokens` and `usd`.
    """

    items: int
    calls: int
    tokens: int | None
    usd: float | None
    why: Mapping[str, Reason] = field(default_factory=dict)


def saved(spent: Mapping[str, Spent], items: int) -> Saved:
    """Of a cascade over so many items; the last model's figures are those of the items it had."""
    model = list(spent)[-1]
    first, last = next(iter(spent.values())), spent[model]
    left = items - last.items
    # All models are asked the same; one that was never asked would have had as many questions.
    asked = last if last.items else first
    tokens = 0.0 if not left else last.tokens_for(left)
    alone = last.usd_for(items)
    costs = [model.usd_for(model.items) for model in spent.values() if model.items]
    known = [cost for cost in costs if cost is not None]
    whole = alone is not None and len(known) == len(costs)
    why = {}
    if tokens is None:
        why["tokens"] = _unpaid(model, last) or Reason("saved.no_tokens", model=model)
    if not whole:
        why["usd"] = _unpaid(model, last) or _unpriced(spent)
    return Saved(
        items=left,
        calls=round(asked.calls / asked.items * left) if asked.items else 0,
        tokens=None if tokens is None else round(tokens),
        usd=alone - sum(known) if alone is not None and whole else None,
        why=why,
    )


def _unpaid(model: str, spent: Spent) -> Reason | None:
    if not spent.items:
        return Reason("saved.never_asked", model=model)
    return None if spent.paid else Reason("saved.all_kept", model=model)


def _unpriced(spent: Mapping[str, Spent]) -> Reason:
    names = [name for name, model in spent.items() if model.items and model.usd_for(1) is None]
    reasons = (_unpaid(name, spent[name]) or Reason("saved.no_price", model=name) for name in names)
    return Reason("several", reasons=tuple(reasons))
