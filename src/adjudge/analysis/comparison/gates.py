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
from adjudge.stats.unpaired import Unpaired

from .unpaired import MeanDifference, UnpairedComparison, UnpairedSection

FIGURES = ("difference", "p", "adjusted", "wins", "ties", "losses", "changed", "unscored")
UNPAIRED_FIGURES = FIGURES[:3]


def comparison_gates(texts: Sequence[str]) -> tuple[Gate, ...]:
    """`rating.lower` alone is the lower end of the difference, which is what a comparison tells."""
    return tuple(
        replace(gate, what="difference") if gate.what == "mean" and gate.part != "value" else gate
        for gate in parse_gates(texts)
    )


def judge_comparison(
    gates: Sequence[Gate], comparison: Comparison | UnpairedComparison
) -> tuple[GateResult, ...]:
    """Every gate against every section; UsageError for a criterion or figure that there is not."""
    names = dict.fromkeys(name for section in comparison.sections for name in section.criteria)
    known = FIGURES if isinstance(comparison, Comparison) else UNPAIRED_FIGURES
    check_gates(gates, list(names), known)
    return gate_results(gates, lambda gate: _of_sections(gate, comparison.sections))


def _of_sections(
    gate: Gate, sections: Sequence[GraderComparison | UnpairedSection]
) -> Iterator[Measured]:
    for section in sections:
        named = Reason("grader", judge=section.judge_b, model=section.model_b)
        where = named if len(sections) > 1 else None
        if gate.what == "unscored" and isinstance(section, GraderComparison):
            own = [of for name, of in section.criteria.items() if gate.criterion in {"", name}]
            if own:
                lacking = sum(criterion.missing.total for criterion in own)
                yield Measured(lacking / (section.shared * len(own)), where=where)
        elif result := section.criteria.get(gate.criterion):
            yield replace(_of_criterion(gate, result), where=where)


def _of_criterion(gate: Gate, result: Difference | Changes | MeanDifference) -> Measured:
    if stat := _figures(result).get(gate.what):
        return Measured.of(stat, gate.part)
    fields = {"criterion": gate.criterion, "figure": gate.what}
    if isinstance(result, Changes):
        return Measured(None, Reason("gate.of_numbers", **fields))
    return Measured(None, Reason("gate.of_names", **fields))


def _figures(result: Difference | Changes | MeanDifference) -> Mapping[str, Stat]:
    """Wins are items where B is higher."""
    if isinstance(result, Changes):
        return {"changed": result.share}
    test = result.test if isinstance(result, MeanDifference) else result.paired
    counts = () if isinstance(test, Unpaired) else ("wins", "ties", "losses")
    alone = {name: _alone(getattr(test, name)) for name in ("p", *counts)}
    return {"difference": test.difference, "adjusted": _alone(result.adjusted), **alone}


def _alone(value: float | None) -> Stat:
    return Stat(value, why=Reason("gate.no_pair") if value is None else Reason("gate.no_interval"))
