from __future__ import annotations

from dataclasses import replace

import pytest

from adjudge.analysis.probing import Probed, ProbeFinding, ProbeLimits, Rating
from adjudge.analysis.probing.findings import Measure, ProbeSession
from adjudge.core.reason import Reason
from adjudge.reports.blocks import Cell, Table
from adjudge.reports.encode import encode
from adjudge.reports.findings.probes import SHAPES, probes
from adjudge.reports.renderers.terminal import as_text
from adjudge.reports.words import Words, command_line
from adjudge.stats.stat import Stat
from adjudge.strings import strings_for


def finding(
    probe: str, model: str, measure: Measure, effect: Stat, rating: Rating = "fine"
) -> ProbeFinding:
    return ProbeFinding(
        probe=probe,
        model=model,
        criterion="accuracy",
        measure=measure,
        n=12,
        unscored=1,
        effect=effect,
        limit=0.1,
        rating=rating,
    )


@pytest.fixture
def probed() -> Probed:
    findings = (
        finding("padding", "m/one", "gain", Stat(0.3, 0.2, 0.4), "bad"),
        finding("padding", "m/two", "gain", Stat(0.01, -0.1, 0.1)),
        finding("repeat", "m/one", "flip", Stat(0.25, 0.1, 0.5), "worrying"),
        finding("repeat", "m/two", "flip", Stat(0.0, 0.0, 0.2)),
    )
    return Probed(
        judge="j",
        fingerprint="f",
        models=("m/one", "m/two"),
        source=Reason.of("rows.csv"),
        language="ko",
        items=13,
        limits=ProbeLimits(),
        confidence=0.9,
        findings=findings,
        not_run={"order": Reason("no_pair")},
        runs=(ProbeSession(run="abc", about="twins", verdicts=52, unscored=2, tokens=9, usd=0.0),),
    )


def test_a_line_for_each_probe_and_model(probed: Probed) -> None:
    shown = as_text([probes(probed, command_line())])
    assert "j by m/one, m/two" in shown
    assert "On 13 items of rows.csv." in shown
    rows = [line.split() for line in shown.splitlines()]
    padded = "empty phrases are added +0.30 [+0.20, +0.40] rise 0.1 12 1 bad"
    again = "the same question is asked again 25% [10%, 50%] changed 10% 12 1 worrying"
    assert ["padding", "m/one", *padded.split()] in rows
    assert ["repeat", "m/one", *again.split()] in rows
    assert "whole 90% interval" in " ".join(shown.split())
    assert "order it judges one text at a time, not a pair" in " ".join(shown.split())


def test_what_to_do_is_said_for_what_is_not_fine(probed: Probed) -> None:
    shown = " ".join(as_text([probes(probed, command_line())]).split())
    assert "4 findings: 2 fine, 1 worrying, 1 bad, 0 unclear." in shown
    assert "padding by m/one, bad: empty phrases are added." in shown
    assert "repeat by m/one, worrying: the same question is asked again." in shown
    assert "by m/two," not in shown
    assert "2 of 52 verdicts are unscored" in shown


def test_a_budget_that_ran_out_is_said(probed: Probed) -> None:
    assert "The budget was used up" in as_text(
        [probes(replace(probed, stopped=True), command_line())]
    )


def test_json(probed: Probed) -> None:
    shown = encode(probed, SHAPES)
    assert shown["verdicts"] == {"bad": 1, "fine": 2, "worrying": 1}
    assert isinstance(shown["probes"], list)
    first = shown["probes"][0]
    assert (first["probe"], first["verdict"], first["does"]) == (
        "padding",
        "bad",
        "empty phrases are added",
    )
    assert first["effect"] == {"value": 0.3, "low": 0.2, "high": 0.4, "why": None}


@pytest.mark.parametrize(("language", "name"), [("ko", "빈말 추가"), ("vi", "thêm lời thừa")])
def test_names_of_probes_are_in_the_readers_language(
    probed: Probed, language: str, name: str
) -> None:
    section = probes(probed, Words(strings_for(language)))
    assert name in as_text([section])
    cells = [row[0] for block in section.blocks if isinstance(block, Table) for row in block.rows]
    assert ("padding", name) in {
        (cell.code, cell.text) for cell in cells if isinstance(cell, Cell)
    }  # as commands call it, beside it
