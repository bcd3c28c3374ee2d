"""What became of the gates, and the last word of a command on them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from adjudge.analysis.gates import GateResult

from ..blocks import Cell, Section
from ..encode import Shapes, fields
from ..files.junit import GateCase
from ..words import Words

if TYPE_CHECKING:
    from adjudge.analysis.browsing import RunOverview
    from adjudge.stores import RunRecord


def gates(judged: Sequence[GateResult], words: Words) -> list[Section]:
    """A line for each gate; nothing without gates."""
    if not judged:
        return []
    failed = sum(not result.passed for result in judged)
    title = words(
        f"report.gates.{'failed' if failed else 'passed'}", failed=failed, count=len(judged)
    )
    states = {
        True: Cell(words("report.gates.is_passed"), "good"),
        False: Cell(words("report.gates.is_failed"), "bad"),
    }
    table = words.table(
        "report.gates",
        judged,
        gate=lambda result: result.gate.text,
        found=_value,
        state=lambda result: states[result.passed],
        note=lambda result: _more(result, words),
    )
    return [Section(title, [table])]


def in_short(
    record: RunRecord, overview: RunOverview, judged: Sequence[GateResult], words: Words
) -> Section:
    """A run for a pull request or a notebook: its gates, its scores, and their plot."""
    from .overview import scores  # noqa: PLC0415 - loads the plots

    manifest = record.manifest
    names = {"judges": ", ".join(manifest.judges), "models": ", ".join(manifest.models)}
    title = words("report.summary.title", run=record.title, data=manifest.data, **names)
    table = scores(overview, words, samples=manifest.settings.get("repeat") != 1)
    return Section(title, [*gates(judged, words), *table])


def gate_failure(judged: Sequence[GateResult]) -> str | None:
    """Which gates failed and by how much, in one message; None when all passed."""
    failed = [result for result in judged if not result.passed]
    if not failed:
        return None
    said = "A gate failed" if len(failed) == 1 else f"{len(failed)} gates failed"
    return "; ".join([f"{said}: {_failure(failed[0])}", *map(_failure, failed[1:])]) + "."


def gate_cases(judged: Sequence[GateResult]) -> list[GateCase]:
    """The gates as cases of a test report."""
    return [
        GateCase(
            f"{result.gate.text} {result.measured.where or ''}".rstrip(),
            "" if result.passed else _failure(result),
            _value(result),
        )
        for result in judged
    ]


def _failure(result: GateResult) -> str:
    where = f" ({result.measured.where})" if result.measured.where else ""
    if result.measured.value is None:
        return f"{result.gate.text}{where} cannot be computed: {result.measured.why}"
    by = result.short_by
    short = f"short by {_shown(result, by)}" if by else "on the limit"
    unscored = result.measured.unscored
    beside = f", {unscored} unscored" if unscored else ""
    return f"{result.gate.text}{where} is {_value(result)}, {short}{beside}"


def _more(result: GateResult, words: Words) -> str:
    measured, by = result.measured, result.short_by
    notes = (
        words("report.gates.short", by=_shown(result, by)) if by else "",
        words.reason(measured.why) if _tells(result) else "",
        words("report.gates.unscored", count=measured.unscored) if measured.unscored else "",
        words.reason(measured.where),
    )
    return "; ".join(filter(None, notes))


def _tells(result: GateResult) -> bool:
    """Whether the reason belongs beside the figure: it stands for one, or says how it came."""
    return result.measured.value is None or result.gate.what in ("baseline", "corrected")


def _value(result: GateResult) -> str:
    return _shown(result, result.measured.value)


def _shown(result: GateResult, value: float | None) -> str:
    """As the limit was written: 80% asks for percent."""
    if value is None:
        return "–"
    return f"{value * 100:.4g}%" if result.gate.text.endswith("%") else f"{value:.4g}"


SHAPES: Shapes = {
    GateResult: {
        "gate": "gate.text",
        "passed": "passed",
        **fields(value="measured.value", limit="gate.limit", short_by="short_by"),
        "why": lambda result: result.measured.why if _tells(result) else None,
        "unscored": "measured.unscored",
        "where": "measured.where",
    }
}
