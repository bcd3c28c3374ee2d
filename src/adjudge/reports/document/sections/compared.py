"""What changed from one run to the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from adjudge.analysis.comparison import (
    Changes,
    Comparison,
    Difference,
    Missing,
    Mover,
    Section,
    Slice,
)

from ...figures import number, p_value, percent, signed
from ...page import Heading, Lines, Said, Table
from ...reasons import reason
from ...strings import Strings
from ..blocks import Part, Plot, Tongue
from ..charts import Called, differences_chart
from ..findings import RunFindings
from ..values import name_of

_LIKELY = 0.05  # p above which chance alone would easily make the difference


def compared(found: Comparison, a: RunFindings, tongue: Tongue) -> Iterator[Part]:
    """A part for each judge and model that both runs have; differences are B minus A, and criteria
    are called as in A."""
    yield Heading(tongue.say("report.compared.heading"), tongue.level)
    for section in found.sections:
        yield from _section(section, partial(a.title, section.judge_a), tongue)


def _section(section: Section, called: Called, tongue: Tongue) -> Iterator[Part]:
    say = tongue.say
    sides = {name: getattr(section, name) for name in ("judge_a", "model_a", "judge_b", "model_b")}
    counts = {name: getattr(section, name) for name in ("shared", "only_a", "only_b")}
    yield Lines([say("report.compared.sides", **sides), say("report.compared.shared", **counts)])
    yield from _circumstances(section, called, say)
    yield Plot(partial(differences_chart, say, section, called))
    titled = [(called(name), told) for name, told in section.criteria.items()]
    numbers = [(name, told) for name, told in titled if isinstance(told, Difference)]
    yield _table(numbers, say)
    yield Lines([line for name, each in numbers for line in difference_words(name, each, say)])
    yield Lines([_bounds(name, each, say) for name, each in numbers if each.missing.total])
    for name, told in titled:
        if isinstance(told, Changes):
            yield from _changes(name, told, say)
        yield from _slices(name, told.slices, tongue)
        yield from _movers(name, told.movers, tongue)


def _circumstances(section: Section, called: Called, say: Strings) -> Iterator[Part]:
    what = "; ".join(reason(say, each) for each in section.differs)
    lines = [say("report.compared.differs", what=what or say("report.compared.same"))]
    lines += [say("report.compared.caution", what=reason(say, line)) for line in section.cautions]
    for name, why in section.left_out.items():
        lines.append(say("report.compared.left_out", name=called(name), why=reason(say, why)))
    yield Lines(lines)


def _table(numbers: Sequence[tuple[str, Difference]], say: Strings) -> Table:
    names = ("wins", "p", "holm", "unscored")
    head = [say("report.scores.criterion"), say("report.compared.pairs"), "A", "B", "B − A"]
    rows = []
    for name, told in numbers:
        paired = told.paired
        counts = f"{paired.wins}/{paired.ties}/{paired.losses}"
        row = [name, f"{paired.n:,}", number(told.mean_a), number(told.mean_b)]
        row += [signed(paired.difference), counts, p_value(paired.p), p_value(told.adjusted)]
        rows.append([*row, _missing(told.missing, say)])
    return Table([*head, *(say(f"report.compared.{name}") for name in names)], rows)


def _missing(missing: Missing, say: Strings) -> str:
    if not missing.total:
        return "0"
    counts = {"a": missing.a, "b": missing.b, "both": missing.both}
    return say("report.compared.missing", total=missing.total, **counts)


def difference_words(name: str, told: Difference, say: Strings) -> Iterator[str]:
    """What the figures come to, in sentences."""
    if told.rescaled:
        yield say("report.compared.rescaled", name=name)
    value, unit = told.paired.difference.value, told.unit.value
    p = told.paired.p if told.adjusted is None else told.adjusted
    if value is None or unit is None or p is None:
        why = reason(say, told.paired.difference.why or "")
        yield say("report.compared.unknown", name=name, why=why)
    elif p > _LIKELY:
        yield say("report.compared.chance", name=name, p=p_value(p))
    else:
        way = "higher" if value > 0 else "lower"
        size = {"size": f"{abs(value):.2f}", "share": f"{abs(unit):.0%}"}
        yield say(f"report.compared.{way}", name=name, p=p_value(p), **size)


def _bounds(name: str, told: Difference, say: Strings) -> str:
    """What the unscored items could make of the difference."""
    (low, high), (worst, best) = told.span, told.bounds
    ends = {"low": f"{low:g}", "high": f"{high:g}"}
    found = {"worst": f"{worst:+.2f}", "best": f"{best:+.2f}"}
    return say("report.compared.bounds", name=name, n=told.missing.total, **ends, **found)


def _changes(name: str, told: Changes, say: Strings) -> Iterator[Part]:
    changed = say(
        "report.compared.changed",
        name=name,
        changed=told.changed,
        n=told.n,
        share=percent(told.share),
    )
    yield Lines([changed])
    names = ("p", "holm", "unscored")
    head = [say("report.compared.value"), "A", "B", "B − A"]
    rows = []
    for option, (a, b, paired) in told.options.items():
        row = [name_of(say, option), f"{a:.0%}", f"{b:.0%}", signed(paired.difference)]
        row += [p_value(paired.p), p_value(told.adjusted.get(option))]
        rows.append([*row, _missing(told.missing, say)])
    yield Table([*head, *(say(f"report.compared.{name}") for name in names)], rows)
    moves = [
        [f"{name_of(say, a)} → {name_of(say, b)}", f"{count:,}"]
        for (a, b), count in told.moves.items()
    ]
    yield Table([say("report.compared.moves"), say("report.slices.items")], moves)


def _slices(name: str, slices: tuple[Slice, ...], tongue: Tongue) -> Iterator[Part]:
    say = tongue.say
    for column in dict.fromkeys(each.column for each in slices):
        yield Heading(say("report.compared.slices", name=name, column=column), tongue.level + 1)
        head = [say("report.slices.value"), say("report.compared.pairs"), "B − A"]
        yield Table(
            [*head, say("report.compared.p"), say("report.compared.holm")],
            [
                [
                    each.value,
                    f"{each.n:,}",
                    signed(each.difference),
                    p_value(each.p),
                    p_value(each.adjusted),
                ]
                for each in slices
                if each.column == column
            ],
        )


def _movers(name: str, movers: tuple[Mover, ...], tongue: Tongue) -> Iterator[Part]:
    say = tongue.say
    if not movers:
        return
    yield Heading(say("report.compared.movers", name=name), tongue.level + 1)
    for each in movers:
        a, b = (name_of(say, number(value)) for value in (each.a, each.b))
        title = say("report.compared.mover", item=each.item, a=a, b=b)
        yield Heading(title, tongue.level + 2)
        for letter, why in (("A", each.why_a), ("B", each.why_b)):
            silent = say("report.compared.silent")
            yield Said(say("report.compared.said", letter=letter), why or silent)
