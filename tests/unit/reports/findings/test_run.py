from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.unit.analysis.summed import summarise
from wcwidth import wcswidth

from adjudge.core.item import Item
from adjudge.core.prompt import Message, Prompt
from adjudge.core.reason import Reason
from adjudge.core.reply import Usage
from adjudge.core.run import Manifest
from adjudge.core.score import Outcome, Score
from adjudge.core.verdict import Call, Exchange, Verdict
from adjudge.reports.findings import run as text
from adjudge.stores import RunRecord

from ..conftest import scored

ODD = "\x1b[2J\x07\u202e"
AGAIN = Exchange(reply=ODD, kind="repair", question=ODD)


def record(**more: object) -> RunRecord:
    manifest = Manifest(data="a.csv", data_hash="0", judges={"chatbot": "f"}, models=("m",))
    return RunRecord(id="abc", manifest=manifest, sources={}, rows=2, state="finished", **more)  # type: ignore[arg-type]


class TestTable:
    def test_columns_line_up_on_screen(self) -> None:
        shown = text.table(["name", "n"], [["한국어", "1"], ["Tiếng Việt", "2"], ["x", "3"]])
        lines = shown.splitlines()
        ends = {wcswidth(line.rstrip("0123456789")) for line in lines[2:]}
        assert len(ends) == 1
        assert lines[1] == "──────────  ─"

    def test_a_cell_is_one_line(self) -> None:
        shown = text.table(["a"], [[f"x\ny {ODD}"]])
        assert shown.splitlines()[2] == r"x y \x1b[2J\x07\u202e"

    def test_no_rows(self) -> None:
        assert text.table(["a", "bc"], []) == "a  bc\n─  ──"


class TestRunTable:
    def test_what_went_unscored_stands_beside_the_mean(self) -> None:
        shown = text.run_table(record(bad_rows=2), summarise("abc", [scored(), scored(item="2")]))
        rows = {line.split()[0]: line.split() for line in shown.splitlines() if line}
        assert rows["accuracy"][1:5] == ["2", "0", "5.00", "0.00"]
        assert "2 by rule, 2 explained in the wrong language" in shown
        assert rows["tone"][1:5] == ["0", "2", "–", "–"]
        *_, counts, spent = shown.splitlines()
        assert counts == "2 verdicts: 2 out_of_range; 2 bad rows skipped"
        assert spent == "spent: 1,624 tokens in (14 cached), 286 out, $0.0004"

    @pytest.mark.parametrize(
        ("usage", "shown"),
        [
            (Usage(), ""),
            (
                Usage(input_tokens=1200, output_tokens=5, cost_usd=None),
                "1,200 tokens in, 5 out, price not known",
            ),
        ],
    )
    def test_spent(self, usage: Usage, shown: str) -> None:
        assert text.spent_text(usage) == shown

    def test_a_likelihood_tells_what_had_to_be_read(self) -> None:
        usage = Usage(input_tokens=1000, cached_tokens=825)
        verdicts = [scored(usage=usage), scored(item="2", usage=Usage(input_tokens=1100))]
        plain = text.run_table(record(), summarise("abc", verdicts))
        assert "evaluated" not in plain
        by_likelihood = replace(record(), sources={"chatbot": {"method": "likelihood"}})
        shown = text.run_table(by_likelihood, summarise("abc", verdicts))
        assert shown.splitlines()[-1] == (
            "spent: 2,100 tokens in (825 cached), 0 out, $0.0000; tokens evaluated: 1,275, 637.5"
            " per judgment"
        )
        told = text.summary_dict(by_likelihood, summarise("abc", verdicts))["usage"]
        assert isinstance(told, dict)
        assert told["evaluated_tokens"] == 1275
        assert "(825 cached, 175 evaluated)" in text.verdict_text(verdicts[0])

    def test_several_models_have_columns_of_their_own(self) -> None:
        shown = text.run_table(record(), summarise("abc", [scored(), scored(model="other")]))
        assert shown.splitlines()[1].split()[:3] == ["judge", "model", "criterion"]

    def test_shares_of_names(self) -> None:
        scores = {"winner": Score(outcome=Outcome.SCORED, value="a")}
        shown = text.run_table(record(), summarise("abc", [scored(scores=scores)]))
        assert "a 100%" in shown

    def test_what_rests_on_samples_is_counted(self) -> None:
        sampled = Score(outcome=Outcome.SCORED, value=4.4, distribution={"4": 0.6, "5": 0.4})
        summary = summarise("abc", [scored(scores={"r": sampled}), scored(item="2")])
        assert "1 by samples, without probabilities" in text.run_table(record(), summary)
        shown: Any = text.summary_dict(record(), summary)["criteria"]
        assert {each["criterion"]: each["by_samples"] for each in shown}["r"] == 1
        assert sum(each["by_samples"] for each in shown) == 1


