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
    found: Cascaded | None = None,
    most: int = 0,
) -> Section:
    """Of `items`, which model decided how many; `found` with what was promised and saved, and
    `most` of the items left to people by name."""
    blocks: list[Block] = [Lines([*_promise(found, words)])] if found else []
    names = ("reached", "decided", "threshold", "agreed", "bound")
    head = [words("common.model"), *words.all("report.cascade", *names)]
    blocks.append(Table(head, [_row(stage, words) for stage in stages]))
    asked = items - found.saved.items if found else stages[-1].reached
    blocks.append(Lines([*_outcome(stages, items, asked, words)]))
    if found is not None:
        blocks.append(Lines([*_saved(found, words)]))
        blocks += _left(found, words, most)
    return Section(words("report.cascade.heading"), blocks, "cascade")


def _row(stage: Stage, words: Words) -> list[str]:
    row = [stage.model, f"{stage.reached:,}", f"{stage.decided:,}"]
    if stage.threshold is None or stage.bound is None:
        return [*row, "–", "–", "–"]
    agreed = words("common.of", a=f"{stage.agreed:,}", b=f"{stage.n:,}")
    return [*row, f"{stage.threshold:.3g}", agreed, f"{stage.bound:.1%}"]


def _outcome(stages: Sequence[Stage], items: int, asked: int, words: Words) -> Iterator[str | Line]:
    for stage in stages:
        if stage.threshold is None:
            why = words.reason(stage.why)
            yield words("report.cascade.nothing", model=stage.model, why=why)
    left, last = items - sum(stage.decided for stage in stages), stages[-1]
    links = ("abstained",) if left else ()
    yield Line(words("report.cascade.left", left=f"{left:,}", items=f"{items:,}"), "", links)
    if items:
        share = f"{1 - asked / items:.1%}"
        counts = {"asked": f"{asked:,}", "share": share, "items": f"{items:,}"}
        yield words("report.cascade.saved", model=last.model, **counts)


def _promise(found: Cascaded, words: Words) -> Iterator[str]:
    sure = words("report.cascade.sure." + ("repeats" if found.by_repeats else "probability"))
    rates = {"agree": f"{found.agree:.0%}", "delta": f"{found.delta:.0%}"}
    yield words("report.cascade.promised", sure=sure, **rates)
    counts = {"labelled": f"{found.labelled:,}", "left_out": f"{found.left_out:,}"}
    kind = "labels_left_out" if found.left_out else "labels"
    yield words(f"report.cascade.{kind}", criteria=", ".join(found.criteria), **counts)


def _saved(found: Cascaded, words: Words) -> Iterator[str]:
    last, saved = found.stages[-1].model, found.saved
    if not found.decisions:
        return
    yield words("report.cascade.calls", model=last, calls=f"{saved.calls:,}")
    alone = found.tokens_of_last_alone
    if saved.tokens is None:
        yield words("report.cascade.no_tokens", why=words.reason(saved.why["tokens"]))
    elif alone is not None:
        others = ", ".join(
            words("report.cascade.took", model=name, tokens=f"{_tokens(spent):,}")
            for name, spent in found.spent.items()
            if name != last
        )
        tokens = {"saved": f"{saved.tokens:,}", "alone": f"{alone:,}"}
        yield words("report.cascade.tokens", model=last, others=others, **tokens)
    yield from _money(found, last, words)


def _tokens(spent: Spent) -> int:
    """With replies that were there already, where others tell what they would have taken."""
    tokens = spent.tokens_for(spent.items)
    return spent.tokens if tokens is None else round(tokens)


def _money(found: Cascaded, last: str, words: Words) -> Iterator[str]:
    """Nothing where nothing has a price."""
    alone, saved = found.usd_of_last_alone, found.saved
    if saved.usd is None or alone is None:
        yield words("report.cascade.no_usd", why=words.reason(saved.why["usd"]))
        return
    if not alone and not saved.usd:
        return
    kind = "usd_saved" if saved.usd >= 0 else "usd_in_vain"
    share = f"{abs(saved.usd / alone):.0%}" if alone else "–"
    amounts = {"cost": alone - saved.usd, "alone": alone, "saved": abs(saved.usd)}
    shown = {name: f"${amount:.4f}" for name, amount in amounts.items()}
    yield words(f"report.cascade.{kind}", model=last, share=share, **shown)
    if any(each.paid < each.verdicts for each in found.spent.values()):
        yield words("report.cascade.in_full")


def _left(found: Cascaded, words: Words, most: int) -> Iterator[Section]:
    if not found.abstained:
        return
    last = next(stage for stage in reversed(found.stages) if stage.reached)
    if last.why:
        why = words("report.cascade.nothing", model=last.model, why=words.reason(last.why))
    else:
        why = words("report.cascade.unsure")
    left = found.to_label
    if left:
        named = ", ".join(_named(each) for each in left[:most])
        if len(left) > most:
            named = words("report.cascade.more", names=named, count=len(left) - most)
        line = words("report.cascade.label", names=named)
    else:
        line = words("report.cascade.all_labelled")
    labelled = len(found.abstained) - len(left)
    done = [words("report.cascade.labelled", count=labelled)] if labelled and left else []
    title = words("report.cascade.to_people", n=len(found.abstained))
    yield Section(title, [Lines([why, line, *done])])


def _named(each: Decision) -> str:
    return each.item if each.confidence is None else f"{each.item} ({each.confidence:.2f})"


def cascade_rows(found: Cascaded, *, left_only: bool = False) -> Iterator[Row]:
    """A row per item: who decided it, how sure it was and what it said; `left_only`: those that no
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


SHAPES: Shapes = {
    Cascaded: {
        **fields("run", "agree", "delta", "within", "criteria", "labelled", "left_out"),
        "items": lambda found: len(found.decisions),
        "decided": lambda found: len(found.decisions) - len(found.abstained),
        "stages": "stages",
        "asked": lambda found: {model: spent.items for model, spent in found.spent.items()},
        **fields("usd", "usd_of_last_alone"),
        "tokens": lambda found: {model: spent.tokens for model, spent in found.spent.items()},
        **fields("tokens_of_last_alone", "saved"),
        "abstained": lambda found: [each.item for each in found.abstained],
        "to_label": lambda found: [each.item for each in found.to_label],
    },
}
