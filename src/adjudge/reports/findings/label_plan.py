"""How many labels to give next, of which items, and what random drawing would take."""

from __future__ import annotations

from collections.abc import Iterator

from adjudge.analysis.labelling.plan_findings import CriterionPlan, LabelPlan
from adjudge.core.label import stratum_of
from adjudge.stats.ppi import LabelsNeeded

from ..blocks import Block, Lines, Section
from ..encode import Shapes, fields
from ..figures import number, plain
from ..files.rows import Row
from ..words import Words

ROW_ENDINGS = (".csv", ".jsonl", ".json")
_WORTH = 0.1  # labels saved below which a plan is not worth its trouble


def label_plan(plan: LabelPlan, words: Words) -> Section:
    """What to label in words, a row per criterion, and a row per stratum."""
    blocks: list[Block] = [Lines([*_sentences(plan, words)])]
    if plan.criteria:
        blocks.append(
            words.table(
                "report.plan",
                plan.criteria,
                criterion=lambda one: words.criterion(plan.judge, one.name),
                labelled=lambda one: f"{one.labelled:,}",
                now=lambda one: plain(one.now),
                width=lambda one: number(one.width),
                further=lambda one: _count(one.plan),
                random=lambda one: _count(one.random),
                alone=lambda one: f"{one.alone:,}" if plan.against is None else "–",
            )
        )
    if plan.strata:
        blocks.append(
            words.table(
                "report.plan",
                plan.strata,
                stratum=lambda one: str(one.number),
                slice=(lambda one: ", ".join(one.slices))
                if any(one.slices for one in plan.strata)
                else None,
                score=(lambda one: f"{one.low:.2f}–{one.high:.2f}")
                if plan.against is None
                else None,
                gap=(lambda one: f"{one.low:+.2f} … {one.high:+.2f}") if plan.against else None,
                apart=(lambda one: "–" if one.apart is None else number(one.apart))
                if any(one.apart is not None for one in plan.strata)
                else None,
                items=lambda one: f"{one.items:,}",
                labelled=lambda one: f"{one.labelled:,}",
                more=lambda one: f"{one.further:,}",
            )
        )
    return Section(words("report.plan.title", judge=plan.judge), blocks, "plan")


def _sentences(plan: LabelPlan, words: Words) -> Iterator[str]:
    if plan.pilot is not None:
        yield words.reason(plan.pilot)
        if plan.items:
            yield words("report.plan.first", n=len(plan.items))
    else:
        if plan.against is not None:
            yield words("report.plan.differ", n=plan.rows, other=plan.against)
        if all(one.plan.further is not None for one in plan.criteria):
            yield words("report.plan.needed", n=plan.further)
        for one in plan.criteria:
            yield from _about(plan, one, words)
    if plan.items:
        yield words("report.plan.next", run=plan.run)


def _about(plan: LabelPlan, one: CriterionPlan, words: Words) -> Iterator[str]:
    name = words.criterion(plan.judge, one.name)
    low, high = one.now.low, one.now.high
    if plan.against is not None and low is not None and high is not None and low * high > 0:
        yield words(f"report.plan.{'first_nearer' if low > 0 else 'second_nearer'}", name=name)
        return
    if plan.against is not None:
        yield words("report.plan.undecided", name=name)
    if one.plan.further is None:
        key = "cannot" if plan.against is None else "stays_open"
        yield words(f"report.plan.{key}", name=name, why=words.reason(one.plan.why))
    elif one.plan.further and one.saved is not None:
        kind = "saves" if one.saved >= _WORTH else "no_help"
        shares = {"share": f"{max(0, one.saved):.0%}", "labelled": f"{one.labelled:,}"}
        yield words(f"report.plan.{kind}", name=name, **shares)


def _count(needed: LabelsNeeded) -> str:
    return "–" if needed.further is None else f"{needed.further:,}"


def plan_rows(plan: LabelPlan) -> Iterator[Row]:
    """A row per item to be filled in, as `calibrate --labels` reads it; those that the plan builds
    on have their values. `weight` is how many items a label of each stands for."""
    counts: dict[str, int] = {}
    for draw in plan.draws.values():
        counts[draw] = counts.get(draw, 0) + 1
    for item, draw in plan.draws.items():
        stratum = stratum_of(draw)
        weight = (stratum[1] if stratum else plan.rows) / counts[draw]
        cells = {name: plan.values.get((item, name)) for name in plan.names}
        yield {"item": item, "draw": draw, "weight": round(weight, 6), **cells}


SHAPES: Shapes = {
    LabelPlan: fields("run", "judge", "against", "confidence", "further", "criteria", "strata",
                      "items", "pilot", considered="rows"),
    CriterionPlan: fields("labelled", "now", "width", "plan", "random", "alone", "saved",
                          criterion="name"),
}  # fmt: skip
