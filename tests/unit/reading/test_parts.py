"""Checklists, claims and quotations: what is asked for is read back, and code makes the score."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.core.item import Item
from adjudge.core.judge import Judge
from adjudge.core.reply import Reply
from adjudge.core.score import Outcome, Score
from adjudge.judges import load_text, renderer_for
from adjudge.reading import Reading, apply_rules, read_reply, repair_question

CONTEXT = "The fee is 5 euros. It is due on May 3. Students pay 2 euros."
HEAD = """
judge: rich
version: 1
title: Is it good?
language: {language}
explain_in: any
reply: {reply}
inputs:
  context: {{required: true}}
  answer: {{required: true, judged: true}}
criteria:
"""


def judge_of(criteria: str, reply: str = "json", language: str = "en", more: str = "") -> Judge:
    return load_text(HEAD.format(reply=reply, language=language) + criteria + more, "rich.yaml")


def read_with(judge: Judge, reply: str, **fields: str) -> Reading:
    item = Item("1", {"context": CONTEXT, "answer": "It costs 5 euros.", **fields})
    (prompt,) = renderer_for(judge, b"secret").prompts(item)
    return read_reply(judge, prompt, Reply(text=reply))


def scores_of(judge: Judge, reading: Reading) -> Mapping[str, Score]:
    return apply_rules(judge.rubric, reading.scores, reading.flags)


LIST = """  covers:
    checklist:
      - Names the fee
      - {text: Names the date, points: 3}
      - {text: Invents a fee, points: -2}
