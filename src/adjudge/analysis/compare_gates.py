"""The figures of a comparison that gates can be about."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from adjudge.stats.stat import Stat

from .comparison import Changes, Comparison, Difference, Section
from .gates import Gate, Judged, Measured, check_gates, evaluate, parse_gates

FIGURES = ("difference", "p", "adjusted", "wins", "ties", "losses", "changed", "unscored")


def comparison_gates(texts: Sequence[str]) -> tuple[Gate, ...]:
    """`rating.lower` alone is the lower end of the difference, which is what a comparison tells."""
    return tuple(
        replace(gate, what="difference") if gate.what == "mean" and gate.part != "value" else gate
        for gate in parse_gates(texts)
    )


def judge_comparison(gates: Sequence[Gate], comparison: Comparison) -> tuple[Judged, ...]:
    """Every gate against every section; UsageError for a criterion or figure that there is not."""
    check_gates(gates, _criteria(comparison), FIGURES)
    return evaluate(gates, lambda gate: _measured(gate, comparison))


def _criteria(comparison: Comparison) -> Collection[str]:
    return list(dict.fromkeys(name for each in comparison.sections for name in each.criteria))


def _measured(gate: Gate, comparison: Comparison) -> Iterator[Measured]:
    for section in comparison.sections:
        where = _where(section) if len(comparison.sections) > 1 else ""
        if not gate.criterion:
            lacking = sum(each.missing.total for each in section.criteria.values())
            wanted = section.shared * len(section.criteria)
            yield Measured(lacking / wanted, where=where)
        elif gate.criterion in section.criteria:
            yield replace(_figure(gate, section), where=where)


def _where(section: Section) -> str:
    return f"{section.judge_b} by {section.model_b}"


def _figure(gate: Gate, section: Section) -> Measured:
    told = section.criteria[gate.criterion]
    if gate.what == "unscored":
        return Measured(told.missing.total / section.shared)
    found = _of_changes(gate.what, told) if isinstance(told, Changes) else _of(gate.what, told)
    if found is None:
        kind = "names, which change" if isinstance(told, Changes) else "numbers, which differ"
        return Measured(None, f"{gate.criterion} has {kind}; {gate.what} does not apply")
    if gate.part == "value":
        return Measured(found.value, found.why)
    return Measured(found.low if gate.part == "lower" else found.high, found.why)


def _of_changes(what: str, told: Changes) -> Stat | None:
    return told.share if what == "changed" else None


def _of(what: str, told: Difference) -> Stat | None:
    """Wins are items where B is higher."""
    paired = told.paired
    figures = {
        "difference": paired.difference,
        "p": _alone(paired.p),
        "adjusted": _alone(told.adjusted),
        "wins": _alone(paired.wins),
        "ties": _alone(paired.ties),
        "losses": _alone(paired.losses),
    }
    return figures.get(what)


def _alone(value: float | None) -> Stat:
    return Stat(value, why="no pair of scores" if value is None else "it has no interval")
