"""The means of two runs on separate sets of items; differences are B minus A throughout."""

from __future__ import annotations

from collections.abc import Iterator

from adjudge.analysis.comparison.unpaired import (
    MeanDifference,
    UnpairedComparison,
    UnpairedSection,
)

from ..blocks import Block, Lines, Section, Table
from ..encode import Shapes, alone_or, fields
from ..words import Words


def unpaired(finding: UnpairedComparison, words: Words) -> list[Section]:
    """A section for each judge and model that both runs have."""
    title = words("report.unpaired.title", a=finding.titles[0], b=finding.titles[1])
    return [Section(title, [*_section(section, words)]) for section in finding.sections]


def _section(section: UnpairedSection, words: Words) -> Iterator[Block]:
    sides = {name: getattr(section, name) for name in ("judge_a", "model_a", "judge_b", "model_b")}
    yield Lines([words("report.compared.sides", **sides), words("report.unpaired.told")])
    counts = words.all("report.unpaired", "n_a", "n_b")
    ends = words.all("report.unpaired", "p", "holm", "unscored")
    head = [words("common.criterion"), *counts, "A", "B", "B − A", *ends]
    yield Table(head, [_row(name, result, words) for name, result in section.criteria.items()])
    yield Lines([line for part in section.criteria.items() for line in _notes(*part, words)])


def _row(name: str, result: MeanDifference, words: Words) -> list[str]:
    test = result.test
    return [
        name,
        words.count(test.n_second),
        words.count(test.n_first),
        words.number(result.mean_a),
        words.number(result.mean_b),
        words.signed(test.difference),
        words.p_value(test.p),
        words.p_value(result.adjusted),
        f"{words.count(result.unscored_a)}, {words.count(result.unscored_b)}",
    ]


def _notes(name: str, result: MeanDifference, words: Words) -> Iterator[str]:
    if result.rescaled:
        yield words("report.unpaired.rescaled", name=name)
    if why := words.missing(result.test.difference):
        yield words("report.unpaired.unknown", name=name, why=why)


SHAPES: Shapes = {
    UnpairedComparison: {
        **fields("run_a", "run_b", confidence="options.confidence"),
        "paired": lambda _: False,
        "correction": lambda _: "holm",
        "*": alone_or("sections", "sections"),
    },
    UnpairedSection: {
        "a": fields(judge="judge_a", model="model_a"),
        "b": fields(judge="judge_b", model="model_b"),
        "criteria": "criteria",
    },
    MeanDifference: {
        **fields("rescaled", n_a="test.n_second", n_b="test.n_first"),
        "unscored": fields(a="unscored_a", b="unscored_b"),
        **fields("mean_a", "mean_b", difference="test.difference", p="test.p"),
        "p_adjusted": "adjusted",
    },
}
