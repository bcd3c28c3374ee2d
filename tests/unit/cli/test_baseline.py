"""A run beside a baseline, and what CI servers get to see."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from tests.commands import Command

JUDGE = """
judge: politeness
version: 1
title: Is the reply polite?
language: en
explain_in: any
inputs:
  answer: {required: true, judged: true}
criteria:
  polite: {title: Politeness, guide: Polite, scale: {type: integer, min: 1, max: 5}}
reply: text
"""
RUN = ("run", "data.jsonl", "--judge", "judge.yaml", "-m", "replay:replies.jsonl")


def write(*scores: object) -> None:
    rows = [{"id": f"q{at}", "answer": f"Answer {at}."} for at in range(1, len(scores) + 1)]
    replies = [
        {"item": row["id"], "replies": [f"Politeness: {score}" if score else "Hm."]}
        for row, score in zip(rows, scores, strict=True)
    ]
    for name, lines in (("data.jsonl", rows), ("replies.jsonl", replies)):
        Path(name).write_text("".join(json.dumps(line) + "\n" for line in lines))


@pytest.fixture
def base(adjudge: Command) -> Command:
    """After a run with 4, 5 and 3, whose scores are the baseline."""
    Path("judge.yaml").write_text(JUDGE)
    write(4, 5, 3)
    assert adjudge(*RUN, "--write-baseline", "baseline.json").code == 0
    return adjudge


class TestBaseline:
    def test_the_file_is_small_and_in_order(self, base: Command) -> None:
        kept = json.loads(Path("baseline.json").read_text())
        (by_model,) = kept["scores"]["politeness"].values()
        assert by_model == {"polite": {"q1": 4.0, "q2": 5.0, "q3": 3.0}}

    def test_the_same_passes(self, base: Command) -> None:
        ended = base(*RUN, "--baseline", "baseline.json")
        assert ended.code == 0
        assert "polite.baseline>=0" in ended.out

    def test_better_passes(self, base: Command) -> None:
        write(5, 5, 4)
        ended = base(*RUN, "--baseline", "baseline.json", "--json")
        (gate,) = ended.json["gates"]
        assert (ended.code, gate["passed"], round(gate["value"], 3)) == (0, True, 0.667)
        assert "2 better, 0 worse" in gate["why"]

    def test_worse_fails(self, base: Command) -> None:
        write(4, 5, 1)
        ended = base(*RUN, "--baseline", "baseline.json")
        assert ended.code == 3
        assert "polite.baseline>=0 is -0.6667, short by 0.6667" in ended.err
        assert "0 better, 1 worse" in ended.out

    def test_a_lost_score_fails_though_the_mean_is_higher(self, base: Command) -> None:
        write(5, 5, None)
        ended = base(*RUN, "--baseline", "baseline.json")
        assert ended.code == 3
        assert "1 items that had a score in the baseline have none now: q3" in ended.err

    def test_rows_that_are_gone_are_said(self, base: Command) -> None:
        write(4, 5)
        ended = base(*RUN, "--baseline", "baseline.json")
        assert ended.code == 0
        assert "1 scored items of the baseline are not in the data" in ended.out

    def test_nothing_in_common_fails(self, base: Command) -> None:
        kept = json.loads(Path("baseline.json").read_text())
        kept["scores"] = {"other": kept["scores"]["politeness"]}
        Path("baseline.json").write_text(json.dumps(kept))
        ended = base(*RUN, "--baseline", "baseline.json")
        assert ended.code == 3
        assert "it has other: polite" in ended.err

    @pytest.mark.parametrize("text", ["", "{}", "[]", '{"adjudge": "baseline", "scores": 3}'])
    def test_what_is_no_baseline_is_refused_before_anything_is_judged(
        self, base: Command, text: str
    ) -> None:
        Path("baseline.json").write_text(text)
        ended = base(*RUN, "--baseline", "baseline.json", "--fresh")
        assert ended.code == 2
        assert "baseline.json: is not a baseline" in ended.err
        assert "--write-baseline" in base(*RUN, "--baseline", "none.json").err


class TestReports:
    def test_gates_are_cases_of_junit(self, base: Command) -> None:
        gates = ("--gate", "polite.mean>=3", "--gate", "polite.mean>=4.5")
        assert base(*RUN, *gates, "-o", "report.xml").code == 3
        root = ET.parse("report.xml").getroot()  # noqa: S314 - of our own
        suite = root.find("testsuite[@name='gates']")
        assert suite is not None
        assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
        (failure,) = suite.iter("failure")
        assert "polite.mean>=4.5 is 4, short by 0.5" in str(failure.get("message"))
        assert root.get("failures") == "1"

    def test_an_unscored_row_is_said_beside_a_gate_that_passes(self, base: Command) -> None:
        write(4, 5, None)
        ended = base(*RUN, "--gate", "polite.mean>=4", "-o", "summary.md")
        assert ended.code == 0
        assert "1 unscored" in ended.out
        assert "1 unscored" in Path("summary.md").read_text()

    def test_annotations_and_summary(self, base: Command, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("GITHUB_ACTIONS", "true")
        monkeypatch.setenv("GITHUB_STEP_SUMMARY", "step.md")
        write(4, 1, None)
        ended = base(*RUN, "--gate", "polite.share(>=4)>=80%")
        assert ended.code == 3
        assert "::error title=adjudge gate::A gate failed: polite.share(>=4)>=80%25" in ended.err
        assert "::warning title=adjudge::polite (politeness by" in ended.err
        assert "1 of 3 went unscored" in ended.err
        summary = Path("step.md").read_text()
        assert "1 of 1 failed" in summary
        assert "polite" in summary
        assert "2.5" in summary

    def test_elsewhere_nothing_is_written(
        self, base: Command, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
        monkeypatch.setenv("GITHUB_STEP_SUMMARY", "step.md")
        assert "::" not in base(*RUN, "--gate", "polite.mean>=4.5").err
        assert not Path("step.md").exists()