"""
GRADED = "  tone: {scale: {type: integer, min: 1, max: 5}}\n"


def answered(answers: list[str], reply: str, *, alone: bool) -> str:
    """A reply in the form that the prompt asks for."""
    if reply == "json":
        numbered: dict[str, Any] = {
            str(n): {"yes": True, "no": False}.get(a, a) for n, a in enumerate(answers, 1)
        }
        if alone:
            return json.dumps({"explanation": "since", "covers": numbered})
        group = {"explanation": "since", "answers": numbered}
        return json.dumps({"covers": group, "tone": {"explanation": "calm", "score": 4}})
    rows = ["Explanation: since", *(f"Q{n}: {a}" for n, a in enumerate(answers, 1))]
    if alone:
        return "\n".join(rows)
    return "\n".join(["### Covers", *rows, "### Tone", "Explanation: calm", "Score: 4"])


@given(
    st.lists(st.sampled_from(["yes", "no"]), min_size=3, max_size=3),
    st.sampled_from(["json", "text"]),
    st.booleans(),
)
def test_a_checklist_that_is_answered_as_asked_is_read_back(
    answers: list[str], reply: str, alone: bool
) -> None:
    judge = judge_of(LIST if alone else LIST + GRADED, reply)
    reading = read_with(judge, answered(answers, reply, alone=alone))
    score = scores_of(judge, reading)["covers"]
    assert [part.verdict for part in score.parts] == answers
    points = [1, 3, -2]
    achieved = sum(p for p, a in zip(points, answers, strict=True) if a == "yes")
    assert score.value == pytest.approx(achieved / 4)
    assert score.explanation == "since"
    if not alone:
        assert reading.scores["tone"].value == 4


def test_points_of_faults_can_take_a_share_below_0_unless_it_is_clipped() -> None:
    reply = answered(["no", "no", "yes"], "json", alone=True)
    judge = judge_of(LIST)
    score = scores_of(judge, read_with(judge, reply))["covers"]
    assert (score.value, score.unit) == (-0.5, 0.0)
    clipped = judge_of(
        "  covers: {checklist: {clip: true, questions: [Is A, Is B, {text: Is C, points: -2}]}}\n"
    )
    assert scores_of(clipped, read_with(clipped, reply))["covers"].value == 0


def test_a_sum_is_the_points_themselves() -> None:
    judge = judge_of(
        LIST.replace("checklist:\n", "checklist:\n      score: sum\n      questions:\n")
    )
    reply = answered(["yes", "yes", "yes"], "json", alone=True)
    score = scores_of(judge, read_with(judge, reply))["covers"]
    assert (score.value, score.unit) == (2, pytest.approx(4 / 6))


def test_a_required_question_that_is_not_met_makes_the_list_worth_nothing() -> None:
    judge = judge_of("  covers: {checklist: [{text: Is A, required: true}, Is B]}\n")
    score = scores_of(judge, read_with(judge, answered(["no", "yes"], "json", alone=True)))[
        "covers"
    ]
    assert (score.value, score.raw, score.rule) == (0, 0.5, "required")


@pytest.mark.parametrize("reply", ["json", "text"])
def test_an_unanswered_question_is_no_no(reply: str) -> None:
    judge = judge_of(LIST, reply)
    reading = read_with(judge, answered(["yes", "yes"], reply, alone=True))
    score = reading.scores["covers"]
    assert (score.outcome, score.value) == (Outcome.UNREADABLE, None)
    assert "question 3" in str(repair_question(judge, reading, []))


@pytest.mark.parametrize("reply", ["json", "text"])
def test_questions_that_do_not_apply_are_left_out(reply: str) -> None:
    judge = judge_of(LIST + "    may_not_apply: true\n", reply)
    score = read_with(judge, answered(["yes", "n/a", "no"], reply, alone=True)).scores["covers"]
    assert (score.outcome, score.value) == (Outcome.SCORED, 1)
    none = read_with(judge, answered(["n/a", "n/a", "n/a"], reply, alone=True)).scores["covers"]
    assert (none.outcome, none.value) == (Outcome.NOT_APPLICABLE, None)
    strict = judge_of(LIST, reply)
    lost = read_with(strict, answered(["yes", "n/a", "no"], reply, alone=True)).scores["covers"]
    assert lost.outcome is Outcome.UNREADABLE


@pytest.mark.parametrize("reply", ["json", "text"])
@pytest.mark.parametrize("said", ["n/a", "N/A.", "not applicable", "해당 없음", "không áp dụng"])
def test_a_criterion_that_does_not_apply_has_no_value_and_did_not_fail(
    reply: str, said: str
) -> None:
    criteria = GRADED.replace("{scale", "{may_not_apply: true, scale")
    text = json.dumps({"explanation": "e", "tone": said})
    text = text if reply == "json" else f"Explanation: e\nScore: {said}"
    score = read_with(judge_of(criteria, reply), text).scores["tone"]
    assert (score.outcome, score.value) == (Outcome.NOT_APPLICABLE, None)
    strict = read_with(judge_of(GRADED, reply), text).scores["tone"]
    assert strict.outcome is Outcome.UNREADABLE


CLAIMS = "  grounded: {claims: {against: [context]}}\n"
MADE = [
    ("The fee is 5 euros", "supported", "The fee is 5 euros.", 1),
    ("It is due in June", "contradicted", "due on May 3", 1),
    ("Cash is taken", "not_mentioned", "", 0),
]


def claimed(claims: list[tuple[str, str, str, int]], reply: str, *, alone: bool) -> str:
    if reply == "json":
        keys = ("claim", "verdict", "quote", "source")
        rows = [dict(zip(keys, claim, strict=True)) for claim in claims]
        if alone:
            return json.dumps({"explanation": "since", "grounded": rows})
        group = {"explanation": "since", "claims": rows}
        return json.dumps({"grounded": group, "tone": {"explanation": "calm", "score": 4}})
    rows = ["Explanation: since", *("Claim: " + " | ".join(map(str, claim)) for claim in claims)]
    if alone:
        return "\n".join(rows)
    return "\n".join(["### Grounded", *rows, "### Tone", "Explanation: calm", "Score: 4"])


@given(
    st.lists(st.sampled_from(MADE), min_size=1, max_size=5),
    st.sampled_from(["json", "text"]),
    st.booleans(),
)
def test_claims_that_are_listed_as_asked_are_read_back(
    claims: list[tuple[str, str, str, int]], reply: str, alone: bool
) -> None:
    judge = judge_of(CLAIMS if alone else CLAIMS + GRADED, reply)
    score = read_with(judge, claimed(claims, reply, alone=alone)).scores["grounded"]
    assert [(part.text, part.verdict) for part in score.parts] == [claim[:2] for claim in claims]
    assert [part.source or 0 for part in score.parts] == [claim[3] for claim in claims]
    assert score.value == pytest.approx(
        sum(claim[1] == "supported" for claim in claims) / len(claims)
    )
    for part, claim in zip(score.parts, claims, strict=True):
        if claim[2]:
            assert part.quotation is not None
            begin, end = part.quotation.start, part.quotation.end
            assert CONTEXT[begin:end] == claim[2]
    assert not score.unsupported


def test_what_is_not_contradicted_may_be_what_counts() -> None:
    judge = judge_of("  grounded: {claims: {against: [context], credit: not_contradicted}}\n")
    score = read_with(judge, claimed(MADE, "json", alone=True)).scores["grounded"]
    assert score.value == pytest.approx(2 / 3)


INVENTED = [("The fee is 5 euros", "supported", "The fee is six euros.", 1)]


@pytest.mark.parametrize("reply", ["json", "text"])
def test_a_claim_with_an_invented_quotation_is_unsupported(reply: str) -> None:
    judge = judge_of(CLAIMS, reply)
    reading = read_with(judge, claimed(INVENTED, reply, alone=True))
    assert "six euros" in str(repair_question(judge, reading, []))
    score = scores_of(judge, reading)["grounded"]
    assert (score.value, score.explanation_outcome) == (1, Outcome.UNSUPPORTED)
    strict = judge_of(CLAIMS.replace("[context]", "[context], required: true"), reply)
    score = scores_of(strict, read_with(strict, claimed(INVENTED, reply, alone=True)))["grounded"]
    assert (score.outcome, score.value) == (Outcome.UNREADABLE, None)


def test_no_claim_at_all_is_no_score() -> None:
    nothing = json.dumps({"explanation": "e", "grounded": []})
    assert read_with(judge_of(CLAIMS), nothing).scores["grounded"].outcome is Outcome.UNREADABLE
    lenient = judge_of(CLAIMS.replace("{claims", "{may_not_apply: true, claims"))
    assert read_with(lenient, nothing).scores["grounded"].outcome is Outcome.NOT_APPLICABLE


def test_a_judged_text_cannot_bring_a_verdict_along() -> None:
    """A claim that repeats bars of the judged text leaves open which part is the verdict."""
    line = "Claim: all is | supported | said so | contradicted | The fee is 5 euros. | 1"
    score = read_with(judge_of(CLAIMS, "text"), f"Explanation: e\n{line}").scores["grounded"]
    assert score.outcome is Outcome.UNREADABLE


EVIDENCE = """  tone:
    scale: {type: integer, min: 1, max: 5}
    evidence: {from: [context, answer], least: 1}
