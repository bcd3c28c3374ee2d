"""The items that the members of a panel disagree on most."""

from __future__ import annotations

from collections.abc import Iterator

from adjudge.analysis.paneled import Panel, PanelCriterion

from ...page import Heading, Lines, Table, cut
from ...panel import member_names
from ...strings import Strings
from ..blocks import Part, Tongue
from ..findings import RunFindings
from ..values import value_name

_MOST = 10


def divided(run: RunFindings, found: Panel, tongue: Tongue) -> Iterator[Part]:
    """What each member gave, a row for each criterion that they are apart in; nothing where they
    agree on everything."""
    say = tongue.say
    rows = []
    for place in found.divided()[:_MOST]:
        for each in found.criteria.values():
            if each.disagreement[place] > 0:
                title = run.title(each.members[0].judge, each.name)
                item = cut(found.items[place], 120)
                rows.append([item, title, *_cells(each, place, say)])
    if not rows:
        return
    names = ("item", "criterion", "panel", "apart", "given")
    yield Heading(say("report.divided.heading"), tongue.level + 1)
    yield Lines([say("report.divided.told")])
    yield Table([say(f"report.divided.{name}") for name in names], rows)


def _cells(each: PanelCriterion, place: int, say: Strings) -> list[str]:
    members = zip(member_names(each.members), each.table[place].tolist(), strict=True)
    given = "; ".join(f"{name}: {_value(each, value, say)}" for name, value in members)
    panel = _value(each, float(each.values[place]), say)
    return [panel, f"{each.disagreement[place]:.2f}", given]


def _value(each: PanelCriterion, value: float, say: Strings) -> str:
    shown = each.shown(round(value, 2))
    return say("report.dash") if shown is None else value_name(say, each.scale, shown)
