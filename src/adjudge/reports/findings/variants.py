"""Judges and models beside the same labels: which one to use."""

from __future__ import annotations

from collections.abc import Iterator

from adjudge.analysis.variants import CriterionVariants, Variant, Variants

from ..blocks import Block, Lines, Section
from ..encode import Shapes, fields
from ..figures import number, p_value, plain, signed
from ..files.rows import Row
from ..words import Words

ROW_ENDINGS = (".csv", ".jsonl", ".json", ".parquet")


def variants(finding: Variants, words: Words) -> list[Section]:
    """A section per criterion: a row per variant, the best first, and what follows."""
    sections = [_criterion(criterion, words) for criterion in finding.criteria.values()]
    for name, why in finding.left_out.items():
        line = words("report.variants.left_out", name=name, why=words.reason(why))
        sections.append(Section(words("report.variants.title", criterion=name), [Lines([line])]))
    return sections


def _criterion(criterion: CriterionVariants, words: Words) -> Section:
    title = words.criterion(criterion.best.judge, criterion.name)
    several = any(variant.flips is not None for variant in criterion.variants)
    table = words.table(
        "report.variants",
        criterion.variants,
        variant=lambda one: words.grader(one.judge, one.model),
        agreement=lambda one: plain(one.agreement),
        bias=lambda one: signed(one.bias),
        unscored=lambda one: f"{one.unscored:,}",
        cost=lambda one: number(one.cost),
        seconds=lambda one: number(one.seconds),
        flips=(lambda one: _share(one.flips)) if several else None,
        p=lambda one: p_value(one.p),
    )
    items = words("report.variants.items", n=criterion.items, measure=criterion.measure)
    heading = words("report.variants.title", criterion=title)
    lines = [items]
    if criterion.split:
        lines.append(words("report.people.split", criterion=title, count=criterion.split))
    blocks: list[Block] = [Lines(lines), table, Lines([*_conclusions(criterion, words)])]
    return Section(heading, blocks, f"variants-{criterion.name}")


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.0%}"


def _conclusions(criterion: CriterionVariants, words: Words) -> Iterator[str]:
    best, corrected = criterion.best, criterion.corrected
    name = {"name": words.grader(best.judge, best.model), "shown": number(best.agreement.value)}
    if corrected.value is None:
        unknown = words.reason(corrected.why)
        yield words("report.variants.not_corrected", **name, why=unknown)
    else:
        yield words("report.variants.best", **name, corrected=plain(corrected))
    if criterion.decided:
        yield words("report.variants.decided", names=", ".join(criterion.decided))
    else:
        yield words("report.variants.undecided")
    if criterion.cheapest is not None:
        yield words("report.variants.cheapest", name=criterion.cheapest)
    else:
        yield words("report.variants.no_prices")
    for left, why in criterion.left_out.items():
        yield words("report.variants.left_out", name=left, why=words.reason(why))


def variant_rows(finding: Variants) -> Iterator[Row]:
    """A row per criterion and variant."""
    for name, criterion in finding.criteria.items():
        for variant in criterion.variants:
            yield {
                "run": finding.run,
                "criterion": name,
                "measure": criterion.measure,
                "items": criterion.items,
                "judge": variant.judge,
                "model": variant.model,
                "agreement": variant.agreement.as_dict(),
                "bias": variant.bias.as_dict(),
                "unscored": variant.unscored,
                "cost_usd": variant.cost,
                "seconds": variant.seconds,
                "flips": variant.flips,
                "p": variant.p,
            }


SHAPES: Shapes = {
    CriterionVariants: {
        **fields("measure", "items", "split", "variants", "corrected"),
        **fields("decided", "cheapest", "left_out"),
        "best": lambda criterion: criterion.best.name,
    },
    Variant: {
        **fields("judge", "model", "agreement", "bias", "unscored"),
        **fields("seconds", "flips", "p", cost_usd="cost"),
    },
}