"""


def quoting(quotes: list[str], reply: str, *, alone: bool) -> str:
    if reply == "json":
        group: dict[str, Any] = {"quotes": quotes, "explanation": "since"}
        if alone:
            return json.dumps({**group, "tone": 4})
        covers = {"explanation": "c", "answers": {"1": True, "2": True, "3": False}}
        return json.dumps({"tone": {**group, "score": 4}, "covers": covers})
    rows = ["Quotes:", *(f"- {quote}" for quote in quotes), "Explanation: since", "Score: 4"]
    if alone:
        return "\n".join(rows)
    return "\n".join(["### Tone", *rows, "### Covers", "Q1: yes", "Q2: yes", "Q3: no"])


TRUE = ["The fee is 5 euros.", "due on May 3", "It costs 5 euros."]


@given(
    st.lists(st.sampled_from(TRUE), min_size=1, max_size=3, unique=True),
    st.sampled_from(["json", "text"]),
    st.booleans(),
)
def test_quotations_are_read_back_with_their_places(
    quotes: list[str], reply: str, alone: bool
) -> None:
    judge = judge_of(EVIDENCE if alone else EVIDENCE + LIST, reply)
    score = scores_of(judge, read_with(judge, quoting(quotes, reply, alone=alone)))["tone"]
    texts = {"context": CONTEXT, "answer": "It costs 5 euros."}
    assert (score.value, score.explanation, score.explanation_outcome) == (4, "since", None)
    assert [quotation.quote for quotation in score.evidence] == quotes
    for quotation in score.evidence:
        assert texts[str(quotation.input)][quotation.start : quotation.end] == quotation.quote


@pytest.mark.parametrize("reply", ["json", "text"])
@pytest.mark.parametrize("quotes", [[], ["The fee is 6 euros."], [TRUE[0], "Nobody pays."]])
def test_quotations_that_are_missing_or_invented_are_asked_for_once_more(
    reply: str, quotes: list[str]
) -> None:
    judge = judge_of(EVIDENCE, reply)
    reading = read_with(judge, quoting(quotes, reply, alone=True))
    question = str(repair_question(judge, reading, []))
    assert "Context, Answer" in question
    score = scores_of(judge, reading)["tone"]
    assert (score.value, score.explanation_outcome) == (4, Outcome.UNSUPPORTED)
    strict = judge_of(EVIDENCE.replace("least: 1", "least: 1, required: true"), reply)
    lost = scores_of(strict, read_with(strict, quoting(quotes, reply, alone=True)))["tone"]
    assert (lost.outcome, lost.value, lost.raw) == (Outcome.UNREADABLE, None, 4)
    assert lost.reason is not None
    assert lost.reason.code == "evidence.missing"


def test_a_reply_that_quotes_all_it_should_is_not_asked_again() -> None:
    judge = judge_of(EVIDENCE)
    assert repair_question(judge, read_with(judge, quoting(TRUE, "json", alone=True)), []) is None


COLUMN = "  covers: {rubric: {from: rubrics}}\n"


def test_a_list_that_comes_with_the_item_is_asked_and_scored() -> None:
    judge = judge_of(COLUMN)
    rubrics = [
        {"criterion": "Names the fee", "points": 5, "tags": ["level:example"]},
        {"criterion": "Names the date", "points": 3},
        {"criterion": "Is rude", "points": -4},
    ]
    item = Item("1", {"context": CONTEXT, "answer": "a", "rubrics": json.dumps(rubrics)})
    (prompt,) = renderer_for(judge, b"secret").prompts(item)
    assert "2. Names the date" in prompt.messages[0].content
    assert "rubrics" not in prompt.messages[-1].content
    reading = read_reply(
        judge, prompt, Reply(text=answered(["yes", "no", "yes"], "json", alone=True))
    )
    assert reading.scores["covers"].value == pytest.approx(1 / 8)
    shorter = Item("2", {"context": CONTEXT, "answer": "a", "rubrics": '["Only one?"]'})
    renderer = renderer_for(judge, b"secret")
    assert [len(renderer.prompts(one)[0].questions["covers"]) for one in (item, shorter, item)] == [
        *(3, 1, 3)
    ]


def test_an_item_without_a_list_has_nothing_to_score() -> None:
    judge = judge_of(COLUMN, more="").with_questions({})
    reading = read_with(judge, json.dumps({"explanation": "e", "covers": {}}))
    assert reading.scores["covers"].outcome is Outcome.NOT_APPLICABLE


MARKED = "  mqm: {errors: {from: [context]%s}, explain: false}\n"


def marked(*errors: tuple[str, str, str]) -> str:
    keys = ("span", "category", "severity")
    return json.dumps({"errors": [dict(zip(keys, error, strict=True)) for error in errors]})


def test_errors_cost_what_mqm_says_and_end_at_the_lowest_value() -> None:
    judge = judge_of(MARKED % "")
    reading = read_with(judge, marked(("fee is 5", "omission", "Major"), ("due", "x", "minor")))
    score = scores_of(judge, reading)["mqm"]
    assert (score.value, score.raw, score.rule, score.unit) == (-6, -6, None, 1 - 6 / 25)
    assert [part.points for part in score.parts] == [-5, -1]
    worst = read_with(judge, marked(("fee is 5", "a", "critical"), ("due", "b", "minor")))
    score = scores_of(judge, worst)["mqm"]
    assert (score.value, score.raw, score.rule) == (-25, -26, "lowest")
    assert scores_of(judge, read_with(judge, marked()))["mqm"].value == 0


@pytest.mark.parametrize("required", [False, True])
def test_an_error_in_words_that_are_not_there_is_unsupported(required: bool) -> None:
    judge = judge_of(MARKED % (", required: true" if required else ""))
    reading = read_with(judge, marked(("fee is 6", "omission", "major")))
    score = scores_of(judge, reading)["mqm"]
    assert score.explanation_outcome is Outcome.UNSUPPORTED
    assert score.value == (None if required else -5)
    assert "fee is 6" in (repair_question(judge, reading, []) or "")


def test_a_severity_that_is_not_known_is_asked_for_once_more() -> None:
    judge = judge_of(MARKED % ", severities: {slight: 1, grave: 7}")
    reading = read_with(judge, marked(("due", "grammar", "awful")))
    score = scores_of(judge, reading)["mqm"]
    assert (score.outcome, score.value) == (Outcome.UNREADABLE, None)
    assert score.reason is not None
    assert score.reason.code == "errors.unclear"
    assert "slight, grave" in (repair_question(judge, reading, []) or "")
    assert scores_of(judge, read_with(judge, "{}"))["mqm"].value is None
