"""Forms of scales, keys and messages as people write them without a sample of the reply."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from adjudge.errors import UsageError
from adjudge.judges.importing import ImportedJudge, Options, import_prompt
from adjudge.judges.importing.python_prompts import python_prompts
from adjudge.judges.importing.scales import find_scale
from adjudge.reading import detect_language

Import = Callable[..., ImportedJudge]


def scales(judge: ImportedJudge) -> dict[str, Any]:
    return {name: entry["scale"] for name, entry in judge.criteria.items()}


def test_letters_behind_one_label_are_the_options(take: Import) -> None:
    """The meanings in brackets are no options, whatever language they are in."""
    judge = take(
        "Grade the reply {reply} to {question}.\n"
        "- MARK: R (Right, 맞음)\n- MARK: H (Half right, 일부 맞음)\n- MARK: W (Wrong, 틀림)\n"
        'End with one line that begins with "MARK: ".'
    )
    assert scales(judge) == {"mark": {"type": "category", "options": ["R", "H", "W"]}}


@pytest.mark.parametrize(
    ("text", "bounds"),
    [
        ("0.0 (쓸모없음) ~ 1.0 (완벽) 사이의 점수만 출력하세요.", (0, 1)),
        ("Give a score from 0 (useless) to 10 (perfect) for the reply.", (0, 10)),
    ],
)
def test_both_ends_of_a_range_may_have_names(text: str, bounds: tuple[int, int]) -> None:
    scale = find_scale(text)
    assert scale is not None
    assert (scale.scale["min"], scale.scale["max"]) == bounds


def test_not_applicable_is_one_option_and_no_pair() -> None:
    scale = find_scale("Verdict: {left, right, same, N/A, or unsure}", labelled=True)
    assert scale is not None
    assert scale.scale["options"] == ["left", "right", "same", "N/A", "unsure"]


def test_a_letter_for_any_number_is_no_option(take: Import) -> None:
    judge = take(
        "Which of the two replies is ruder?\nReply 1: {reply_1}\nReply 2: {reply_2}\n"
        'Say only e.g. "[[Response 2]]", in the form: Ruder: [[Response X]]'
        "\n(Response 1 is the first of them.)"
    )
    assert scales(judge) == {"score": {"type": "category", "options": ["2", "1"]}}


def test_a_label_with_a_condition_is_an_option(take: Import) -> None:
    judge = take(
        "Does the reply insult the customer?\n- RUDE: If it mocks/insults the customer\n"
        "- FINE: If it does not\n- UNSURE: If you cannot tell\nReply: {reply}\n"
        "Answer with one word: RUDE, FINE, or UNSURE"
    )
    assert scales(judge) == {"score": {"type": "category", "options": ["RUDE", "FINE", "UNSURE"]}}


def test_a_fence_around_what_is_shown_is_no_form_of_the_reply(take: Import) -> None:
    made = take(
        "Grade the record from 1 to 5.\n```json\n{record}\n```\n\nReply:\n<score>[1-5]</score>"
    )
    assert made.judge.reply == "text"


def test_labels_of_inputs_are_no_options() -> None:
    with pytest.raises(UsageError, match="no scale was found"):
        import_prompt(
            "Judge the answer with one of the five marks of our school.\n\n"
            "- Question: {question}\n- Expected answer: {expected}\n- Answer: {answer}\n"
            "Reply as JSON with 'score' (one of our marks) and 'reason'.",
            Options(name="x", detect=detect_language),
        )


def test_an_input_out_of_five_is_no_place_of_the_reply(take: Import) -> None:
    judge = take(
        "Two judges disagree.\n- First judge: {first_score}/5\n- Second judge: {second_score}/5\n"
        "Answer: {answer}\nReturn a single number from 1 to 5."
    )
    assert [*judge.criteria] == ["score"]


def test_a_list_in_words_is_no_option(take: Import) -> None:
    with pytest.raises(UsageError, match="no scale was found"):
        take(
            "Name what the answer {answer} makes up beside {source}.\n"
            'Answer in this form:\nINVENTED: <comma-separated list, or "none">'
        )


def test_a_label_that_denies_is_a_verdict_beside_a_score(take: Import) -> None:
    judge = take(
        "Does the note support the reply?\nNote: {note}\nReply: {reply}\n"
        "Return JSON only with keys: label, score, reason.\n"
        "label must be exactly one of: supported, half_supported, unsupported.\n"
        "score must be a float between 0 and 1."
    )
    assert scales(judge) == {
        "label": {"type": "category", "options": ["supported", "half_supported", "unsupported"]},
        "score": {"type": "number", "min": 0, "max": 1},
    }


def test_a_kind_of_text_is_no_verdict_beside_a_score(take: Import) -> None:
    judge = take(
        "Rate the reply {reply} to {question}.\nReturn JSON only with keys: label, score.\n"
        "label must be exactly one of: math, code, chat.\nscore must be a float between 0 and 1."
    )
    assert list(scales(judge)) == ["score"]


def test_keys_may_be_named_behind_their_types(take: Import) -> None:
    judge = take(
        "Question: {question}\nAnswer: {answer}\nReturn JSON with boolean correct and string why."
    )
    assert scales(judge) == {"correct": {"type": "binary"}}


def test_a_range_in_vietnamese_belongs_to_its_key(take: Import) -> None:
    judge = take(
        "Đánh giá câu trả lời {answer}.\nHãy chấm điểm từ 0 đến 10 cho clarity.\n"
        "mood_change phải từ -5 đến 5.\n"
        'Trả về JSON: {{"clarity": 0, "mood_change": 0, "comment": ""}}'
    )
    assert scales(judge)["mood_change"]["min"] == -5
    assert scales(judge)["clarity"]["max"] == 10


def test_messages_of_one_role_after_each_other_are_one_text() -> None:
    ask = "Rate the answer from 1 to 5 and say in one or two sentences what you think of it."
    code = (
        "P = ChatPromptTemplate.from_messages([\n"
        '    ("system", "You grade answers."), ("system", "Be strict."),\n'
        f'    ("user", "{ask}"), ("user", "Answer: {{answer}}")])\n'
    )
    (prompt,) = [one for one in python_prompts(code, "p.py") if one.likely]
    assert (prompt.system, prompt.problem) == ("You grade answers.\n\nBe strict.", None)
    assert prompt.text == f"{ask}\n\nAnswer: {{answer}}"


def test_expressions_that_end_alike_are_two_inputs() -> None:
    """Else the reference would be judged in place of the answer."""
    code = (
        "def ask(row, answer):\n"
        "    prompt = (f\"Reference: {row.gold['answer']}\\nGiven: {answer}\\n\"\n"
        '              "Is what was given right? Answer yes or no, and judge strictly.")\n'
        "    return send(prompt)\n"
    )
    (prompt,) = [one for one in python_prompts(code, "p.py") if one.likely]
    assert "{row_gold_answer}" in prompt.text
    assert "{answer}" in prompt.text


def test_of_two_inputs_that_nobody_knows_the_report_names_both(take: Import) -> None:
    judge = take(
        "Does this blurb fit the tier '{tier}'? Rate the tier from 1 to 5.\n"
        "- tier: {tier}\n- blurb: {blurb}"
    )
    doubts = [finding.doubt for finding in judge.findings.all if finding.what == "judged"]
    assert any("blurb" in doubt or "tier" in doubt for doubt in doubts)