class TestVerdict:
    def test_for_reading(self) -> None:
        shown = text.verdict_text(scored(repeat=2))
        assert "chatbot by openai/gpt-4o-mini, repeat 2: out_of_range" in shown
        assert "accuracy: 5.0, was 7.5 before the rule serious-error" in shown
        assert "tone: no score, out_of_range (12 lies outside 0 to 10)" in shown
        assert "    - 짧다\n    - clear" in shown
        assert "note: asked again" in shown

    def test_an_explanation_that_is_feedback_too_stands_once(self) -> None:
        score = Score(outcome=Outcome.SCORED, value=3, label="helpful", explanation="Short.")
        shown = text.verdict_text(scored(scores={"r": score}, feedback={"evaluation": "Short."}))
        assert shown.count("Short.") == 1
        assert "r: 3 (helpful)" in shown


def test_nothing_from_outside_reaches_the_terminal_raw() -> None:
    score = Score(outcome=Outcome.REFUSED, reason=Reason.of(ODD), explanation=ODD)
    calls = (Call(exchanges=(Exchange(reply=ODD), AGAIN), error=Reason.of(ODD)),)
    verdict: Verdict = scored(
        item=ODD,
        model=ODD,
        scores={"a": score},
        feedback={"f": (ODD,)},
        notes=(Reason.of(ODD),),
        calls=calls,
    )
    odd_data = replace(record(), manifest=replace(record().manifest, data=ODD, models=(ODD,)))
    for shown in (
        text.verdict_text(verdict),
        text.item_text(Item(ODD, {"answer": f"{ODD}\n{ODD}"})),
        text.reply_text(verdict),
        text.prompt_text(Prompt(messages=(Message("user", ODD),), criteria=())),
        text.reasons([verdict]),
        text.run_table(odd_data, summarise("abc", [verdict])),
    ):
        assert r"\x1b[2J" in shown
        assert not set(ODD) - set("[2J") & set(shown)


class TestReasons:
    def test_the_commonest_first(self) -> None:
        failed = {"tone": Score(outcome=Outcome.REFUSED, reason=Reason.of("declined"))}
        verdicts = [scored(item="7", scores=failed), scored(item="1"), scored(item="2")]
        lines = text.reasons(verdicts).strip().splitlines()
        assert lines[2].split()[:4] == ["2", "item", "1,", "tone"]
        assert "declined" in lines[3]

    def test_none(self) -> None:
        fine = {"tone": Score(outcome=Outcome.SCORED, value=1)}
        assert text.reasons([scored(scores=fine)]) == ""


def test_replies_with_their_questions() -> None:
    again = Exchange(reply="two", kind="repair", question="why?")
    sample = Exchange(reply="three", kind="sample")
    exchanges = (Exchange(reply="one"), again, sample)
    calls = (Call(criterion="tone", order="ba", exchanges=exchanges),)
    shown = text.reply_text(scored(calls=calls))
    assert shown == (
        "--- reply tone ba ---\none\n--- asked again ---\nwhy?\n--- reply tone ba ---\ntwo"
    )
