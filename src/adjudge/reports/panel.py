"""A panel for people, as plain values and as rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from adjudge.analysis.paneled import Member, Panel, PanelCriterion

from .figures import number, plain
from .page import Block, Heading, Lines, Table
from .rows import Row

ENDINGS = (".csv", ".jsonl", ".json", ".parquet")
_HOW = {
    "mean": "the mean of its members",
    "median": "the median of its members",
    "trimmed": "the mean of its members without the lowest and the highest",
    "majority": "what most of its members say",
    "weighted": "its members weighed by their agreement with people",
}


def panel_page(found: Panel, most: int) -> list[Block]:
    """Members and panel a criterion, then the `most` items that they disagree on most."""
    blocks: list[Block] = [Lines([f"panel of run {found.run}: {len(found.items)} items"])]
    for each in found.criteria.values():
        blocks += _criterion(each)
    return [*blocks, *_divided(found, most)]


def panel_summary(found: Panel) -> list[Block]:
    """A line a criterion, for below a run's own table."""
    rows = [
        [
            each.name,
            each.how,
            str(len(each.members)),
            str(int(np.isfinite(each.values).sum())),
            plain(each.mean),
            plain(each.alpha),
        ]
        for each in found.criteria.values()
    ]
    head = ["criterion", "made one by", "members", "scored", "mean", "alpha among members"]
    return [
        Heading("the panel's verdicts made one"),
        Table(head, rows),
        Lines([f"item by item: adjudge panel {found.run}"]),
    ]


def _criterion(each: PanelCriterion) -> Iterator[Block]:
    yield Heading(f"{each.name}: {_HOW[each.how]}")
    weighed = each.how == "weighted"
    head = ["member", "scored", "mean", *(["weight"] if weighed else [])]
    head += ["kappa with people"] if each.kappa else []
    rows = []
    for member, name in zip(each.members, member_names(each.members), strict=True):
        row = [name, str(member.scored), plain(member.mean)]
        row += [number(member.weight)] if weighed else []
        rows.append(row + ([plain(member.kappa)] if member.kappa else []))
    scored = int(np.isfinite(each.values).sum())
    last = ["panel", str(scored), plain(each.mean), *([""] if weighed else [])]
    yield Table(head, [*rows, last + ([plain(each.kappa)] if each.kappa else [])])
    said = f"among members: Krippendorff's alpha {plain(each.alpha)}"
    if each.alpha.value is None:
        said = f"among members: no alpha, {each.alpha.why}"
    yield Lines([said, *_without_value(each)])


def _without_value(each: PanelCriterion) -> Iterator[str]:
    if each.few.any():
        yield (
            f"{int(each.few.sum())} items have no value: fewer than half of {len(each.members)}"
            " members scored them"
        )
    if each.tied.any():
        yield f"{int(each.tied.sum())} items have no value: two values have as many votes"


def _divided(found: Panel, most: int) -> Iterator[Block]:
    places = [
        place
        for place in found.divided()[:most]
        if any(each.disagreement[place] > 0 for each in found.criteria.values())
    ]
    if not places:
        return
    yield Heading("where members disagree most")
    rows = []
    for place in places:
        for each in found.criteria.values():
            if not each.disagreement[place] > 0:
                continue
            given = ", ".join(_value(each.shown(value)) for value in each.table[place])
            value = _value(each.shown(each.values[place]))
            apart = f"{each.disagreement[place]:.2f}"
            rows.append([found.items[place], each.name, value, given, apart])
    yield Table(["item", "criterion", "panel", "members", "disagreement"], rows)


def _value(value: object) -> str:
    return f"{value:.3g}" if isinstance(value, float) else "–" if value is None else str(value)


def member_names(members: Iterable[Member]) -> list[str]:
    """The models, with their judges where there are several."""
    given = list(members)
    several = len({member.judge for member in given}) > 1
    return [f"{each.judge} by {each.model}" if several else each.model for each in given]


def panel_dict(found: Panel) -> Row:
    """The object that `--json` prints."""
    return {
        "run": found.run,
        "items": len(found.items),
        "criteria": {name: _criterion_dict(each) for name, each in found.criteria.items()},
    }


def _criterion_dict(each: PanelCriterion) -> Row:
    return {
        "how": each.how,
        "scored": int(np.isfinite(each.values).sum()),
        "fewer_than_half": int(each.few.sum()),
        "tied": int(each.tied.sum()),
        "mean": each.mean.as_dict(),
        "alpha": each.alpha.as_dict(),
        "kappa": each.kappa.as_dict() if each.kappa else None,
        "members": [
            {
                "judge": member.judge,
                "model": member.model,
                "scored": member.scored,
                "mean": member.mean.as_dict(),
                "weight": member.weight,
                "kappa": member.kappa.as_dict() if member.kappa else None,
            }
            for member in each.members
        ],
    }


def panel_rows(found: Panel, *, divided_first: bool = False) -> Iterator[Row]:
    """A row an item: the panel's value, how many members it rests on, and what each gave."""
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
        "why": each.why(place),
        "scored": int(np.isfinite(given).sum()),
        "members": len(names),
        "disagreement": None if np.isnan(apart) else apart,
        "given": {name: each.shown(value) for name, value in zip(names, given, strict=True)},
    }
