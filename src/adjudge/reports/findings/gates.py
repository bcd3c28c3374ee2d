"""What became of the gates, and the last word of a command on them."""

from __future__ import annotations

from collections.abc import Sequence

from adjudge.analysis.gates import Judged

from ..blocks import Cell, Section, Table, Text
from ..encode import Shapes, fields
from ..words import Words


def gates(judged: Sequence[Judged], words: Words) -> list[Section]:
    """A line for each gate; nothing without gates."""
    if not judged:
        return []
    failed = sum(not each.passed for each in judged)
    title = words(
        f"report.gates.{'failed' if failed else 'passed'}", failed=failed, count=len(judged)
    )
    head = words.all("report.gates", "gate", "found", "state", "note")
    rows: list[list[Text]] = [
        [each.gate.text, _found(each), _state(each, words), _more(each, words)] for each in judged
    ]
    return [Section(title, [Table(head, rows)])]


def gate_failure(judged: Sequence[Judged]) -> str | None:
    """Which gates failed and by how much, in one message; None when all passed."""
    failed = [each for each in judged if not each.passed]
    if not failed:
        return None
    said = "A gate failed" if len(failed) == 1 else f"{len(failed)} gates failed"
    return "; ".join([f"{said}: {_told(failed[0])}", *map(_told, failed[1:])]) + "."


def _told(each: Judged) -> str:
    where = f" ({each.measured.where})" if each.measured.where else ""
    if each.measured.value is None:
        return f"{each.gate.text}{where} cannot be told: {each.measured.why}"
    return f"{each.gate.text}{where} is {_found(each)}, {_short(each)}"


def _state(each: Judged, words: Words) -> Cell:
    if each.passed:
        return Cell(words("report.gates.is_passed"), "good")
    return Cell(words("report.gates.is_failed"), "bad")


def _more(each: Judged, words: Words) -> str:
    note = words.reason(each.measured.why) if each.measured.value is None else ""
    if each.short_by:
        note = words("report.gates.short", by=_shown(each, each.short_by))
    return " ".join(filter(None, (note, each.measured.where)))


def _short(each: Judged) -> str:
    return f"short by {_shown(each, each.short_by)}" if each.short_by else "on the limit"


def _found(each: Judged) -> str:
    return _shown(each, each.measured.value)


def _shown(each: Judged, value: float | None) -> str:
    """As the limit was written: 80% asks for percent."""
    if value is None:
        return "–"
    return f"{value * 100:.4g}%" if each.gate.text.endswith("%") else f"{value:.4g}"


SHAPES: Shapes = {
    Judged: {
        "gate": "gate.text",
        "passed": "passed",
        **fields(value="measured.value", limit="gate.limit", short_by="short_by"),
        "why": lambda each: each.measured.why if each.measured.value is None else None,
        "where": lambda each: each.measured.where or None,
    },
}
