"""The verdicts of several judges or models made one, and the items that they disagree on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from adjudge.analysis.panel import Member, Panel, PanelCriterion, PanelWay, PanelWorth, SmallerPanel
from adjudge.stats.stat import Stat

from ..blocks import Block, Cell, Lines, Section, Table, Text, cut
from ..encode import Shapes, fields
from ..files.rows import Row
from ..words import Words

ROW_ENDINGS = (".csv", ".jsonl", ".json", ".parquet")


def panel(finding: Panel, words: Words, *, most: int = 10, members: bool = True) -> Section:
    """A row per criterion; then its `members` one by one, and the `most` items that they disagree
    on most."""
    table = words.table(
        "report.panel",
        finding.criteria.values(),
        criterion=lambda criterion: _title(criterion, words),
        how=lambda criterion: words(f"report.panel.by.{criterion.how}"),
        members=lambda criterion: str(len(criterion.members)),
        scored=lambda criterion: words.count(_scored(criterion)),
        mean=lambda criterion: words.on_scale(criterion.mean, criterion.scale),
        alpha=lambda criterion: words.plain(criterion.alpha),
        votes=lambda criterion: words.plain(_votes(criterion)),
    )
    blocks: list[Block] = [table, Lines([*_odd(finding, words)])]
    if members:
        for criterion in finding.criteria.values():
            blocks.append(_members(criterion, words))
            blocks += [_worth(criterion, criterion.worth, words)] if criterion.worth else []
    if most:
        blocks += _divided(finding, words, most)
    return Section(words("report.panel.heading"), blocks, "panel")


def _title(criterion: PanelCriterion, words: Words) -> str:
    return words.criterion(criterion.members[0].judge, criterion.name)


def _scored(criterion: PanelCriterion) -> int:
    return int(np.isfinite(criterion.values).sum())


def _votes(criterion: PanelCriterion) -> Stat:
    """From errors where labels show them, else from agreement."""
    return criterion.worth.votes if criterion.worth else criterion.votes


def _members(criterion: PanelCriterion, words: Words) -> Section:
    weighed = criterion.how == "weighted"
    head = words.all("report.panel", "member", "scored", "mean")
    head += [words("report.panel.weight")] if weighed else []
    head += [words("report.panel.kappa")] if criterion.kappa else []
    rows = []
    for member, name in zip(criterion.members, member_names(criterion.members, words), strict=True):
        row = [name, words.count(member.scored), words.on_scale(member.mean, criterion.scale)]
        row += [words.number(member.weight)] if weighed else []
        rows.append(row + ([words.plain(member.kappa)] if member.kappa else []))
    last = [
        words("report.divided.panel"),
        words.count(_scored(criterion)),
        words.on_scale(criterion.mean, criterion.scale),
    ]
    last += [""] if weighed else []
    rows.append(last + ([words.plain(criterion.kappa)] if criterion.kappa else []))
    title = words("report.panel.members_of", criterion=_title(criterion, words))
    return Section(title, [Table(head, rows)])


def _worth(criterion: PanelCriterion, worth: PanelWorth, words: Words) -> Section:
    """Each way of combining beside the best member, and what the cheapest part would do."""
    names = member_names(criterion.members, words)
    table = words.table(
        "report.panel",
        worth.ways,
        way=lambda way: words(f"report.panel.by.{way.how}"),
        shown=lambda way: words.number(way.shown),
        above=lambda way: words.signed(way.above),
        verdict=lambda way: words(f"report.panel.is_{way.verdict}"),
    )
    lines = [words(f"report.panel.measured_{worth.measure}", n=worth.items)]
    if worth.items:
        shown = words.number(worth.best_shown, ".2f")
        lines.append(words("report.panel.best", name=names[worth.best], shown=shown))
    compared = worth.ways[0].above.value is not None
    if not compared:
        why = words.reason(worth.ways[0].above.why)
        lines.append(words("report.panel.not_compared", why=why))
    last = Lines([_cheapest(worth.cheapest, names, words)] if compared else [])
    title = words("report.panel.worth", criterion=_title(criterion, words))
    return Section(title, [Lines(lines), table, last])


def _cheapest(smaller: SmallerPanel | None, names: list[str], words: Words) -> str:
    if smaller is None:
        return words("report.panel.all_needed")
    listed = ", ".join(names[at] for at in smaller.members)
    say = "report.panel.cheapest" if smaller.priced else "report.panel.smallest"
    return words(
        say,
        names=listed,
        above=words.signed(smaller.above),
        share=words.number(smaller.share, ".0%"),
    )


def _odd(finding: Panel, words: Words) -> Iterator[str]:
    """What votes rest on; what has no value, and why."""
    labelled = any(criterion.worth for criterion in finding.criteria.values())
    yield words("report.panel.by_errors" if labelled else "report.panel.by_agreement")
    for criterion in finding.criteria.values():
        title = _title(criterion, words)
        if criterion.alpha.value is None:
            yield words(
                "report.panel.no_alpha", criterion=title, why=words.reason(criterion.alpha.why)
            )
        if (why := _votes(criterion).why) is not None:
            yield words("report.panel.no_votes", criterion=title, why=words.reason(why))
        if criterion.few.any():
            counts = {"count": int(criterion.few.sum()), "members": len(criterion.members)}
            yield words("report.panel.few", criterion=title, **counts)
        if criterion.tied.any():
            yield words("report.panel.tied", criterion=title, count=int(criterion.tied.sum()))


def _divided(finding: Panel, words: Words, most: int) -> Iterator[Section]:
    """What each member gave, a row for each criterion that they are apart in; nothing where they
    agree on everything."""
    rows = []
    for place in finding.divided()[:most]:
        for criterion in finding.criteria.values():
            if criterion.disagreement[place] > 0:
                names = member_names(criterion.members, words)
                scores = zip(names, criterion.table[place].tolist(), strict=True)
                values = "; ".join(
                    f"{name}: {_value(criterion, value, words)}" for name, value in scores
                )
                value = _value(criterion, float(criterion.values[place]), words)
                item = finding.items[place]
                named = Cell(cut(item, 120), link="item", fields={"id": item})
                row: list[Text] = [named, _title(criterion, words), value]
                rows.append([*row, words.number(criterion.disagreement[place], ".2f"), values])
    if rows:
        head = words.all("report.divided", "item", "criterion", "panel", "apart", "given")
        lines = Lines([words("report.divided.told")])
        yield Section(words("report.divided.heading"), [lines, Table(head, rows)])


def _value(criterion: PanelCriterion, value: float, words: Words) -> str:
    shown = criterion.shown(round(value, 2))
    return "–" if shown is None else words.value(criterion.scale, shown)


def member_names(members: Iterable[Member], words: Words | None = None) -> list[str]:
    """The models, with their judges where there are several; in files always as in English."""
    listed = list(members)
    if len({member.judge for member in listed}) == 1:
        return [member.model for member in listed]
    grader = words.grader if words else "{} by {}".format
    return [grader(member.judge, member.model) for member in listed]


def panel_rows(finding: Panel, *, divided_first: bool = False) -> Iterator[Row]:
    """A row per item: the panel's value, how many members it rests on, and what each gave."""
    names = {name: member_names(criterion.members) for name, criterion in finding.criteria.items()}
    for place in finding.divided() if divided_first else range(len(finding.items)):
        yield {
            "run": finding.run,
            "item": finding.items[place],
            "scores": {
                name: _cells(criterion, place, names[name])
                for name, criterion in finding.criteria.items()
            },
        }


