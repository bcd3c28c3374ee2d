"""What changed from run A to run B; differences are B minus A throughout."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from adjudge.analysis.comparison import (
    Changes,
    Comparison,
    Difference,
    GraderComparison,
    Missing,
    Mover,
    SliceDifference,
)

from ..blocks import Block, Cell, Line, Lines, Plot, Said, Section, Table
from ..encode import Shapes, fields
from ..figures import number, p_value, percent, signed
from ..plots import charts
from ..words import Words

_LIKELY = 0.05  # p above which chance alone would easily make the difference
Called = Callable[[str], str]  # a criterion's name → what it is called


def comparison(found: Comparison, words: Words) -> list[Section]:
    """A section for each judge and model that both runs have, with the names of criteria."""
    title = words("report.title_compared", a=found.run_a, b=found.run_b)
    return [
        Section(title, [*compared(each, words, str, at)], f"section-{at}")
        for at, each in enumerate(found.sections)
    ]


def compared(found: GraderComparison, words: Words, called: Called, at: int = 0) -> Iterator[Block]:
    """One judge and model, the `at`th; criteria are called as in A."""
    sides = {name: getattr(found, name) for name in ("judge_a", "model_a", "judge_b", "model_b")}
    counts = {name: getattr(found, name) for name in ("shared", "only_a", "only_b")}
    yield Lines(
        [words("report.compared.sides", **sides), words("report.compared.shared", **counts)]
    )
    yield Lines([*_circumstances(found, called, words)])
    drawn = partial(charts.differences_chart, words.say, found, called)
    if _can_draw(found):
        alt = words("compare.plot_alt")
        yield Plot(drawn, name="differences", fields={"section": str(at)}, alt=alt)
    titled = [(called(name), each) for name, each in found.criteria.items()]
    numbers = [(name, each) for name, each in titled if isinstance(each, Difference)]
    yield _table(numbers, words)
    yield Lines([line for name, each in numbers for line in _difference(name, each, words)])
    yield Lines([line for name, each in numbers for line in _limits(name, each, words)])
    for name, each in titled:
        if isinstance(each, Changes):
            yield from _changes(name, each, words)
        yield from _slices(name, each.slices, words)
        yield from _movers(name, each.movers, words)


def _can_draw(found: GraderComparison) -> bool:
    for each in found.criteria.values():
        pairs = [each.paired] if isinstance(each, Difference) else []
        pairs += [pair for *_, pair in each.options.values()] if isinstance(each, Changes) else []
        if any(pair.difference.value is not None for pair in pairs):
            return True
    return False


def _circumstances(found: GraderComparison, called: Called, words: Words) -> Iterator[str | Line]:
    what = "; ".join(words.reason(each) for each in found.differs)
    yield words("report.compared.differs", what=what or words("report.compared.same"))
    for caution in found.cautions:
        yield Line(words("report.compared.caution", what=words.reason(caution)), "warn")
    for name, why in found.left_out.items():
        yield words("report.compared.left_out", name=called(name), why=words.reason(why))


def _table(numbers: Sequence[tuple[str, Difference]], words: Words) -> Table:
    head = [words("common.criterion"), words("report.compared.pairs"), "A", "B", "B − A"]
    rows = []
    for name, each in numbers:
        paired = each.paired
        counts = f"{paired.wins}/{paired.ties}/{paired.losses}"
        row = [name, f"{paired.n:,}", number(each.mean_a), number(each.mean_b)]
        row += [signed(paired.difference), counts, p_value(paired.p), p_value(each.adjusted)]
        rows.append([*row, _missing(each.missing, words)])
    return Table([*head, *words.all("report.compared", "wins", "p", "holm", "unscored")], rows)


def _missing(missing: Missing, words: Words) -> str:
    if not missing.total:
        return "0"
    counts = {"a": missing.a, "b": missing.b, "both": missing.both}
    return words("report.compared.missing", total=missing.total, **counts)


def _difference(name: str, found: Difference, words: Words) -> Iterator[str]:
    """What the figures come to, in sentences."""
    if found.rescaled:
        yield words("report.compared.rescaled", name=name)
    value, unit = found.paired.difference.value, found.unit.value
    p = found.paired.p if found.adjusted is None else found.adjusted
    if value is None or unit is None or p is None:
        why = words.reason(found.paired.difference.why)
        yield words("report.compared.unknown", name=name, why=why)
    elif p > _LIKELY:
        yield words("report.compared.chance", name=name, p=p_value(p))
    else:
        way = "higher" if value > 0 else "lower"
        size = {"size": f"{abs(value):.2f}", "share": f"{abs(unit):.0%}"}
        yield words(f"report.compared.{way}", name=name, p=p_value(p), **size)


def _limits(name: str, found: Difference, words: Words) -> Iterator[str]:
    """What the unscored items could make of the difference, and which difference would show."""
    if found.missing.total:
        (low, high), (worst, best) = found.span, found.bounds
        ends = {"low": f"{low:g}", "high": f"{high:g}"}
        between = {"worst": f"{worst:+.2f}", "best": f"{best:+.2f}"}
        count = found.missing.total
        yield words("report.compared.bounds", name=name, n=count, **ends, **between)
    power = found.detection
    if power is not None and power.power is not None:
        told = {"difference": f"{power.difference:g}", "power": f"{power.power:.0%}"}
        pairs = {"n": f"{found.paired.n:,}", "pairs": f"{power.pairs or 0:,}"}
        kind = "never" if power.pairs is None else "detect"
        yield words(f"report.compared.{kind}", name=name, **told, **pairs)
    elif power is not None:
        yield f"{name}: {words.reason(power.why)}."


def _changes(name: str, found: Changes, words: Words) -> Iterator[Block]:
    counts = {"changed": found.changed, "n": found.n, "share": percent(found.share)}
    yield Lines([words("report.compared.changed", name=name, **counts)])
    head = [words("common.value"), "A", "B", "B − A"]
    rows = []
    for option, (a, b, paired) in found.options.items():
        row = [words.name(option), f"{a:.0%}", f"{b:.0%}", signed(paired.difference)]
        row += [p_value(paired.p), p_value(found.adjusted.get(option))]
        rows.append([*row, _missing(found.missing, words)])
    yield Table([*head, *words.all("report.compared", "p", "holm", "unscored")], rows)
    moves = [
        [f"{words.name(a)} → {words.name(b)}", f"{count:,}"]
        for (a, b), count in found.moves.items()
    ]
    yield Table([words("report.compared.moves"), words("common.items")], moves)


def _slices(name: str, slices: Sequence[SliceDifference], words: Words) -> Iterator[Section]:
    for column in dict.fromkeys(each.column for each in slices):
        head = [words("common.value"), words("report.compared.pairs"), "B − A"]
        rows = [
            [
                each.value,
                f"{each.n:,}",
                signed(each.difference),
                p_value(each.p),
                p_value(each.adjusted),
            ]
            for each in slices
            if each.column == column
        ]
        table = Table([*head, *words.all("report.compared", "p", "holm")], rows)
        note = Lines([words("compare.slices_note")], lead=True)
        yield Section(words("report.compared.slices", name=name, column=column), [note, table])


def _movers(name: str, movers: Sequence[Mover], words: Words) -> Iterator[Section]:
    if movers:
        title = words("report.compared.movers", name=name)
        yield Section(title, [_mover(each, words) for each in movers], folded=True)


def _mover(each: Mover, words: Words) -> Section:
    a, b = (words.name(number(value)) for value in (each.a, each.b))
    silent = words("report.compared.silent")
    said = [
        Said(
            Cell(words("report.compared.said", letter=letter), "", "", link, {"id": each.item}),
            why or silent,
        )
        for letter, link, why in (("A", "item_a", each.why_a), ("B", "item_b", each.why_b))
    ]
    mark = None
    if isinstance(each.a, float) and isinstance(each.b, float):
        mark = Cell(f"{each.b - each.a:+.2f}", "good" if each.b > each.a else "bad")
    return Section(words("report.compared.mover", item=each.item, a=a, b=b), said, "", mark)


_PAIRED = {
    "difference": "paired.difference",
    "p": "paired.p",
    "wins": "paired.wins",
    "ties": "paired.ties",
    "losses": "paired.losses",
}
SHAPES: Shapes = {
    Comparison: {
        **fields("run_a", "run_b", confidence="options.confidence"),
        "correction": lambda _: "holm",
        "*": lambda found: (
            found.sections[0] if len(found.sections) == 1 else {"sections": found.sections}
        ),
    },
    GraderComparison: {
        "a": fields(judge="judge_a", model="model_a", only="only_a"),
        "b": fields(judge="judge_b", model="model_b", only="only_b"),
        **fields("shared", "differs", "cautions", "left_out", "criteria"),
    },
    Difference: {
        "kind": lambda _: "difference",
        **fields("rescaled", scale="span", n="paired.n", unscored="missing"),
        **fields("mean_a", "mean_b"),
        **_PAIRED,
        **fields("unit", standardised="paired.standardised", p_adjusted="adjusted"),
        "bounds": lambda found: dict(zip(("low", "high"), found.bounds, strict=True)),
        **fields("slices", "movers", detect="detection"),
    },
    Changes: {
        "kind": lambda _: "changes",
        **fields("n", "changed", "share", unscored="missing"),
        "options": lambda found: {
            option: {"a": a, "b": b}
            | {name: getattr(pair, name) for name in _PAIRED}
            | {"p_adjusted": found.adjusted.get(option)}
            for option, (a, b, pair) in found.options.items()
        },
        "moves": lambda found: [{"a": a, "b": b, "items": n} for (a, b), n in found.moves.items()],
        **fields("slices", "movers"),
    },
    SliceDifference: fields("column", "value", "n", "difference", "p", p_adjusted="adjusted"),
}
