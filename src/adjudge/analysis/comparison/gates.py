"""The figures of a comparison that gates can be about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from adjudge.analysis.comparison.findings import Changes, Comparison, Difference, GraderComparison
from adjudge.analysis.gates.conditions import (
    Gate,
    GateResult,
    Measured,
    check_gates,
    gate_results,
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


def judge_comparison(gates: Sequence[Gate], comparison: Comparison) -> tuple[GateResult, ...]:
    """Every gate against every section; UsageError for a criterion or figure that there is not."""
    names = dict.fromkeys(name for section in comparison.sections for name in section.criteria)
    check_gates(gates, list(names), FIGURES)
    return gate_results(gates, lambda gate: _of_sections(gate, comparison))


def _of_sections(gate: Gate, comparison: Comparison) -> Iterator[Measured]:
    for section in comparison.sections:
        several = len(comparison.sections) > 1
        where = f"{section.judge_b} by {section.model_b}" if several else ""
        if not gate.criterion:
            lacking = sum(criterion.missing.total for criterion in section.criteria.values())
            wanted = section.shared * len(section.criteria)
            yield Measured(lacking / wanted, where=where)
        elif gate.criterion in section.criteria:
            yield replace(_of_section(gate, section), where=where)


def _of_section(gate: Gate, section: GraderComparison) -> Measured:
    result = section.criteria[gate.criterion]
    if gate.what == "unscored":
        return Measured(result.missing.total / section.shared)
    if stat := _figures(result).get(gate.what):
        return Measured.of(stat, gate.part)
    fields = {"criterion": gate.criterion, "figure": gate.what}
    if isinstance(result, Changes):
        return Measured(None, Reason("gate.of_numbers", **fields))
    return Measured(None, Reason("gate.of_names", **fields))


def _figures(result: Difference | Changes) -> Mapping[str, Stat]:
    """Wins are items where B is higher."""
    if isinstance(result, Changes):
        return {"changed": result.share}
    paired = result.paired
    alone = {name: _alone(getattr(paired, name)) for name in ("p", "wins", "ties", "losses")}
    return {"difference": paired.difference, "adjusted": _alone(result.adjusted), **alone}


def _alone(value: float | None) -> Stat:
    return Stat(value, why=Reason("gate.no_pair") if value is None else Reason("gate.no_interval"))
