from __future__ import annotations

from adjudge.analysis.gates import GateResult, parse_gates
from adjudge.analysis.gates.conditions import Measured, gate_results
from adjudge.core.reason import Reason
from adjudge.reports.encode import encode
from adjudge.reports.findings.gates import SHAPES, gate_failure, gates
from adjudge.reports.renderers.markdown import as_markdown
from adjudge.reports.renderers.terminal import as_text
from adjudge.reports.words import command_line

FOUND = {
    "rating.mean>=3": Measured(2.5),
    "rating.unscored<=2%": Measured(0.025),
    "rating.corrected>=7": Measured(None, Reason("", text="no calibration yet")),
    "rating.n>2": Measured(2.0, where=Reason("grader", judge="j", model="m")),
    "rating.upper<=5": Measured(4.0),
}


def judged(*texts: str) -> tuple[GateResult, ...]:
    return gate_results(parse_gates(texts), lambda gate: [FOUND[gate.text]])


def test_nothing_without_gates() -> None:
    assert gates((), command_line()) == []
    assert gate_failure(()) is None
    assert gate_failure(judged("rating.upper<=5")) is None


def test_the_message_says_which_and_by_how_much() -> None:
    assert gate_failure(judged("rating.mean>=3", "rating.upper<=5")) == (
        "A gate failed: rating.mean>=3 is 2.5, short by 0.5."
    )
    assert gate_failure(judged("rating.unscored<=2%", "rating.corrected>=7", "rating.n>2")) == (
        "3 gates failed: rating.unscored<=2% is 2.5%, short by 0.5%;"
        " rating.corrected>=7 cannot be computed: no calibration yet;"
        " rating.n>2 (j by m) is 2, on the limit."
    )


def test_the_page() -> None:
    blocks = gates(judged(*FOUND), command_line())
    text = as_text(blocks)
    assert "Gates: 4 of 5 failed" in text
    assert "no calibration yet" in text
    assert "j by m" in text
    assert "| rating.mean&gt;=3 | 2.5 | FAILED | short by 0.5 |" in as_markdown(blocks)


def test_plain_values() -> None:
    one, none = encode(judged("rating.mean>=3", "rating.corrected>=7"), SHAPES)
    assert one == {
        "gate": "rating.mean>=3",
        "passed": False,
        "value": 2.5,
        "limit": 3.0,
        "short_by": 0.5,
        "why": None,
        "where": None,
        "unscored": 0,
    }
    assert (none["value"], none["why"]) == (None, "no calibration yet")
