from __future__ import annotations

import io
import xml.etree.ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from adjudge.core.reason import Reason
from adjudge.core.score import Outcome, Score
from adjudge.reports.files import junit


def suites(*rows):
    out = io.BytesIO()
    junit.write(lambda: iter(rows), out)
    return ET.fromstring(out.getvalue())  # noqa: S314 - our own


def test_a_suite_for_each_judge_and_model_and_a_case_for_each_criterion(make_row):
    found = suites(make_row(), make_row(model="m.2"), make_row(item="43"))
    assert [suite.get("name") for suite in found] == [
        "chatbot by openai/gpt-4o-mini",
        "chatbot by m.2",
    ]
    names = [case.get("name") for case in found[0]]
    assert names == ["42: accuracy", "42: tone", "43: accuracy", "43: tone"]
    assert {case.get("classname") for case in found[1]} == {"chatbot.m_2"}


def test_counts_are_right_in_each_suite_and_in_all(make_row):
    found = suites(make_row(), make_row(model="other"))
    counts = {"tests": "2", "failures": "0", "errors": "1", "skipped": "0", "time": "0.840"}
    assert {key: found[0].get(key) for key in counts} == counts
    assert (found.get("tests"), found.get("errors"), found.get("time")) == ("4", "2", "1.680")
    assert [case.get("time") for case in found[0]] == ["0.420", "0.420"]


def test_what_has_no_value_is_an_error_with_its_reason(make_row):
    _, tone = suites(make_row())[0]
    (error,) = tone
    assert (error.tag, error.get("type")) == ("error", "out_of_range")
    assert error.get("message") == error.text == "12 lies outside 0 to 10"


def test_what_has_one_tells_it_with_rule_and_explanation(make_row):
    accuracy, _ = suites(make_row())[0]
    (said,) = accuracy
    assert (said.tag, said.text) == ("system-out", "5.0 (serious-error, was 7.5)\nSai số liệu.")


def test_a_no_is_a_failure_and_a_yes_is_none(make_row):
    scores = {
        "kind": Score(outcome=Outcome.SCORED, value=False, explanation="It\nshouts."),
        "true": Score(outcome=Outcome.SCORED, value=True),
        "zero": Score(outcome=Outcome.SCORED, value=0),
    }
    (suite,) = suites(make_row(scores=scores))
    assert (suite.get("failures"), suite.get("errors")) == ("1", "0")
    failure = suite[0][0]
    assert (failure.tag, failure.get("type"), failure.text) == ("failure", "no", "It\nshouts.")
    assert failure.get("message") == "It\nshouts."
    assert [[part.tag for part in case] for case in suite][1:] == [["system-out"]] * 2


def test_repeats_are_told_apart(make_row):
    (suite,) = suites(make_row(), make_row(repeat=1))
    names = [case.get("name") for case in suite]
    assert len(set(names)) == 4
    assert names[2] == "42: accuracy (repeat 1)"


def test_no_rows_are_no_suites():
    found = suites()
    assert (found.tag, found.get("tests"), len(found)) == ("testsuites", "0", 0)


def test_a_long_reason_stands_in_full_below_its_beginning(make_row):
    score = Score(outcome=Outcome.UNREADABLE, reason=Reason.of("x" * 1000))
    error = suites(make_row(scores={"fit": score}))[0][0][0]
    assert (len(error.get("message") or ""), len(error.text or "")) == (300, 1000)


texts = st.text(st.characters(codec="utf-8") | st.sampled_from("\0\x0b\x1f\ufffe<&\"']"))


@given(text=texts.filter(lambda text: junit._ILLEGAL.sub("", text)))
def test_any_text_makes_valid_xml_and_comes_back_but_for_what_xml_cannot_hold(text):
    score = {"value": None, "outcome": "unreadable", "why": text, "label": None, "rule": None}
    row = {"judge": text, "model": "m", "item": text, "repeat": 0, "latency_ms": 1}
    found = suites({**row, "scores": {"fit": {**score, "explanation": None}}})
    kept = junit._ILLEGAL.sub("", text)
    assert found[0].get("name") == f"{kept} by m"
    assert found[0][0].get("name") == f"{kept}: fit"
    # A reader makes one line break of both signs, as XML says.
    assert found[0][0][0].text == kept.replace("\r\n", "\n").replace("\r", "\n")
