"""What a prompt leaves open is asked, and lists and labels are read as a whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.errors import UsageError
from adjudge.judges.importing import ImportQuestion, Options, import_prompt, read_source
from adjudge.judges.importing.rubric import said_of
from adjudge.judges.importing.scales import find_scale
from adjudge.reading import detect_language

OPTIONS = Options(name="x", detect=detect_language)

ASKED = {
    "examples alone": ("Grade the answer from 1 to 5.\nExamples:\n{few_shot_examples}", "judged"),
    "rubric alone": ("Grade the email from 1 to 5 by this.\n{rubric}", "judged"),
    "score alone": ("Say why it was graded so, from 1 to 5.\nScore: {score}", "judged"),
    "a score for each of two": (
        "Each assistant receives a score from 1 to 10.\nA: {answer_a}\nB: {answer_b}",
        "criteria",
    ),
    "two scores in a line": (
        "Rate both from 1 to 10. Write two scores in one line.\nFirst: {a}\nSecond: {b}",
        "criteria",
    ),
    "list in words": (
        'Return a JSON list of objects with "step" and "score" from 1 to 3 of the plan.\n{plan}',
        "criteria",
    ),
    "criteria that the item names": (
        'Rate from 1 to 5: {{"parts": {{"one": {{"score": 4}}, ...}}, "overall": 3}}\n{answer}',
        "criteria",
    ),
    "criteria that come with the item": (
        "Give a score per criterion of {criteria_list} from 1 to 5.\nAnswer: {answer}",
        "criteria",
    ),
    "각 항목": ("각 항목을 1점에서 5점으로 채점하세요.\n답변 {answer}", "criteria"),
    "từng tiêu chí": ("Chấm từng tiêu chí từ 1 đến 5.\nCâu trả lời: {answer}", "criteria"),
    "各回答每项": ("请评分。各回答每项 1-10 分，输出总分。\n回答：{answer}", "criteria"),
    "a highest score that the item names": (
        "Rate it with a score from 0 to {max_score}. Similarity: 0 to 100.\nAnswer: {answer}",
        "scale",
    ),
    "a place that ends in an input": (
        'Rate it: {{"note": <0 to {points}>, "similarity": <0 to 100>}}\nAnswer: {answer}',
        "scale",
    ),
    "điểm tối đa theo mục": (
        "Chấm điểm từ 0 đến {max_score}. Độ giống: 0 đến 100.\nCâu trả lời: {answer}",
        "scale",
    ),
    "만점이 문항마다 다름": (
        "점수는 0점에서 {max_score}점까지, 유사도는 0에서 1까지입니다.\n답변: {answer}",
        "scale",
    ),
    "both ends that the item names": (
        "Give a score between {{low}} and {{max_score}}. Overlap: 0 to 1.\nAnswer: {{answer}}",
        "scale",
    ),
    "braces with keys of which nothing is said": (
        "Judge it. Return JSON { adequacy, fluency, tone, rationale }.\nAnswer: {{answer}}",
        "scale",
    ),
    "data in braces": (
        'Decide about the record {"id": 7, "group_id": 3}.\nAnswer: {answer}',
        "scale",
    ),
}


@pytest.mark.parametrize(("text", "key"), ASKED.values(), ids=list(ASKED))
def test_it_asks(text: str, key: str) -> None:
    with pytest.raises(ImportQuestion) as question:
        import_prompt(text, OPTIONS)
    assert question.value.key == key


LISTS = {
    'Return one of these words:\n- "Y" if it has slang.\n- "N" if not.\n- "P" if it may.': "Y N P",
    "End with GRADE: C if it is right, or GRADE: I if it is not.": "C I",
    "Rate it on this scale:\nA - Fine: all done\nB - Minor gap: most done\nGive a letter.": "A B",
    "Say one of: A>>B (far better), A>B (better), A=B, B>A, B>>A.": "A>>B A>B A=B B>A B>>A",
    "trueかfalseかnullの3値で評価してください。": "true false null",
    "正しい場合はPASSと出力し、誤りの場合はFAILと出力。": "PASS FAIL",
    "如果正确请输出 PASS，否则输出 FAIL。": "PASS FAIL",
    "Write one of these three:\nA\nB\nTIE\n": "A B TIE",
}


@pytest.mark.parametrize(("text", "options"), LISTS.items())
def test_all_options_of_a_list_are_taken(text: str, options: str) -> None:
    scale = find_scale(text)
    assert scale is not None
    assert scale.scale["options"] == options.split()


FORMS = {
    "keys without braces": (
        'Your output:\n"verdict": "yes" or "no",\n"feedback": "why"\nAnswer: {answer}',
        {"verdict": "yes or no"},
    ),
    "a word for the verdict": (
        'Decide "Pass" or "Fail". JSON: "result": \'result\', "reason": \'reason\'\nA: {answer}',
        {"result": "Pass / Fail"},
    ),
    "scores beside a verdict": (
        'Grade 0-10. {{"correctness": 0, "depth": 0, "overall": 0, "passes": false}}\n{answer}',
        {
            "correctness": "number from 0 to 10",
            "depth": "number from 0 to 10",
            "overall": "number from 0 to 10",
            "passes": "yes or no",
        },
    ),
    "a place in brackets": (
        'From 1 to 9: {{"tone": {{"score": [insert the score here], "reason": [why]}}}}\n{answer}',
        {"tone": "number from 1 to 9"},
    ),
    "one example per verdict": (
        'Return {{"flag": 0, "text": null}} if fine, else {{"flag": 1, "text": "new"}}.\n{answer}',
        {"flag": "yes or no"},
    ),
    "ends of a range with words": (
        'Scores from 0 to 1: {{"noise": 0.1}}\n- noise: what is made up (0=none, 1=all)\n{answer}',
        {"noise": "number from 0 to 1"},
    ),
    "what is taken off": (
        'Rate from 0 to 10: {{"tone": 0, "pacing": 0}}. Deduct pacing 1-2 points.\n{answer}',
        {"tone": "number from 0 to 10", "pacing": "number from 0 to 10"},
    ),
}


@pytest.mark.parametrize(("text", "criteria"), FORMS.values(), ids=list(FORMS))
def test_the_form_of_the_reply_tells_the_criteria(text: str, criteria: dict[str, str]) -> None:
    imported = import_prompt(text, OPTIONS)
    assert said_of(imported.criteria) == criteria
    assert imported.judge.reply == "json"


def test_json_that_is_only_spoken_of_is_no_form() -> None:
    text = 'Say "good" or "bad". It is bad when JSON is improperly formatted.\nAnswer: {answer}'
    assert import_prompt(text, OPTIONS).judge.reply == "text"


def test_a_label_with_each_of_its_verdicts_is_a_criterion() -> None:
    text = "Output format:\nWinner: <A or B>\nFinal answer: Yes\nOR\nFinal answer: No\n\n{debate}"
    criteria = said_of(import_prompt(text, OPTIONS).criteria)
    assert criteria == {"winner": "A / B", "final_answer": "yes or no"}


def test_a_template_that_shows_nothing_is_refused() -> None:
    text = "Rate the answer from 1 to 5. {% set x = 3 %}{% if x %}Be fair and say why.{% endif %}"
    with pytest.raises(UsageError, match="no placeholder"):
        import_prompt(text, OPTIONS)


def test_how_many_there_are_is_never_judged() -> None:
    text = (
        "Are the documents enough? Say yes or no.\nQuestion: {question}\n{num_docs}\nText: {sample}"
    )
    assert import_prompt(text, OPTIONS).judge.judged == ("sample",)


def test_each_return_of_a_function_is_a_text_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "prompts.py"
    same = "Rate the answer below on the dimension that is named here from 1 to 5"
    rows = [f'    if m == {n}:\n        return f"{same}: {n}. {{answer}}"\n' for n in (1, 2)]
    file.write_text("def build(m, answer):\n" + "".join(rows), encoding="utf-8")
    assert ": 1." in read_source(file, "build").text


def test_texts_below_like_labels_are_judged_together() -> None:
    text = "Is 1 better than 2? Yes or no.\n[Response 1]\n{reply}\n[Response 2]\n{expected}"
    assert import_prompt(text, OPTIONS).judge.judged == ("reply", "expected")


def test_a_text_that_the_task_names_is_judged_with_a_doubt() -> None:
    text = (
        "Grade from 1 to 7 how well the description fits.\nCode: {code}\nDescription: {description}"
    )
    imported = import_prompt(text, OPTIONS)
    [judged] = [one for one in imported.findings.all if one.what == "judged"]
    assert (judged.value, str(judged.doubt)) == (
        "description",
        "not named so; the task speaks of it",
    )


def test_a_file_that_is_one_prompt_needs_no_pick(tmp_path: Path) -> None:
    file = tmp_path / "judge.yaml"
    user = "Rate the chapter below, as said above, from 0 to 10 points.\\n{chapter_text}"
    system = "You are an editor who rates and scores chapters. Be fair and say why you score so."
    file.write_text(f'version: "1"\nsystem: "{system}"\nuser: "{user}"\n', encoding="utf-8")
    assert read_source(file).system == system


def test_texts_without_a_place_are_not_offered(tmp_path: Path) -> None:
    file = tmp_path / "judge.yaml"
    long = "Rate the answer from 1 to 5 and say why you rate and score it so, please: {answer}"
    note = "This version was changed since the scores of the first one did not agree with people."
    file.write_text(
        "".join(
            f'{name}:\n  note: "{note}"\n  template: "{name} {long}"\n' for name in ("v1", "v2")
        ),
        encoding="utf-8",
    )
    with pytest.raises(ImportQuestion, match=r"--pick NAME: v1\.template, v2\.template\.$"):
        read_source(file)