def _cells(criterion: PanelCriterion, place: int, names: list[str]) -> Row:
    scores = criterion.table[place].tolist()
    apart = float(criterion.disagreement[place])
    return {
        "value": criterion.shown(float(criterion.values[place])),
        "why": None if (why := criterion.why(place)) is None else str(why),
        "scored": int(np.isfinite(scores).sum()),
        "members": len(names),
        "disagreement": None if np.isnan(apart) else apart,
        "given": {name: criterion.shown(value) for name, value in zip(names, scores, strict=True)},
    }


def _named(criterion: PanelCriterion) -> Row | None:
    """What labels show, with the members' names in place of their places."""
    worth, names = criterion.worth, member_names(criterion.members)
    if worth is None:
        return None
    smaller = worth.cheapest
    return {
        "measure": worth.measure,
        "items": worth.items,
        "votes": worth.votes,
        "best": names[worth.best] if worth.items else None,
        "best_shown": worth.best_shown if worth.items else None,
        "ways": worth.ways,
        "cheapest": smaller
        and {
            "members": [names[at] for at in smaller.members],
            "above": smaller.above,
            "share": smaller.share,
            "priced": smaller.priced,
        },
    }


SHAPES: Shapes = {
    Panel: {"run": "run", "items": lambda finding: len(finding.items), "criteria": "criteria"},
    PanelCriterion: {
        "how": "how",
        "scored": _scored,
        "fewer_than_half": lambda criterion: int(criterion.few.sum()),
        "tied": lambda criterion: int(criterion.tied.sum()),
        **fields("mean", "alpha", "kappa", "members", votes_by_agreement="votes"),
        "worth": _named,
    },
    PanelWay: fields("how", "shown", "above", "verdict"),
}
