"""What is scored, on which scale, in which form: replies as prompts ask for them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from adjudge.errors import UsageError
from adjudge.judges.importing import ImportedJudge
from adjudge.judges.importing.rubric import said_of
from adjudge.judges.importing.words import CONFIDENCES, EXPLANATIONS, SCORES, VERDICTS

Import = Callable[..., ImportedJudge]
END = "\nQuestion: {question}\nAnswer: {answer}\n"
PAIR = "\n{question}\n{answer_a}\n{answer_b}"
ONE_TO_FIVE = "number from 1 to 5"

FORMS = {
    "labels in one line": (
        "Write one line in this form:\nDepth: [Yes/No], Tone: [Yes/No]" + END,
        {"depth": "yes or no", "tone": "yes or no"}, "text",
    ),
    "an object at the end of a line": (
        'Each from 1 to 5. JSON: {{"scores": {{"depth": X, "tone": X}}, "feedback": "..."}}' + END,
        {"depth": ONE_TO_FIVE, "tone": ONE_TO_FIVE}, "json",
    ),
    "a list of criteria of which each is scored": (
        "Criteria:\n1. Depth: deep?\n2. Tone: kind?\nRate each criterion from 1 to 5." + END,
        {"depth": ONE_TO_FIVE, "tone": ONE_TO_FIVE}, "text",
    ),
    "a list in Korean of which each is scored": (
        "평가 기준\n- 깊이 (depth)\n- 어조 (tone)\n각 기준을 1~5점으로 평가하세요." + END,
        {"depth": ONE_TO_FIVE, "tone": ONE_TO_FIVE}, "text",
    ),
    "keys in a line": (
        "Return JSON with keys: label (FIT|UNFIT|OPEN), confidence (0-1)." + END,
        {"label": "FIT / UNFIT / OPEN"}, "json",
    ),
    "quoted keys in a line": (
        'Reply in JSON with "score" (integer from 1 to 9) and "reason" (string).' + END,
        {"score": "integer from 1 to 9"}, "json",
    ),
    "a line per key": (
        "Reply in JSON:\n1. depth_score: 1-5. How deep is it?\n2. gaps: list of what is missing\n"
        "3. final_verdict: \"pass\" or \"fail\"." + END,
        {"depth_score": ONE_TO_FIVE, "final_verdict": "pass / fail"}, "json",
    ),
    "keys that share a range": (
        "Give scores from 0 to 5 for:\n(1) depth: is it deep?\n(2) tone: is it kind?\n"
        "Required keys of the JSON: depth, tone, rationale" + END,
        {"depth": "number from 0 to 5", "tone": "number from 0 to 5"}, "json",
    ),
    "a schema": (
        'Follow this JSON schema: {{"type": "object", "properties": {{"score": {{"type": "integer",'
        ' "minimum": 1, "maximum": 7}}, "reasoning": {{"type": "string"}}}}}}' + END,
        {"score": "integer from 1 to 7"}, "json",
    ),
    "an example of a verdict": (
        'JSON: {{"verdict": "PASS", "score": 0.9, "gaps": []}}\nPASS = all right\n'
        "PARTIAL = some of it\nFAIL = wrong" + END,
        {"verdict": "PASS / PARTIAL / FAIL"}, "json",
    ),
    "options around other keys": (
        'JSON: {{"is_right": true, "level": 0, "verdict": "pass", "reason": ""}}\n'
        "1. is_right, and level 0-100\n2. verdict: pass/warn/fail" + END,
        {"level": "number from 0 to 100", "is_right": "yes or no",
         "verdict": "pass / warn / fail"}, "json",
    ),
    "an overall value beside parts": (
        'JSON: {{"overall": [points 0-50], "parts": {{"depth": [points 0-50],'
        ' "tone": [points 0-50]}}}}'
        + END,
        {"overall": "number from 0 to 50", "depth": "number from 0 to 50",
         "tone": "number from 0 to 50"}, "json",
    ),
    "a sum without a scale": (
        'Each 0-5 points. JSON: {{"scores": {{"depth": int, "tone": int}}, "total": int}}' + END,
        {"depth": "integer from 0 to 5", "tone": "integer from 0 to 5"}, "json",
    ),
    "two examples of one key": (
        'Answer only {{"sorry": 0}} or {{"sorry": 1}} as JSON.' + END,
        {"sorry": "yes or no"}, "json",
    ),
    "places in lines": (
        "Score each from 1 to 5.\nDepth: X\nTone: X\nReason: why" + END,
        {"depth": ONE_TO_FIVE, "tone": ONE_TO_FIVE}, "text",
    ),
    "places with the highest": (
        "Depth: __/5\nTone: __/5\nVerdict: KEEP or DROP" + END,
        {"depth": "number from 0 to 5", "tone": "number from 0 to 5", "verdict": "KEEP / DROP"},
        "text",
    ),
    "verdicts in lines": (
        "In this format:\nCORRECT: PASS or FAIL\nCOMPLETE: PASS or FAIL\nVERDICT: PASS or FAIL"
        + END,
        {"correct": "PASS / FAIL", "complete": "PASS / FAIL", "verdict": "PASS / FAIL"}, "text",
    ),
    "tags": (
        "Rate 1-5.\n<depth>score</depth>\n<tone>score</tone>" + END,
        {"depth": ONE_TO_FIVE, "tone": ONE_TO_FIVE}, "text",
    ),
    "scales behind titles": (
        "1. Depth (0-40)\n2. Tone (0-10)\n\nFormat:\nDepth: xx\nTone: xx" + END,
        {"depth": "number from 0 to 40", "tone": "number from 0 to 10"}, "text",
    ),
    "a section per criterion": (
        "## Depth\n2=deep\n1=flat\n0=none\n\n## Tone\n2=kind\n1=cool\n0=rude\n\n"
        'JSON: {{"depth": 1, "tone": 2}}' + END,
        {"depth": "0 none, 1 flat, 2 deep", "tone": "0 rude, 1 cool, 2 kind"}, "json",
    ),
    "labels in bold": (
        "Pick the label that fits:\n- **MADE UP**: no\n- **PARTLY**: some\n- **BACKED**: all"
        "\n3. **Output one word**" + END,
        {"score": "MADE UP / PARTLY / BACKED"}, "text",
    ),
    "conditions by line": (
        "Output exactly one token:\nbacked if the text says so;\nnot_backed if not." + END,
        {"score": "backed / not_backed"}, "text",
    ),
    "options in a sentence": (
        "Your reply begins with yes, no, or unclear." + END,
        {"score": "yes / no / unclear"}, "text",
    ),
    "true if, false otherwise": (
        "- fits: true if it fits, false otherwise" + END, {"score": "yes or no"}, "text",
    ),
    "letters for words": (
        "Grade as CORRECT, INCORRECT or OPEN.\nA: CORRECT\nB: INCORRECT\nC: OPEN\n"
        'Just return the letters "A", "B" or "C".' + END,
        {"score": "A / B / C"}, "text",
    ),
    "sides of a pair": (
        'End with "The decision is Response 1 / Response 2 / Tie".' + PAIR,
        {"score": "Response 1 / Response 2 / Tie"}, "text",
    ),
    "one or two": ("Which is better? Answer with 1 or 2." + PAIR, {"score": "1 / 2"}, "text"),
    "added points": (
        "Use the additive 5-point scoring system: add 1 point if it is clear." + END,
        {"score": "number from 0 to 5"}, "text",
    ),
    "a total before its parts": (
        "- Depth (0-5)\n- Tone (0-5)\nGive a total score from 0 to 10.\nTotal score: [0-10]" + END,
        {"total_score": "number from 0 to 10"}, "text",
    ),
    "a value between levels": (
        "1: bad\n2: fair\n3: good\nExample: Score: 2.5" + END,
        {"score": "number from 1 to 3"}, "text",
    ),
    "halves beside whole levels": (
        "Score:\n1 = right\n0.5 = partly\n0 = wrong" + END, {"score": "number from 0 to 1"}, "text",
    ),
    "JSON that is shown": (
        "You are given documents in JSON format. Rate them from 1 to 5.\n<Quality score: [score]/5>"
        + END,
        {"quality_score": ONE_TO_FIVE}, "text",
    ),
    "a verdict beside the score, whatever its key is called": (
        "Answer with a dictionary with the keys 'match' and 'points', where 'match' is 'yes' or"
        " 'no' and points go from 0 to 8, e.g. {{'match': 'no', 'points': 3}}" + END,
        {"points": "number from 0 to 8", "match": "yes or no"}, "json",
    ),
    "levels in words for each key": (
        "Allowed labels: High, Medium, Low.\nReturn JSON, for example:"
        ' {{"depth": "Low", "detail": "High", "gaps": "No source is named."}}' + END,
        {"depth": "High / Medium / Low", "detail": "High / Medium / Low"}, "json",
    ),
    "an example of a verdict with its opposite in the text": (
        'Below 60 the verdict is NG. JSON: {{"care": 70, "verdict": "OK"}}, care from 0 to 9' + END,
        {"care": "number from 0 to 9", "verdict": "OK / NG"}, "json",
    ),
    "a key with an empty place": (
        'Evaluation must be "Fine" or "Broken".\nReturn JSON: {{"Evaluation": ""}}' + END,
        {"evaluation": "Fine / Broken"}, "json",
    ),
    "options in quotes of their own": (
        'Return JSON: {{"fit": number (0-50), "recommendation": "yes" | "maybe" | "no"}}' + END,
        {"fit": "number from 0 to 50", "recommendation": "yes / maybe / no"}, "json",
    ),
    "grades from A to E": (
        'Use the grades A-E. Return JSON: {{"plot": "B", "style": "A", "comment": "..."}}' + END,
        {"plot": "A / B / C / D / E", "style": "A / B / C / D / E"}, "json",
    ),
    "keys in a plain list": (
        "Mark from 0 to 20. Return JSON with the fields mark, passed and comment." + END,
        {"mark": "number from 0 to 20", "passed": "yes or no"}, "json",
    ),
    "a score of each of two kinds": (
        'Return JSON with the "answer_score" and "source_score" keys.\nGive an answer_score of 0 if'
        " it is wrong.\nGive an answer_score of 1 if it is partly so.\nGive an answer_score of 2 if"
        " it is right.\nGive a source_score of 0 if the source is bad.\nGive a source_score of 1 if"
        " it is good." + END,
        {"answer_score": "integer from 0 to 2", "source_score": "yes or no"}, "json",
    ),
    "a title with points that the reply calls otherwise": (
        '- Nội dung (7 điểm)\n- Ngôn ngữ (3 điểm)\nJSON: {{"noi_dung": số, "ngon_ngu": số}}' + END,
        {"noi_dung": "number from 0 to 7", "ngon_ngu": "number from 0 to 3"}, "json",
    ),
    "points in a table": (
        "| 項目 | 配点 |\n|---|---|\n| 論理 | 40 |\n| 熱意 | 60 |\n"
        'JSON: {{"論理": 数値, "熱意": 数値}}' + END,
        {"criterion_1": "number from 0 to 40", "criterion_2": "number from 0 to 60"}, "json",
    ),
    "a total with points of its own": (
        '内容（0-40分）、语言（0-60分），总分100分。'
        'JSON：{{"内容": 分, "语言": 分, "总分": 分}}' + END,
        {"content": "number from 0 to 40", "criterion_2": "number from 0 to 60",
         "overall": "number from 0 to 100"}, "json",
    ),
    "a score and a result in lines": (
        "Reply in this form:\nScore: <1-9>\nResult: <pass | fail | redo>" + END,
        {"score": "number from 1 to 9", "result": "pass / fail / redo"}, "text",
    ),
    "labels with nothing behind them": (
        "Depth: is it deep? (High/Low)\nScore out of 20.\nOutput format:\nDepth:\nScore:\n" + END,
        {"depth": "High / Low", "score": "number from 0 to 20"}, "text",
    ),
    "Japanese titles with the word for points": (
        "次の2つを1〜5で評価\n出力形式\n読みやすさ: 点\n説得力: 点" + END,
        {"criterion_1": ONE_TO_FIVE, "criterion_2": ONE_TO_FIVE}, "text",
    ),
    "a title of the rules is a label of the form": (
        "- 丁寧: 0〜50点\n出力形式:\n丁寧: [点数]\n判定: [OK/NG]" + END,
        {"criterion_1": "number from 0 to 50", "score": "OK / NG"}, "text",
    ),
    "values in a line with signs of equality": (
        'Two ratings from 0 to 6. Answer as "depth=X, tone=Y".' + END,
        {"depth": "number from 0 to 6", "tone": "number from 0 to 6"}, "text",
    ),
    "a score with its reason in one place": (
        "Each from 1 to 5.\nOutput format:\nDepth: score / reason\nHired: yes or no" + END,
        {"depth": ONE_TO_FIVE, "hired": "yes or no"}, "text",
    ),
    "answers that are no verdicts that we know": (
        "若有编造，输出“有编造”；否则输出“无编造”。" + END, {"score": "有编造 / 无编造"}, "text",
    ),
    "numbers for the sides of a pair": (
        'Which is better? Output "1", "2" or "0" if they are equally good.' + PAIR,
        {"score": "1 / 2 / 0"}, "text",
    ),
    "values with what they are called before their conditions": (
        "Return a score of 1 (True) if it fits, or 0 (False) otherwise." + END,
        {"score": "yes or no"}, "text",
    ),
    "levels that are far apart": (
        "Score 1: unrelated\nScore 5: some of it\nScore 9: all of it\nWrite the number." + END,
        {"score": "number from 1 to 9"}, "text",
    ),
    "numbered words in the place of numbers": (
        'Each from 0 to 30. JSON: {{"reach": n1, "cost": n2, "comment": "..."}}' + END,
        {"reach": "number from 0 to 30", "cost": "number from 0 to 30"}, "json",
    ),
    "a table that others fill in": (
        "| Name | |\n| Date | |\nRate the answer from 1 to 5." + END + "Rating:",
        {"rating": ONE_TO_FIVE}, "text",
    ),
    "a table to be filled in": (
        "Fill in the table:\n| Criterion | Score (1-5) | Note |\n|---|---|---|\n| Depth | | |\n"
        "| Tone | | |\n" + END,
        {"depth": ONE_TO_FIVE, "tone": ONE_TO_FIVE}, "text",
    ),
    "answers in backticks with what they mean": (
        "`Response A` - it is better.\n`Response B` - it is better.\n`Tie` - neither." + PAIR,
        {"score": "Response A / Response B / Tie"}, "text",
    ),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_a_form_is_understood(form: str, take: Import) -> None:
    text, criteria, reply = FORMS[form]
    settings = {"judged": "answer"} if "{answer}" in text else {}
    imported = take(text, **settings)
    assert (said_of(imported.criteria), imported.judge.reply) == (criteria, reply)


@pytest.mark.parametrize(
    "sample",
    [
        '[ {{"point": "…", "covered": true}}, … ]',
        '{{"verdicts": [\n {{"verdict": "yes", "reason": "…"}} ]}}',
        '{{"verdicts": {{"<criterion_id>": {{"pass": true}}}}}}',
    ],
)
def test_a_verdict_per_entry_is_asked_about(sample: str, take: Import) -> None:
    with pytest.raises(UsageError, match="one value per criterion and item"):
        take(f'Say "yes" or "no" for each. JSON: {sample}' + END, judged="answer")


def test_a_list_beside_a_verdict_is_left_out(take: Import) -> None:
    text = (
        '{{"points": [{{"point": "…", "met": "PASS or FAIL"}}], "verdict": "PASS or WARN or FAIL"}}'
    )
    imported = take(f"JSON: {text}" + END, judged="answer")
    assert said_of(imported.criteria) == {"verdict": "PASS / WARN / FAIL"}


def test_another_choice_that_is_as_plain_is_told(take: Import) -> None:
    text = 'Answer only "keep" or "drop". Answer only "long" or "short".' + END
    report = "\n".join(take(text, judged="answer").findings.lines())
    assert "keep" in report.partition("to know:")[2] or "drop" in report.partition("to know:")[2]


def test_scales_of_other_criteria_are_no_rivals(take: Import) -> None:
    text = "- Depth (0-40)\n- Tone (0-10)\nReply:\nDepth: X\nTone: X" + END
    assert "stands there too" not in "\n".join(take(text, judged="answer").findings.lines())


def test_a_long_prompt_is_read_at_its_ends(take: Import) -> None:
    text = "Judge the text.\n" + "word " * 12_000 + "\nRate it from 1 to 7." + END
    imported = take(text, judged="answer")
    assert said_of(imported.criteria) == {"score": "number from 1 to 7"}
    [scale] = [finding for finding in imported.findings.all if finding.what == "scale"]
    assert scale.words == "Rate it from 1 to 7."


@pytest.mark.parametrize(
    ("names", "key"),
    [
        (SCORES, "finalScore"),
        (SCORES, "diem_so"),
        (SCORES, "最终得分"),
        (VERDICTS, "is_correct"),
        (VERDICTS, "veredicto_general"),
        (EXPLANATIONS, "score_reason"),
        (EXPLANATIONS, "begruendung"),
        (EXPLANATIONS, "理由"),
        (CONFIDENCES, "confidence_level"),
        (CONFIDENCES, "신뢰도"),
    ],
)
def test_keys_are_told_by_the_words_of_their_names(names: object, key: str) -> None:
    assert key in names  # type: ignore[operator]
    assert "depth" not in names  # type: ignore[operator]
