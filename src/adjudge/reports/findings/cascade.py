"""What a cascade decided, model after model, what it left to people, and what it saved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from adjudge.analysis.cascade import Cascaded, Decision, Spent
from adjudge.running import Stage

from ..blocks import Block, Line, Lines, Section, Table
from ..encode import Shapes, fields
from ..files.rows import Row
from ..words import Words

ROW_ENDINGS = (".csv", ".jsonl", ".json", ".parquet")


def cascade(
    stages: Sequence[Stage],
    items: int,
    words: Words,
    finding: Cascaded | None = None,
    most: int = 0,
) -> Section:
    """Of `items`, which model decided how many; `found` with what was promised and saved, and
    `most` of the items left to people by name."""
    blocks: list[Block] = [Lines([*_promise(finding, words)])] if finding else []
    names = ("reached", "decided", "threshold", "agreed", "bound")
    head = [words("common.model"), *words.all("report.cascade", *names)]
    blocks.append(Table(head, [_row(stage, words) for stage in stages]))
    asked = items - finding.saved.items if finding else stages[-1].reached
    blocks.append(Lines([*_outcome(stages, items, asked, words)]))
    if finding is not None:
        blocks.append(Lines([*_saved(finding, words)]))
        blocks += _left(finding, words, most)
    return Section(words("report.cascade.heading"), blocks, "cascade")


def _row(stage: Stage, words: Words) -> list[str]:
    row = [stage.model, words.count(stage.reached), words.count(stage.decided)]
    if stage.threshold is None or stage.bound is None:
        return [*row, "–", "–", "–"]
    agreed = words("common.of", a=words.count(stage.agreed), b=words.count(stage.n))
    return [*row, words.number(stage.threshold, ".3g"), agreed, words.number(stage.bound, ".1%")]


def _outcome(stages: Sequence[Stage], items: int, asked: int, words: Words) -> Iterator[str | Line]:
    for stage in stages:
        if stage.threshold is None:
            why = words.reason(stage.why)
            yield words("report.cascade.nothing", model=stage.model, why=why)
    left, last = items - sum(stage.decided for stage in stages), stages[-1]
    links = ("abstained",) if left else ()
    yield Line(
        words("report.cascade.left", left=words.count(left), items=words.count(items)), "", links
    )
    if items:
        share = words.number(1 - asked / items, ".1%")
        counts = {"asked": words.count(asked), "share": share, "items": words.count(items)}
        yield words("report.cascade.saved", model=last.model, **counts)


def _promise(finding: Cascaded, words: Words) -> Iterator[str]:
    sure = words("report.cascade.sure." + ("repeats" if finding.by_repeats else "probability"))
    rates = {
        "agree": words.number(finding.agree, ".0%"),
        "delta": words.number(finding.delta, ".0%"),
    }
    yield words("report.cascade.promised", sure=sure, **rates)
    counts = {"labelled": words.count(finding.labelled), "left_out": words.count(finding.left_out)}
    kind = "labels_left_out" if finding.left_out else "labels"
    yield words(f"report.cascade.{kind}", criteria=", ".join(finding.criteria), **counts)


def _saved(finding: Cascaded, words: Words) -> Iterator[str]:
    last, saved = finding.stages[-1].model, finding.saved
    if not finding.decisions:
        return
    yield words("report.cascade.calls", model=last, calls=words.count(saved.calls))
    alone = finding.tokens_of_last_alone
    if saved.tokens is None:
        yield words("report.cascade.no_tokens", why=words.reason(saved.why["tokens"]))
    elif alone is not None:
        others = ", ".join(
            words("report.cascade.took", model=name, tokens=words.count(_tokens(spent)))
            for name, spent in finding.spent.items()
            if name != last
        )
        tokens = {"saved": words.count(saved.tokens), "alone": words.count(alone)}
        yield words("report.cascade.tokens", model=last, others=others, **tokens)
    yield from _money(finding, last, words)


def _tokens(spent: Spent) -> int:
    """With replies that were there already, where others tell what they would have taken."""
    tokens = spent.tokens_for(spent.items)
    return spent.tokens if tokens is None else round(tokens)


def _money(finding: Cascaded, last: str, words: Words) -> Iterator[str]:
    """Nothing where nothing has a price."""
    alone, saved = finding.usd_of_last_alone, finding.saved
    if saved.usd is None or alone is None:
        yield words("report.cascade.no_usd", why=words.reason(saved.why["usd"]))
        return
    if not alone and not saved.usd:
        return
    kind = "usd_saved" if saved.usd >= 0 else "usd_in_vain"
    share = words.number(abs(saved.usd / alone), ".0%") if alone else "–"
    amounts = {"cost": alone - saved.usd, "alone": alone, "saved": abs(saved.usd)}
    shown = {name: f"${words.number(amount, '.4f')}" for name, amount in amounts.items()}
    yield words(f"report.cascade.{kind}", model=last, share=share, **shown)
    if any(spent.paid < spent.verdicts for spent in finding.spent.values()):
        yield words("report.cascade.in_full")


def _left(finding: Cascaded, words: Words, most: int) -> Iterator[Section]:
    if not finding.abstained:
        return
    last = next(stage for stage in reversed(finding.stages) if stage.reached)
    if last.why:
        why = words("report.cascade.nothing", model=last.model, why=words.reason(last.why))
    else:
        why = words("report.cascade.unsure")
    left = finding.to_label
    if left:
        named = ", ".join(_named(decision, words) for decision in left[:most])
        if len(left) > most:
            named = words("report.cascade.more", names=named, count=len(left) - most)
        line = words("report.cascade.label", names=named)
    else:
        line = words("report.cascade.all_labelled")
    labelled = len(finding.abstained) - len(left)
    done = [words("report.cascade.labelled", count=labelled)] if labelled and left else []
    title = words("report.cascade.to_people", n=len(finding.abstained))
    yield Section(title, [Lines([why, line, *done])])


def _named(decision: Decision, words: Words) -> str:
    sure = decision.confidence
    return decision.item if sure is None else f"{decision.item} ({words.number(sure, '.2f')})"


def cascade_rows(finding: Cascaded, *, left_only: bool = False) -> Iterator[Row]:
    """A row per item: who decided it, how sure it was and what it said; `left_only`: those that no
    model decided and nobody has labelled."""
    for decision in finding.to_label if left_only else finding.decisions:
        yield {
            "run": finding.run,
            "item": decision.item,
            "judge": finding.judge,
            "model": decision.by,
            "outcome": "scored" if decision.by else "abstained",
            "confidence": decision.confidence,
            "scores": {name: {"value": decision.values.get(name)} for name in finding.criteria},
        }


SHAPES: Shapes = {
    Cascaded: {
        **fields("run", "agree", "delta", "within", "criteria", "labelled", "left_out"),
        "items": lambda finding: len(finding.decisions),
        "decided": lambda finding: len(finding.decisions) - len(finding.abstained),
        "stages": "stages",
        "asked": lambda finding: {model: spent.items for model, spent in finding.spent.items()},
        **fields("usd", "usd_of_last_alone"),
        "tokens": lambda finding: {model: spent.tokens for model, spent in finding.spent.items()},
        **fields("tokens_of_last_alone", "saved"),
        "abstained": lambda finding: [decision.item for decision in finding.abstained],
        "to_label": lambda finding: [decision.item for decision in finding.to_label],
    }
}
