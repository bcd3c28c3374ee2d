"""A comparison of two runs as a page."""

from __future__ import annotations

from collections.abc import Iterator

from adjudge.analysis.comparison import (
    Changes,
    Comparison,
    Difference,
    Missing,
    Mover,
    Section,
    Slice,
)

from .figures import number, p_value, percent, signed
from .page import Block, Heading, Lines, Said, Table

_LIKELY = 0.05  # p above which chance alone would easily make the difference


def comparison_page(comparison: Comparison) -> list[Block]:
    """Differences are B minus A throughout."""
    blocks: list[Block] = []
    for section in comparison.sections:
        blocks += _section(comparison, section)
    return blocks


def _section(comparison: Comparison, section: Section) -> Iterator[Block]:
    yield Heading(f"B {comparison.run_b} against A {comparison.run_a}")
    one = f"A: {section.judge_a} by {section.model_a}"
    other = f"B: {section.judge_b} by {section.model_b}"
    alone = section.only_a + section.only_b
    left = f"; {section.only_a} in A alone and {section.only_b} in B alone are not compared"
    yield Lines(
        [
            f"{one}; {other}.",
            f"What differs: {'; '.join(section.differs) or 'nothing that the runs record'}.",
            f"{section.shared} items are in both runs{left if alone else ''}.",
            *(f"Caution: {line}" for line in section.cautions),
            *(f"Not compared: {name}: {why}." for name, why in section.left_out.items()),
        ]
    )
    numbers = {k: v for k, v in section.criteria.items() if isinstance(v, Difference)}
    if numbers:
        head = ["criterion", "pairs", "A", "B", "B − A", "p", "p (Holm)", "higher/equal/lower"]
        rows = [_row(name, each) for name, each in numbers.items()]
        yield Table([*head, "unscored"], rows)
        yield Lines([line for name, each in numbers.items() for line in _words(name, each)])
    for name, told in section.criteria.items():
        if isinstance(told, Changes):
            yield from _changes(name, told)
        yield from _slices(name, told.slices)
        yield from _movers(name, told.movers)


def _row(name: str, told: Difference) -> list[str]:
    paired = told.paired
    counts = f"{paired.wins}/{paired.ties}/{paired.losses}"
    means = [number(told.mean_a), number(told.mean_b), signed(paired.difference)]
    tests = [p_value(paired.p), p_value(told.adjusted)]
    return [name, str(paired.n), *means, *tests, counts, _missing(told.missing)]


def _missing(missing: Missing) -> str:
    if not missing.total:
        return "0"
    return f"{missing.total} (A {missing.a}, B {missing.b}, both {missing.both})"


def _words(name: str, told: Difference) -> Iterator[str]:
    low, high = told.span
    if told.rescaled:
        yield f"{name}: the two runs use different scales, so the figures are shares of each, 0–1."
    yield f"{name}: {_finding(told)}"
    if told.missing.total:
        yield (
            f"{name}: were the {told.missing.total} items without a pair scored at an end of the"
            f" scale ({low:g} or {high:g}), the difference would lie between"
            f" {told.bounds[0]:+.2f} and {told.bounds[1]:+.2f}."
        )
    found = told.detection
    if found is not None and found.power is not None:
        needed = "more than can be had" if found.pairs is None else f"{found.pairs:,} pairs"
        yield (
            f"{name}: a true difference of {found.difference:g} would show with a chance of"
            f" {found.power:.0%} on these {told.paired.n} pairs; a chance of 80% takes {needed}."
        )
    elif found is not None:
        yield f"{name}: {found.why}."


def _finding(told: Difference) -> str:
    paired, unit = told.paired, told.unit.value
    value = paired.difference.value
    if value is None or unit is None or paired.p is None:
        return f"no difference can be told: {paired.difference.why}."
    p = paired.p if told.adjusted is None else told.adjusted
    if p > _LIKELY:
        return (
            f"no difference beyond what chance would do (p {p_value(p)}); that is no proof that"
            " there is none, see the interval."
        )
    which = "higher" if value > 0 else "lower"
    size = f"{abs(value):.2f}, or {abs(unit):.0%} of the scale"
    return f"B is {which} by {size}; chance alone would hardly do that (p {p_value(p)})."


def _changes(name: str, told: Changes) -> Iterator[Block]:
    share = f"{told.changed} of {told.n} items have another value in B, {percent(told.share)}"
    yield Lines([f"{name}: {share}; unscored: {_missing(told.missing)}."])
    yield Table(
        ["value", "A", "B", "B − A", "p", "p (Holm)"],
        [
            [
                option,
                f"{a:.0%}",
                f"{b:.0%}",
                signed(paired.difference),
                p_value(paired.p),
                p_value(told.adjusted.get(option)),
            ]
            for option, (a, b, paired) in told.options.items()
        ],
    )
    moves = [[f"{a} → {b}", str(count)] for (a, b), count in told.moves.items()]
    yield Table(["from A to B", "items"], moves)


def _slices(name: str, slices: tuple[Slice, ...]) -> Iterator[Block]:
    if not slices:
        return
    yield Heading(f"{name} by slice")
    yield Table(
        ["column", "value", "pairs", "B − A", "p", "p (Holm)"],
        [
            [
                each.column,
                each.value,
                str(each.n),
                signed(each.difference),
                p_value(each.p),
                p_value(each.adjusted),
            ]
            for each in slices
        ],
    )
    yield Lines(["Read p (Holm): it allows for all slices of all criteria being looked at."])


def _movers(name: str, movers: tuple[Mover, ...]) -> Iterator[Block]:
    if not movers:
        return
    yield Heading(f"{name}: the items that moved most")
    for each in movers:
        yield Said(f"{each.item}  A {number(each.a)}", each.why_a or "(no explanation)")
        yield Said(f"{each.item}  B {number(each.b)}", each.why_b or "(no explanation)")
