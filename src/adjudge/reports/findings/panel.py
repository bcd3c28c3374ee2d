"""The verdicts of several judges or models made one, and the items that they disagree on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from adjudge.analysis.panel import Member, Panel, PanelCriterion

from ..blocks import Block, Cell, Lines, Section, Table, Text, cut
from ..encode import Shapes, fields
from ..figures import number, plain
from ..files.rows import Row
from ..words import Words

ROW_ENDINGS = (".csv", ".jsonl", ".json", ".parquet")


def panel(
    found: Panel,
    words: Words,
    called: Callable[[str, str], str] = lambda _, name: name,
    *,
    most: int = 10,
    members: bool = True,
) -> Section:
    """A row per criterion; then its `members` one by one, and the `most` items that they disagree
    on most. `called` gives what a judge's criterion is called."""
    head = words.all("report.panel", "how", "members", "scored", "mean", "alpha")
    rows = [
        [
            _title(each, called),
            words(f"report.panel.by.{each.how}"),
            str(len(each.members)),
            f"{_scored(each):,}",
            plain(each.mean),
            plain(each.alpha),
        ]
        for each in found.criteria.values()
    ]
    blocks: list[Block] = [Table([words("common.criterion"), *head], rows)]
    blocks += [Lines([*_odd(found, words, called)])]
    if members:
        blocks += [_members(each, words, called) for each in found.criteria.values()]
    if most:
        blocks += _divided(found, words, called, most)
    return Section(words("report.panel.heading"), blocks, "panel")


def _title(each: PanelCriterion, called: Callable[[str, str], str]) -> str:
    return called(each.members[0].judge, each.name)


def _scored(each: PanelCriterion) -> int:
    return int(np.isfinite(each.values).sum())


def _members(each: PanelCriterion, words: Words, called: Callable[[str, str], str]) -> Section:
    weighed = each.how == "weighted"
    head = words.all("report.panel", "member", "scored", "mean")
    head += [words("report.panel.weight")] if weighed else []
    head += [words("report.panel.kappa")] if each.kappa else []
    rows = []
    for member, name in zip(each.members, member_names(each.members, words), strict=True):
        row = [name, f"{member.scored:,}", plain(member.mean)]
        row += [number(member.weight)] if weighed else []
        rows.append(row + ([plain(member.kappa)] if member.kappa else []))
    last = [words("report.divided.panel"), f"{_scored(each):,}", plain(each.mean)]
    last += [""] if weighed else []
    rows.append(last + ([plain(each.kappa)] if each.kappa else []))
    title = words("report.panel.members_of", criterion=_title(each, called))
    return Section(title, [Table(head, rows)])


def _odd(found: Panel, words: Words, called: Callable[[str, str], str]) -> Iterator[str]:
    """What has no value, and why."""
    for each in found.criteria.values():
        title = _title(each, called)
        if each.alpha.value is None:
            yield words("report.panel.no_alpha", criterion=title, why=words.reason(each.alpha.why))
        if each.few.any():
            counts = {"count": int(each.few.sum()), "members": len(each.members)}
            yield words("report.panel.few", criterion=title, **counts)
        if each.tied.any():
            yield words("report.panel.tied", criterion=title, count=int(each.tied.sum()))


def _divided(
    found: Panel, words: Words, called: Callable[[str, str], str], most: int
) -> Iterator[Section]:
    """What each member gave, a row for each criterion that they are apart in; nothing where they
    agree on everything."""
    rows = []
    for place in found.divided()[:most]:
        for each in found.criteria.values():
            if each.disagreement[place] > 0:
                names = member_names(each.members, words)
                given = zip(names, each.table[place].tolist(), strict=True)
                values = "; ".join(f"{name}: {_value(each, value, words)}" for name, value in given)
                value = _value(each, float(each.values[place]), words)
                item = found.items[place]
                named = Cell(cut(item, 120), link="item", fields={"id": item})
                row: list[Text] = [named, _title(each, called), value]
                rows.append([*row, f"{each.disagreement[place]:.2f}", values])
    if rows:
        head = words.all("report.divided", "item", "criterion", "panel", "apart", "given")
        lines = Lines([words("report.divided.told")])
        yield Section(words("report.divided.heading"), [lines, Table(head, rows)])


def _value(each: PanelCriterion, value: float, words: Words) -> str:
    shown = each.shown(round(value, 2))
    return "–" if shown is None else words.value(each.scale, shown)


def member_names(members: Iterable[Member], words: Words | None = None) -> list[str]:
    """The models, with their judges where there are several; in files always as in English."""
    listed = list(members)
    if len({member.judge for member in listed}) == 1:
        return [each.model for each in listed]
    grader = words.grader if words else "{} by {}".format
    return [grader(each.judge, each.model) for each in listed]


def panel_rows(found: Panel, *, divided_first: bool = False) -> Iterator[Row]:
    """A row per item: the panel's value, how many members it rests on, and what each gave."""
    names = {name: member_names(each.members) for name, each in found.criteria.items()}
    for place in found.divided() if divided_first else range(len(found.items)):
        yield {
            "run": found.run,
            "item": found.items[place],
            "scores": {
                name: _cells(each, place, names[name]) for name, each in found.criteria.items()
            },
        }


def _cells(each: PanelCriterion, place: int, names: list[str]) -> Row:
    given = each.table[place].tolist()
    apart = float(each.disagreement[place])
    return {
        "value": each.shown(float(each.values[place])),
        "why": None if (why := each.why(place)) is None else str(why),
        "scored": int(np.isfinite(given).sum()),
        "members": len(names),
        "disagreement": None if np.isnan(apart) else apart,
        "given": {name: each.shown(value) for name, value in zip(names, given, strict=True)},
    }


SHAPES: Shapes = {
    Panel: {"run": "run", "items": lambda found: len(found.items), "criteria": "criteria"},
    PanelCriterion: {
        "how": "how",
        "scored": _scored,
        "fewer_than_half": lambda each: int(each.few.sum()),
        "tied": lambda each: int(each.tied.sum()),
        **fields("mean", "alpha", "kappa", "members"),
    },
    Member: fields("judge", "model", "scored", "mean", "weight", "kappa"),
}
