"""What changed from run A to run B; differences are B minus A throughout."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
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

from ..blocks import Block, Cell, Line, Lines, Plot, Quote, Section, Table
from ..encode import Shapes, alone_or, fields
from ..plots import charts
from ..words import Words

_LIKELY = 0.05  # p above which chance alone would easily make the difference


def comparison(finding: Comparison, words: Words) -> list[Section]:
    """A section for each judge and model that both runs have, with the names of criteria."""
    title = words("report.title_compared", a=finding.titles[0], b=finding.titles[1])
    return [
        Section(title, [*compared(section, words, at)], f"section-{at}")
        for at, section in enumerate(finding.sections)
    ]


Texts = Callable[[Mover], Iterable[Block]]


def compared(
    section: GraderComparison, words: Words, at: int = 0, texts: Texts = lambda _: ()
) -> Iterator[Block]:
    """One judge and model, the `at`th; criteria are called as in A. `texts` shows what was judged
    of an item that moved."""
    sides = {name: getattr(section, name) for name in ("judge_a", "model_a", "judge_b", "model_b")}
    counts = {name: getattr(section, name) for name in ("shared", "only_a", "only_b")}
    yield Lines(
        [words("report.compared.sides", **sides), words("report.compared.shared", **counts)]
    )
    yield Lines([*_circumstances(section, words)])
    criteria = section.criteria.items()
    titled = [(words.criterion(section.judge_a, name), result) for name, result in criteria]
    numbers = [(name, result) for name, result in titled if isinstance(result, Difference)]
    yield Lines([line for name, result in numbers for line in _difference(name, result, words)])
    drawn = partial(charts.differences_chart, words, section)
    if _can_draw(section):
        alt = words("compare.plot_alt")
        yield Plot(drawn, name="differences", fields={"section": str(at)}, alt=alt)
    yield _table(section, words)
    yield Lines([line for name, result in numbers for line in _limits(name, result, words)])
    for name, result in titled:
        if isinstance(result, Changes):
            yield from _changes(name, result, words)
        yield from _slices(name, result.slices, words)
        yield from _movers(name, result.movers, words, texts)


def in_brief(section: GraderComparison, words: Words) -> Iterator[str]:
    """What else was asked, and what moved further than chance; the rest is named together."""
    if section.differs:
        what = "; ".join(words.reason(reason) for reason in section.differs)
        yield words("report.compared.differs", what=what)
    same = []
    for name, result in section.criteria.items():
        title = words.criterion(section.judge_a, name)
        if isinstance(result, Changes):
            counts = {
                "changed": result.changed,
                "n": result.n,
                "share": words.percent(result.share),
            }
            yield words("report.compared.changed", name=title, **counts)
        elif _by_chance(result):
            same.append(title)
        elif result.paired.difference.value is not None and result.unit.value is not None:
            value, unit = result.paired.difference.value, result.unit.value
            size = {
                "size": words.number(abs(value), ".2f"),
                "share": words.number(abs(unit), ".0%"),
            }
            yield words(f"opening.{'rose' if value > 0 else 'fell'}", name=title, **size)
    if same:
        yield words("opening.same", names=", ".join(same))


def _by_chance(difference: Difference) -> bool:
    p = difference.paired.p if difference.adjusted is None else difference.adjusted
    return p is not None and p > _LIKELY


def _can_draw(section: GraderComparison) -> bool:
    for result in section.criteria.values():
        changes = result.options.values() if isinstance(result, Changes) else ()
        pairs = (
            [result.paired] if isinstance(result, Difference) else [pair for *_, pair in changes]
        )
        if any(pair.difference.value is not None for pair in pairs):
            return True
    return False


def _circumstances(section: GraderComparison, words: Words) -> Iterator[str | Line]:
    what = "; ".join(words.reason(reason) for reason in section.differs)
    yield words("report.compared.differs", what=what or words("report.compared.same"))
    for caution in section.cautions:
        yield Line(words("report.compared.caution", what=words.reason(caution)), "warn")
    for name, why in section.left_out.items():
        title = words.criterion(section.judge_a, name)
        yield words("report.compared.left_out", name=title, why=words.reason(why))


def _table(section: GraderComparison, words: Words) -> Table:
    head = [words("common.criterion"), words("report.compared.pairs"), "A", "B", "B − A"]
    rows = []
    for name, difference in section.criteria.items():
        if not isinstance(difference, Difference):
            continue
        paired, title = difference.paired, words.criterion(section.judge_a, name)
        counts = f"{paired.wins}/{paired.ties}/{paired.losses}"
        row = [
            title,
            words.count(paired.n),
            *(
                _on_scale(mean, difference, words)
                for mean in (difference.mean_a, difference.mean_b)
            ),
        ]
        row += [
            (words.signed_percent if difference.yes else words.signed)(paired.difference),
            counts,
            words.p_value(paired.p),
            words.p_value(difference.adjusted),
        ]
        rows.append([*row, _missing(difference.missing, words)])
    return Table([*head, *words.all("report.compared", "wins", "p", "holm", "unscored")], rows)


def _on_scale(mean: float | None, difference: Difference, words: Words) -> str:
    """With the end of its scale: 3.39 / 5, 90% yes."""
    if mean is None or difference.yes:
        share = words.number(mean, ".0%")
        return share if mean is None else words("report.scores.yes_share", share=share)
    return f"{words.number(mean)} / {words.number(difference.span[1], 'g')}"


def _missing(missing: Missing, words: Words) -> str:
    if not missing.total:
        return "0"
    counts = {"a": missing.a, "b": missing.b, "both": missing.both}
    return words("report.compared.missing", total=missing.total, **counts)


def _difference(name: str, difference: Difference, words: Words) -> Iterator[str]:
    """What the figures come to, in sentences."""
    if difference.rescaled:
        yield words("report.compared.rescaled", name=name)
    value, unit = difference.paired.difference.value, difference.unit.value
    p = difference.paired.p if difference.adjusted is None else difference.adjusted
    if value is None or unit is None or p is None:
        why = words.reason(difference.paired.difference.why)
        yield words("report.compared.unknown", name=name, why=why)
    elif p > _LIKELY:
        yield words("report.compared.chance", name=name, p=words.p_value(p))
    else:
        way = "higher" if value > 0 else "lower"
        size = {"size": words.number(abs(value), ".2f"), "share": words.number(abs(unit), ".0%")}
        yield words(f"report.compared.{way}", name=name, p=words.p_value(p), **size)


def _limits(name: str, difference: Difference, words: Words) -> Iterator[str]:
    """What the unscored items could make of the difference, and which difference would show."""
    if difference.missing.total:
        (low, high), (worst, best) = difference.span, difference.bounds
        ends = {"low": words.number(low, "g"), "high": words.number(high, "g")}
        between = {"worst": words.number(worst, "+.2f"), "best": words.number(best, "+.2f")}
        count = difference.missing.total
        yield words("report.compared.bounds", name=name, n=count, **ends, **between)
    power = difference.detection
    if power is not None and power.power is not None:
        figures = {
            "difference": words.number(power.difference, "g"),
            "power": words.number(power.power, ".0%"),
        }
        pairs = {"n": words.count(difference.paired.n), "pairs": words.count(power.pairs or 0)}
        kind = "never" if power.pairs is None else "detect"
        yield words(f"report.compared.{kind}", name=name, **figures, **pairs)
    elif power is not None:
        yield f"{name}: {words.reason(power.why)}."


def _changes(name: str, changes: Changes, words: Words) -> Iterator[Block]:
    counts = {"changed": changes.changed, "n": changes.n, "share": words.percent(changes.share)}
    yield Lines([words("report.compared.changed", name=name, **counts)])
    head = [words("common.value"), "A", "B", "B − A"]
    rows = []
    for option, (a, b, paired) in changes.options.items():
        row = [
            words.name(option),
            words.number(a, ".0%"),
            words.number(b, ".0%"),
            words.signed(paired.difference),
        ]
        row += [words.p_value(paired.p), words.p_value(changes.adjusted.get(option))]
        rows.append([*row, _missing(changes.missing, words)])
    yield Table([*head, *words.all("report.compared", "p", "holm", "unscored")], rows)
    moves = [
        [f"{words.name(a)} → {words.name(b)}", words.count(count)]
        for (a, b), count in changes.moves.items()
    ]
    yield Table([words("report.compared.moves"), words("common.items")], moves)


def _slices(name: str, slices: Sequence[SliceDifference], words: Words) -> Iterator[Section]:
    for column in dict.fromkeys(part.column for part in slices):
        head = [words("common.value"), words("report.compared.pairs"), "B − A"]
        rows = [
            [
                words.name(part.value),
                words.count(part.n),
                words.signed(part.difference),
                *map(words.p_value, (part.p, part.adjusted)),
            ]
            for part in slices
            if part.column == column
        ]
        table = Table([*head, *words.all("report.compared", "p", "holm")], rows)
        note = Lines([words("compare.slices_note")], lead=True)
        yield Section(words("report.compared.slices", name=name, column=column), [note, table])


def _movers(name: str, movers: Sequence[Mover], words: Words, texts: Texts) -> Iterator[Section]:
    if movers:
        title = words("report.compared.movers", name=name)
        yield Section(title, [_mover(mover, words, texts) for mover in movers], folded=True)


def _mover(mover: Mover, words: Words, texts: Texts) -> Section:
    a, b = (words.name(words.number(value)) for value in (mover.a, mover.b))
    silent = words("report.compared.silent")
    said = [
        Quote(
            Cell(words("report.compared.said", letter=letter), "", "", link, {"id": item}),
            why or silent,
        )
        for letter, link, item, why in (
            ("A", "item_a", mover.item, mover.why_a),
            ("B", "item_b", mover.item_b, mover.why_b),
        )
    ]
    mark = None
    if isinstance(mover.a, float) and isinstance(mover.b, float):
        mark = Cell(words.number(mover.b - mover.a, "+.2f"), "good" if mover.b > mover.a else "bad")
    title = words("report.compared.mover", item=mover.item, a=a, b=b)
    return Section(title, [*texts(mover), *said], "", mark)


_PAIRED = {name: f"paired.{name}" for name in ("difference", "p", "wins", "ties", "losses")}
SHAPES: Shapes = {
    Comparison: {
        **fields("run_a", "run_b", confidence="options.confidence"),
        "paired": lambda _: True,
        "matched_by": "options.match",
        "correction": lambda _: "holm",
        "*": alone_or("sections", "sections"),
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
        "bounds": lambda difference: dict(zip(("low", "high"), difference.bounds, strict=True)),
        **fields("slices", "movers", detect="detection"),
    },
    Changes: {
        "kind": lambda _: "changes",
        **fields("n", "changed", "share", unscored="missing"),
        "options": lambda changes: {
            option: {"a": a, "b": b}
            | {name: getattr(pair, name) for name in _PAIRED}
            | {"p_adjusted": changes.adjusted.get(option)}
            for option, (a, b, pair) in changes.options.items()
        },
        "moves": lambda changes: [
            {"a": a, "b": b, "items": n} for (a, b), n in changes.moves.items()
        ],
        **fields("slices", "movers"),
    },
    SliceDifference: fields("column", "value", "n", "difference", "p", p_adjusted="adjusted"),
}
