"""A cascade for people, as plain values and as rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

from adjudge.analysis.cascade import Cascaded, Decision
from adjudge.analysis.cascade_saved import Spent
from adjudge.running.cascade_stages import Stage

from .page import Block, Heading, Lines, Table
from .rows import Row

ENDINGS = (".csv", ".jsonl", ".json", ".parquet")


def cascade_page(found: Cascaded, most: int) -> list[Block]:
    """What was promised and shown, who decided how much, and `most` of the items left to people."""
    rows = [_row(stage) for stage in found.stages]
    head = [
        "model",
        "reached it",
        "decided",
        "from confidence",
        "labels above",
        "agree",
        "at least",
    ]
    blocks: list[Block] = [
        Heading(f"cascade of run {found.run}: {' → '.join(stage.model for stage in found.stages)}"),
        Lines(list(_promise(found))),
        Table(head, rows),
        Lines([*_whys(found), *_saved(found)]),
    ]
    if found.abstained:
        blocks += [
            Heading(f"{len(found.abstained)} items are left to people: {_why_left(found)}"),
            Lines([_to_label(found, most)]),
        ]
    return blocks


def _why_left(found: Cascaded) -> str:
    """The last model that they reached decides nothing, or was not sure enough."""
    last = next(stage for stage in reversed(found.stages) if stage.reached)
    if last.why:
        return f"{last.model} decides nothing ({last.why})"
    return "no model was sure enough of them"


def _to_label(found: Cascaded, most: int) -> str:
    left = found.to_label
    if not left:
        return "all of them are labelled already"
    labelled = len(found.abstained) - len(left)
    already = f" ({labelled} are labelled already)" if labelled else ""
    named = ", ".join(_named(each) for each in left[:most])
    return f"label these{already}: {named}{_more(len(left) - most)}"


def _promise(found: Cascaded) -> Iterator[str]:
    sure = "share of samples that agree" if found.by_repeats else "probability of the score"
    yield (
        f"promised: decided items agree with people at a rate of {found.agree:.0%} or more, wrong"
        f" in at most {found.delta:.0%} of all draws of labelled items; confidence is the {sure}"
    )
    left_out = f", {found.left_out} labelled items do not count" if found.left_out else ""
    yield f"judged by {', '.join(found.criteria)}; {found.labelled} labelled items{left_out}"


def _row(stage: Stage) -> list[str]:
    row = [stage.model, str(stage.reached), str(stage.decided)]
    if stage.threshold is None:
        return [*row, "–", str(stage.labelled), "–", "–"]
    return [
        *row,
        f"{stage.threshold:.3g}",
        str(stage.n),
        f"{stage.agreed} ({stage.agreed / stage.n:.0%})",
        f"{stage.bound:.1%}",
    ]


def _whys(found: Cascaded) -> Iterator[str]:
    for stage in found.stages:
        if stage.why:
            yield f"{stage.model} decides nothing: {stage.why}"


def _saved(found: Cascaded) -> Iterator[str]:
    last, items, saved = found.stages[-1].model, len(found.decisions), found.saved
    if not items:
        return
    yield (
        f"{last} judged {items - saved.items} of {items} items; {saved.items / items:.0%} were"
        f" saved: {saved.calls:,} calls to it"
    )
    alone = found.tokens_of_last_alone
    if saved.tokens is None:
        yield f"tokens saved cannot be told: {saved.why['tokens']}"
    elif alone is not None:
        others = [_took(name, each) for name, each in found.spent.items() if name != last]
        yield (
            f"tokens: {last} was saved about {saved.tokens:,} of the {alone:,} that it would have"
            f" taken alone; {', '.join(others)}"
        )
    yield from _money(found, last)


def _took(model: str, spent: Spent) -> str:
    """With replies that were there already, where others tell what they would have taken."""
    tokens = spent.tokens_for(spent.items)
    return f"{model} took {spent.tokens if tokens is None else round(tokens):,}"


def _money(found: Cascaded, last: str) -> Iterator[str]:
    """Nothing where nothing has a price."""
    alone, saved = found.usd_of_last_alone, found.saved
    if saved.usd is None or alone is None:
        yield f"USD saved cannot be told: {saved.why['usd']}"
        return
    if not alone and not saved.usd:
        return
    share = f" ({abs(saved.usd / alone):.0%})" if alone else ""
    came_to = "saved" if saved.usd >= 0 else "spent in vain"
    kept = any(each.paid < each.verdicts for each in found.spent.values())
    full = "; replies that were there already count in full" if kept else ""
    yield (
        f"cost: ${alone - saved.usd:.4f}; {last} alone would have cost about ${alone:.4f}:"
        f" ${abs(saved.usd):.4f}{share} {came_to}{full}"
    )


def _named(each: Decision) -> str:
    return each.item if each.confidence is None else f"{each.item} ({each.confidence:.2f})"


def _more(count: int) -> str:
    return f" and {count} more" if count > 0 else ""


def cascade_dict(found: Cascaded) -> Row:
    """The object that `--json` prints."""
    return {
        "run": found.run,
        "agree": found.agree,
        "delta": found.delta,
        "within": found.within,
        "criteria": list(found.criteria),
        "labelled": found.labelled,
        "left_out": found.left_out,
        "items": len(found.decisions),
        "decided": len(found.decisions) - len(found.abstained),
        "stages": [asdict(stage) for stage in found.stages],
        "asked": {model: spent.items for model, spent in found.spent.items()},
        "usd": found.usd,
        "usd_of_last_alone": found.usd_of_last_alone,
        "tokens": {model: spent.tokens for model, spent in found.spent.items()},
        "tokens_of_last_alone": found.tokens_of_last_alone,
        "saved": asdict(found.saved),
        "abstained": [each.item for each in found.abstained],
        "to_label": [each.item for each in found.to_label],
    }


def cascade_rows(found: Cascaded, *, left_only: bool = False) -> Iterator[Row]:
    """A row an item: who decided it, how sure it was and what it said; `left_only`: those that no
    model decided and nobody has labelled."""
    for each in found.to_label if left_only else found.decisions:
        yield {
            "run": found.run,
            "item": each.item,
            "judge": found.judge,
            "model": each.by,
            "outcome": "scored" if each.by else "abstained",
            "confidence": each.confidence,
            "scores": {name: {"value": each.values.get(name)} for name in found.criteria},
        }
