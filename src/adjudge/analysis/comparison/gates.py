"""The figures of a comparison that gates can be about."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from adjudge.analysis.comparison.findings import Changes, Comparison, Difference, GraderComparison
from adjudge.analysis.gates.conditions import (
    Gate,
    Judged,
    Measured,
    check_gates,
    evaluate,
    parse_gates,
)
from adjudge.core.reason import Reason
from adjudge.stats.stat import Stat

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
    return evaluate(gates, lambda gate: _of_sections(gate, comparison))


def _criteria(comparison: Comparison) -> Collection[str]:
    return list(dict.fromkeys(name for section in comparison.sections for name in section.criteria))


def _of_sections(gate: Gate, comparison: Comparison) -> Iterator[Measured]:
    for section in comparison.sections:
        where = _where(section) if len(comparison.sections) > 1 else ""
        if not gate.criterion:
            lacking = sum(criterion.missing.total for criterion in section.criteria.values())
            wanted = section.shared * len(section.criteria)
            yield Measured(lacking / wanted, where=where)
        elif gate.criterion in section.criteria:
            yield replace(_of_section(gate, section), where=where)


def _where(section: GraderComparison) -> str:
    return f"{section.judge_b} by {section.model_b}"


def _of_section(gate: Gate, section: GraderComparison) -> Measured:
    result = section.criteria[gate.criterion]
    if gate.what == "unscored":
        return Measured(result.missing.total / section.shared)
    stat = _of_changes(gate.what, result) if isinstance(result, Changes) else _of(gate.what, result)
    if stat is None:
        fields = {"criterion": gate.criterion, "figure": gate.what}
        if isinstance(result, Changes):
            return Measured(None, Reason("gate.of_numbers", **fields))
        return Measured(None, Reason("gate.of_names", **fields))
    if gate.part == "value":
        return Measured(stat.value, stat.why)
    return Measured(stat.low if gate.part == "lower" else stat.high, stat.why)


def _of_changes(what: str, result: Changes) -> Stat | None:
    return result.share if what == "changed" else None


def _of(what: str, result: Difference) -> Stat | None:
    """Wins are items where B is higher."""
    paired = result.paired
    figures = {
        "difference": paired.difference,
        "p": _alone(paired.p),
        "adjusted": _alone(result.adjusted),
        "wins": _alone(paired.wins),
        "ties": _alone(paired.ties),
        "losses": _alone(paired.losses),
    }
    return figures.get(what)


def _alone(value: float | None) -> Stat:
    return Stat(value, why=Reason("gate.no_pair") if value is None else Reason("gate.no_interval"))
