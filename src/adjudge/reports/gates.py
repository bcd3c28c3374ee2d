"""What became of the gates: a part of a page, plain values, and the last word of a command."""

from __future__ import annotations

from collections.abc import Sequence

from adjudge.analysis.gates import Judged

from .page import Block, Heading, Table


def gate_blocks(judged: Sequence[Judged]) -> list[Block]:
    """A line for each gate; nothing without gates."""
    if not judged:
        return []
    failed = sum(not each.passed for each in judged)
    said = f"{failed} of {len(judged)} failed" if failed else f"all {len(judged)} passed"
    head = ["gate", "found", "", ""]
    rows = [
        [each.gate.text, _found(each), "passed" if each.passed else "FAILED", _more(each)]
        for each in judged
    ]
    return [Heading(f"Gates: {said}"), Table(head, rows)]


def gate_dicts(judged: Sequence[Judged]) -> list[dict[str, object]]:
    return [
        {
            "gate": each.gate.text,
            "passed": each.passed,
            "value": each.measured.value,
            "limit": each.gate.limit,
            "short_by": each.short_by,
            "why": each.measured.why if each.measured.value is None else None,
            "where": each.measured.where or None,
        }
        for each in judged
    ]


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


def _more(each: Judged) -> str:
    told = _short(each) if each.short_by else ""
    if each.measured.value is None:
        told = each.measured.why or ""
    return " ".join(filter(None, (told, each.measured.where)))


def _short(each: Judged) -> str:
    return f"short by {_shown(each, each.short_by)}" if each.short_by else "on the limit"


def _found(each: Judged) -> str:
    return _shown(each, each.measured.value)


def _shown(each: Judged, value: float | None) -> str:
    """As the limit was written: 80% asks for percent."""
    if value is None:
        return "–"
    return f"{value * 100:.4g}%" if each.gate.text.endswith("%") else f"{value:.4g}"
